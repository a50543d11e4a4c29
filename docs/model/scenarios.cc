#include "scenarios.h"

#include <functional>
#include <initializer_list>

namespace model {
namespace {

using Set = std::function<void(Scenario&)>;

Act release_at(Small instance, Small bucket, Small quantity) {
  return {release, instance, bucket, quantity, 0};
}
Act move_to(Small instance, Small bucket) { return {move, instance, bucket, 1, 0}; }
Act cancel_of(Small request, Small instance) { return {cancel, instance, 0, 1, request}; }
Act grow_by(Small instance, Small quantity) { return {grow, instance, 0, quantity, 0}; }
Act shrink_at(Small instance) { return {shrink, instance, 0, 0, 0}; }

void acts(Scenario& s, std::initializer_list<Act> all) {
  s.act_count = 0;
  for (const Act& act : all) s.acts[static_cast<std::size_t>(s.act_count++)] = act;
}

void quantities(Scenario& s, std::initializer_list<Small> all) {
  s.request_count = 0;
  for (const Small quantity : all) s.quantity[static_cast<std::size_t>(s.request_count++)] = quantity;
}

class List {
 public:
  void add(const char* name, const char* what, const Set& set) {
    Scenario s;
    s.name = name;
    s.what = what;
    set(s);
    all.push_back(s);
  }
  void add_long(const char* name, const char* what, const Set& set) {
    add(name, what, set);
    all.back().in_short_set = false;
  }
  void add_mutant(const char* name, const char* what, const Set& set) {
    add(name, what, set);
    all.back().must_fail = true;
  }

  std::vector<Scenario> all;
};

// Two requests, one release: the smallest world in which an item sells out and comes back.
void small_world(Scenario& s) {
  quantities(s, {1, 1});
  acts(s, {release_at(0, 0, 1)});
}

// Three requests; the middle one asks the other instance.
void middle_world(Scenario& s) {
  quantities(s, {1, 1, 1});
  acts(s, {release_at(0, 0, 2)});
}

void add_sales(List& list) {
  list.add("sale-1", "3 requests, 2 buckets, no fault", [](Scenario& s) {
    s.available = {2, 1};
    quantities(s, {1, 2, 1});
  });
  list.add("sale-2", "3 requests, 2 releases, two reopenings", [](Scenario& s) {
    quantities(s, {1, 1, 1});
    acts(s, {release_at(0, 0, 2), release_at(1, 1, 1)});
  });
  list.add("sale-3", "3 requests, one of them in direct mode, a release", [](Scenario& s) {
    middle_world(s);
    s.available = {2, 0};
    s.direct[1] = true;
  });
  list.add("sale-4", "2 requests, a release, a move between the buckets, 2 refreshes", [](Scenario& s) {
    s.available = {2, 1};
    quantities(s, {1, 2});
    acts(s, {release_at(0, 0, 1), move_to(1, 1)});
    s.refreshes = 2;
  });
  list.add("sale-5", "the gate is empty at first; whoever comes makes the buckets", [](Scenario& s) {
    middle_world(s);
    s.starts_missing = true;
    s.refreshes = 1;
  });
  list.add_long("sale-6", "4 requests, 2 releases, a refresh", [](Scenario& s) {
    quantities(s, {1, 1, 1, 1});
    acts(s, {release_at(0, 0, 2), release_at(1, 1, 1)});
    s.refreshes = 1;
  });
}

void add_faults(List& list) {
  list.add("fault-1", "a call or a reply is lost, twice", [](Scenario& s) {
    small_world(s);
    s.losses = 2;
  });
  list.add("fault-2", "a call comes late or twice, another is lost", [](Scenario& s) {
    small_world(s);
    s.losses = 1;
    s.lates = 1;
  });
  list.add("fault-3", "an instance dies, a call of it comes late; reaping, refresh", [](Scenario& s) {
    small_world(s);
    s.crashes = 1;
    s.lates = 1;
    s.refreshes = 1;
  });
  list.add("fault-4", "failover to an old replica; refresh", [](Scenario& s) {
    small_world(s);
    s.failovers = 1;
    s.refreshes = 1;
  });
  list.add("fault-5", "keys of a bucket are lost, a call comes late; refresh", [](Scenario& s) {
    small_world(s);
    s.wipes = 1;
    s.lates = 1;
    s.refreshes = 1;
  });
  list.add("fault-6", "a commit is in doubt, a call comes late", [](Scenario& s) {
    small_world(s);
    s.doubts = 1;
    s.lates = 1;
  });
  list.add_long("fault-7", "3 requests, 2 reopenings, failover and lost keys", [](Scenario& s) {
    quantities(s, {1, 1, 1});
    acts(s, {release_at(0, 0, 2), release_at(1, 1, 1)});
    s.failovers = s.wipes = s.refreshes = 1;
  });
  list.add_long("fault-8", "3 requests, a release, everything at once", [](Scenario& s) {
    middle_world(s);
    s.crashes = s.losses = s.lates = s.doubts = s.refreshes = 1;
  });
  list.add_long("fault-9", "3 requests, failover, a commit in doubt, a late call, 2 refreshes",
                [](Scenario& s) {
                  middle_world(s);
                  s.failovers = s.doubts = s.lates = 1;
                  s.refreshes = 2;
                });
  list.add_long("fault-10", "failover to an old replica, a call comes late; refresh", [](Scenario& s) {
    small_world(s);
    s.failovers = s.lates = s.refreshes = 1;
    s.millions = 40;
  });
}

// Request 1 is a retry of request 0; request 2 empties the item.
void retry_at(Scenario& s, Small instance) {
  middle_world(s);
  s.retry = 1;
  s.instance = {0, instance, 0, 1};
  s.home = {0, 0, 0, 1};
}

void add_keys(List& list) {
  list.add("key-1", "one instance, a retry while the first attempt is in process, a call is lost",
           [](Scenario& s) {
             retry_at(s, 0);
             s.losses = 1;
           });
  list.add("key-2", "two instances, a retry at the other, failover", [](Scenario& s) {
    retry_at(s, 1);
    s.failovers = 1;
  });
  list.add("key-3", "refusals are recorded before the answer; an instance dies, its commit comes later",
           [](Scenario& s) {
             retry_at(s, 1);
             s.refusals_recorded = true;
             s.crashes = 1;
             s.late_commit = true;
           });
  list.add_mutant("key-4",
                  "a first attempt that says so is not looked up; its retry overtakes it and is sold",
                  [](Scenario& s) {
                    retry_at(s, 1);
                    s.first_attempt[0] = true;
                  });
  list.add_long("key-5", "a retry, 2 reopenings, keys lost, a commit in doubt", [](Scenario& s) {
    retry_at(s, 1);
    acts(s, {release_at(0, 0, 2), release_at(1, 1, 1)});
    s.wipes = s.doubts = 1;
  });
}

// One user, two units at most; the hint is written by whichever instance had the verdict, at any later time.
void quota_world(Scenario& s) {
  s.available = {2, 1};
  quantities(s, {1, 1, 1});
  s.limit = 2;
  s.same_user = true;
}

void add_quotas(List& list) {
  list.add("quota-1", "3 requests of one user, limit 2, hints written at any time", quota_world);
  list.add("quota-2", "the same with limit 1; the first order is cancelled", [](Scenario& s) {
    quota_world(s);
    s.limit = 1;
    acts(s, {cancel_of(0, 1)});
  });
  list.add("quota-3", "two users, limit 1, few units, cancel, a call is lost", [](Scenario& s) {
    quota_world(s);
    s.available = {1, 0};
    s.limit = 1;
    s.same_user = false;
    acts(s, {cancel_of(0, 0)});
    s.losses = 1;
  });
  list.add_long("quota-4", "4 requests of one user, limit 2, two cancels, failover", [](Scenario& s) {
    quota_world(s);
    quantities(s, {1, 1, 1, 1});
    acts(s, {cancel_of(0, 1), cancel_of(1, 0)});
    s.failovers = s.refreshes = 1;
  });
}

void add_counts(List& list) {
  list.add("count-1", "1 bucket becomes 2 while selling; the other instance learns it late", [](Scenario& s) {
    middle_world(s);
    s.available = {2, 0};
    s.bucket_rows = 1;
    acts(s, {grow_by(0, 1)});
    s.losses = 1;
  });
  list.add("count-2", "the same when nothing is left, then a release into the new bucket", [](Scenario& s) {
    middle_world(s);
    s.bucket_rows = 1;
    acts(s, {grow_by(0, 0), release_at(1, 1, 1)});
  });
  list.add("count-3", "2 buckets become 1 while selling, a call comes late", [](Scenario& s) {
    s.available = {1, 1};
    quantities(s, {1, 1, 1});
    acts(s, {shrink_at(0)});
    s.lates = 1;
  });
  list.add("count-4", "1, 2, 1 buckets and a release", [](Scenario& s) {
    small_world(s);
    s.available = {2, 0};
    s.bucket_rows = 1;
    acts(s, {grow_by(0, 1), shrink_at(1), release_at(1, 0, 1)});
  });
  list.add("count-5", "1 bucket becomes 2; keys are lost; refresh", [](Scenario& s) {
    small_world(s);
    s.available = {2, 0};
    s.bucket_rows = 1;
    acts(s, {grow_by(0, 1)});
    s.wipes = s.refreshes = 1;
  });
  list.add_long("count-6", "1, 2, 1 buckets, a release, an instance dies, a late call, refresh",
                [](Scenario& s) {
                  middle_world(s);
                  s.available = {2, 0};
                  s.bucket_rows = 1;
                  acts(s, {grow_by(0, 1), shrink_at(1), release_at(1, 0, 1)});
                  s.crashes = s.lates = s.refreshes = 1;
                });
}

void add_corruption(List& list) {
  list.add_mutant("corrupt-1",
                  "a bucket knows the present generation as empty; the read is of the generation alone",
                  [](Scenario& s) {
                    small_world(s);
                    s.corruptions = 1;
                  });
  list.add("corrupt-2", "the same; the read also says whether anything is available", [](Scenario& s) {
    middle_world(s);
    s.corruptions = 1;
    s.reads_sum = true;
  });
}

void add_mutants(List& list) {
  list.add_mutant("without-1", "without the guard of seq", [](Scenario& s) {
    small_world(s);
    s.available = {2, 0};
    s.mutation.no_seq_guard = true;
  });
  list.add_mutant("without-2", "without the guard of op", [](Scenario& s) {
    small_world(s);
    s.lates = 1;
    s.mutation.no_op_guard = true;
  });
  list.add_mutant("without-3", "without generations: closed is what the last message said", [](Scenario& s) {
    small_world(s);
    s.mutation.no_generations = true;
  });
  list.add_mutant("without-4", "without the confirming read", [](Scenario& s) {
    small_world(s);
    s.mutation.no_confirming_read = true;
  });
  list.add_mutant("without-5", "the confirming read is remembered", [](Scenario& s) {
    middle_world(s);
    acts(s, {release_at(1, 0, 2)});
    s.mutation.remembered_read = true;
  });
  list.add_mutant("without-6", "the judge does not raise the generation", [](Scenario& s) {
    middle_world(s);
    s.mutation.generation_stays = true;
  });
  list.add_mutant("without-7", "a statement whose call failed is not owed", [](Scenario& s) {
    small_world(s);
    s.losses = 1;
    s.mutation.owed_is_lost = true;
  });
  list.add_mutant("without-8", "a reopening is stated to the touched bucket alone", [](Scenario& s) {
    small_world(s);
    s.mutation.reopen_touched = true;
  });
  list.add_mutant("without-9", "reaping leaves no tombstone", [](Scenario& s) {
    small_world(s);
    s.crashes = s.lates = s.refreshes = 1;
    s.mutation.no_tombstone = true;
  });
  list.add_mutant("without-10", "the confirming read looks up no keys", [](Scenario& s) {
    retry_at(s, 1);
    s.mutation.keys_unread = true;
  });
  list.add_mutant("without-11", "a quota hint refuses by itself", [](Scenario& s) {
    quota_world(s);
    s.limit = 1;
    acts(s, {cancel_of(0, 1)});
    s.mutation.hint_decides = true;
  });
  list.add_mutant("without-12", "a call that finds the bucket missing is not owed any more", [](Scenario& s) {
    small_world(s);
    s.wipes = s.lates = s.refreshes = 1;
    s.mutation.unheard = true;
  });
}

}  // namespace

std::vector<Scenario> scenarios() {
  List list;
  add_sales(list);
  add_faults(list);
  add_keys(list);
  add_quotas(list);
  add_counts(list);
  add_corruption(list);
  add_mutants(list);
  return list.all;
}

}  // namespace model
