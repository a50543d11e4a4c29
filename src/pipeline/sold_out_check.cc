#include "pipeline/sold_out_check.h"

#include <memory>
#include <utility>

#include "base/check.h"
#include "gate/statements.h"

namespace gavel::pipeline {
namespace {

using Finding = SoldOutCheck::Finding;

// A refusal waits for the read, which takes a millisecond where the database is well.
constexpr Duration slow_after{1'000};

// True while the judge would answer neither not_open nor over.
bool is_open(const rules::Activity& activity, Time now) {
  return activity.state == rules::ActivityState::open && (!activity.opens_at || *activity.opens_at <= now) &&
         (!activity.closes_at || now < *activity.closes_at);
}

// Whether the judge could say anything but "nothing is left" of an item that is empty.
bool is_only_sold_out(const SoldOutCheck::Request& request, const judge::SoldOutQueryResult& found,
                      Time now) {
  const auto expiry = found.first_expiry.find(request.item);
  const bool is_hold_due = expiry != found.first_expiry.end() && expiry->second <= now;
  if (found.known.contains(request.key) || is_hold_due) return false;
  if (!request.pool.activity) return true;
  const auto activity = found.activities.find(*request.pool.activity);
  return activity != found.activities.end() && is_open(activity->second, now);
}

SoldOutCheck::Result result_of(const SoldOutCheck::Request& request, const judge::SoldOutQueryResult& found,
                               Time now) {
  const auto item = found.items.find(request.item);
  if (item == found.items.end()) return {Finding::undecided};
  const gate::ConfirmingRead read{item->second.generation, item->second.available()};
  switch (gate::ruling(request.shut, read)) {
    case gate::Ruling::reopened:
      return {Finding::reopened, read.generation};
    case gate::Ruling::corrupted:
      return {Finding::corrupted};
    case gate::Ruling::refuse:
      break;
  }
  if (!is_only_sold_out(request, found, now)) return {Finding::undecided};
  return {Finding::sold_out, read.generation, now};
}

}  // namespace

SoldOutCheck::SoldOutCheck(Executor& executor, GateReads& reads, const Clock& clock, Log& log,
                           GateMetrics metrics)
    : executor_(executor), reads_(reads), clock_(clock), log_(log), metrics_(std::move(metrics)) {}

void SoldOutCheck::ask(Request request, Callback done) {
  CHECK(done != nullptr);
  waiting_.push_back({std::move(request), std::move(done)});
  if (!reading_) read_for_all();
}

// Who comes while a read is under way waits for the next one, which begins after he came.
void SoldOutCheck::read_for_all() {
  CHECK(!reading_ && !waiting_.empty());
  reading_ = true;
  const auto batch = std::make_shared<std::vector<Waiting>>(std::exchange(waiting_, {}));
  judge::SoldOutQuery question;
  for (const Waiting& one : *batch) {
    question.items.insert(one.request.item);
    question.keys.insert(one.request.key);
    if (one.request.pool.activity) question.activities.insert(*one.request.pool.activity);
  }
  metrics_.reads.add();
  using Found = gavel::Result<judge::SoldOutQueryResult>;
  std::move_only_function<void(Found)> done = [this, batch, begun = clock_.steady()](const Found& found) {
    finish(*batch, found, begun);
  };
  reads_.ask<judge::SoldOutQueryResult>(
      [question = std::move(question)](judge::Reader& reader) { return reader.check_sold_out(question); },
      on(executor_, std::move(done)));
}

void SoldOutCheck::finish(std::vector<Waiting>& batch, const gavel::Result<judge::SoldOutQueryResult>& found,
                          Duration begun) {
  warn_if_slow(clock_.steady() - begun, batch.size());
  if (found) {
    const Time now = found->now;
    answer_all(batch, *found, now);
  } else {
    for (Waiting& one : batch) one.done({Finding::unavailable});
  }
  reading_ = false;
  if (!waiting_.empty()) read_for_all();
}

void SoldOutCheck::answer_all(std::vector<Waiting>& batch, const judge::SoldOutQueryResult& found, Time now) {
  for (Waiting& one : batch) one.done(result_of(one.request, found, now));
}

void SoldOutCheck::warn_if_slow(Duration took, std::size_t requests) {
  if (took < slow_after) return;
  log_.write(Level::warn, "sold_out_check_slow",
             {{"ms", took.count()},
              {"requests", static_cast<std::int64_t>(requests)},
              {"next", "refusals wait for this read; see what else the database's disk or server does"}});
}

}  // namespace gavel::pipeline
