// What callers see of every refusal, through real sockets, in order of precedence.
#include <array>
#include <chrono>
#include <future>
#include <set>
#include <string>
#include <vector>

#include "service_fixture.h"

namespace gavel::http {
namespace {

struct Row {
  Asked asked;
  std::string answer;
};

rules::Outcome outcome_in(const std::string& answer) {
  const std::string name = R"("code":")";
  const std::size_t begin = answer.find(name) + name.size();
  return *rules::parse_outcome(answer.substr(begin, answer.find('"', begin) - begin));
}

TEST_F(ServiceTest, WhatIsShippedIsNotShippedAgain_E22) {
  make_stock();
  const std::string path = "/v1/orders/" + key7(1) + "/ship";
  post("/v1/orders", key7(1), order_of("u1", "tee", 2));
  EXPECT_TRUE(post(path, "h0", "").starts_with("409 {\"type\":\"/docs/outcomes/illegal_transition\""))
      << "unpaid";
  post("/v1/orders/" + key7(1) + "/confirm", "c", "");
  EXPECT_TRUE(post(path, "h1", R"({"lines":[{"sku":"tee","quantity":3}]})")
                  .starts_with("409 {\"type\":\"/docs/outcomes/insufficient\""));
  EXPECT_TRUE(post(path, "h2", R"({"lines":[{"sku":"tee","quantity":1}]})").starts_with("200 "));
  const std::string shipped = post(path, "h3", "");
  EXPECT_TRUE(shipped.starts_with("200 ")) << shipped;
  const std::string again = post(path, "h4", "");
  EXPECT_TRUE(again.starts_with("409 {\"type\":\"/docs/outcomes/already_shipped\"")) << again;
  EXPECT_EQ(post(path, "h3", "").substr(0, 4), "200 ") << "a retry gets its first answer";
}

// One row per outcome that a request can meet, in order of precedence.
// table: what is never recorded and changes nothing, then what is recorded.
TEST_F(ServiceTest, EveryRefusalInOrderOfPrecedence) {
  make_stock();
  const std::string order = order_of("u1", "tee", 1);
  post("/v1/orders", "kept", order_of("u9", "cup", 1));
  operate("POST", "/v1/activities", "draft", R"({"name":"D","lines":[{"sku":"cup","allotment":1}]})");
  operate("POST", "/v1/activities", "later",
          R"({"name":"L","lines":[{"sku":"tee","allotment":1}],"opens_at":"2026-11-29T21:00:00Z"})");
  operate("POST", "/v1/activities/later/open", "o1", "");
  operate("POST", "/v1/activities", "done", R"({"name":"C","lines":[{"sku":"tee","allotment":1}]})");
  operate("POST", "/v1/activities/done/close", "o2", "");
  operate("POST", "/v1/activities", "few",
          R"({"name":"F","lines":[{"sku":"tee","allotment":4}],"limit_per_user":2})");
  operate("POST", "/v1/activities/few/open", "o3", "");
  post("/v1/orders", key7(1), order_of("u1", "tee", 2, R"(,"activity":"few")"));
  post("/v1/orders", key7(2), order_of("u2", "cup", 1));
  post("/v1/orders/" + key7(2) + "/confirm", "o4", "");
  post("/v1/orders", key7(3), order_of("u3", "tee", 1));
  post("/v1/orders/" + key7(3) + "/cancel", "o5", "");
  post("/v1/orders", key7(4), order_of("u3", "tee", 1, R"(,"hold_seconds":1)"));
  world.clock().advance(Duration(2'000));
  post("/v1/orders/" + key7(4) + "/confirm", "o6", "");
  post("/v1/orders", key7(5), order_of("u5", "cup", 100));
  operate("PUT", "/v1/skus/mat", "s5", "");
  operate("POST", "/v1/activities", "hot",
          R"({"name":"H","lines":[{"sku":"cup","allotment":1}],"mode":"gated"})");
  operate("POST", "/v1/activities/hot/warm", "o8", "");
  constexpr std::int64_t item_of_hot = 8;
  world.write_at_gate(item_of_hot, 0, 7);
  post("/v1/orders", key7(6), order_of("u6", "tee", 1, R"(,"hold_seconds":60)"));
  post("/v1/orders/" + key7(6) + "/extend", "o7", R"({"seconds":86400})");

  const std::array rows{
      Row{{shop, "POST", "/v1/orders", "", R"({"user":"u1"})", ""}, malformed_of(400, "lines: is missing")},
      Row{{shop, "POST", "/v1/orders", "", order, ""},
          "400 " + problem_of("key_missing", 400, R"("final":true,"recorded":false,"retry":"new_key")")},
      Row{{operators, "GET", "/v1/stock?sku=tee", "", "", "Authorization: Bearer wrong\r\n"},
          "401 www-authenticate: Bearer realm=\"gavel\" " + problem_of("unauthenticated", 401, final_never)},
      Row{{operators, "POST", "/v1/orders", key7(1), order, ""},
          "422 " + problem_of("key_in_use", 422, R"("final":true,"recorded":false,"retry":"new_key")")},
      Row{{shop, "POST", "/v1/orders", "kept", order, ""},
          "422 " +
              problem_of("key_reused", 422,
                         R"("final":true,"recorded":false,"retry":"new_key","fields":["user","lines"])")},
      Row{{shop, "POST", "/v1/orders", "01a2144b-2a00-7000-8000-000000000001", order, ""},
          "422 " + problem_of("key_too_old", 422, R"("final":true,"recorded":false,"retry":"new_key")")},
      Row{{shop, "POST", "/v1/orders", "r1", order_of("u1", "tee", 1, R"(,"activity":"nosuch")"), ""},
          "404 " + problem_of("unknown_activity", 404, final_never)},
      Row{{shop, "POST", "/v1/orders", "r1", order_of("u1", "hat", 1), ""},
          "404 " + problem_of("unknown_sku", 404, std::string(final_never) + R"(,"sku":"hat")")},
      Row{{shop, "POST", "/v1/orders", "r1", order_of("u1", "cup", 1, R"(,"activity":"few")"), ""},
          "404 " + problem_of("unknown_sku", 404, std::string(final_never) + R"(,"sku":"cup")")},
      Row{{shop, "POST", "/v1/orders/" + key7(99) + "/confirm", "r1", "", ""},
          "404 " + problem_of("unknown_order", 404, final_never)},
      Row{{shop, "POST", "/v1/orders/17/cancel", "r1", "", ""},
          "404 " + problem_of("unknown_order", 404, final_never)},
      Row{{shop, "GET", "/v1/requests/never", "", "", ""},
          "404 " + problem_of("unknown_request", 404, final_never)},
      // The caller's own keys alone: this one is the shop's.
      Row{{operators, "GET", "/v1/requests/kept", "", "", ""},
          "404 " + problem_of("unknown_request", 404, final_never)},
      Row{{operators, "POST", "/v1/activities/hot/check", "r1", "", ""},
          "409 " +
              problem_of("mismatch", 409,
                         std::string(open_new) + R"(,"sku":"cup","available":0,"bucket":0,"at_gate":7)")},
      Row{{shop, "POST", "/v1/orders", "r1", order_of("u1", "cup", 1, R"(,"activity":"draft")"), ""},
          "409 " + problem_of("not_open", 409, open_new)},
      Row{{shop, "POST", "/v1/orders", "r1", order_of("u1", "tee", 1, R"(,"activity":"later")"), ""},
          "409 " + problem_of("not_open", 409,
                              std::string(open_new) + R"(,"opens_at":"2026-11-29T21:00:00.000Z")")},
      Row{{shop, "POST", "/v1/orders", "r1", order_of("u1", "tee", 1, R"(,"activity":"done")"), ""},
          "409 " + problem_of("over", 409, open_new)},
  };
  const std::string before = world.dump();
  std::set<std::string> told;
  rules::Outcome last{};
  const auto expect = [&](const Row& row, const std::string& answer) {
    EXPECT_EQ(said(row.asked), answer);
    const rules::Outcome outcome = outcome_in(answer);
    EXPECT_LE(last, outcome) << "the rows are in order of precedence";
    last = outcome;
    told.emplace(rules::word(outcome));
  };
  for (const Row& row : rows) expect(row, row.answer);
  EXPECT_EQ(world.dump(), before);

  // These are recorded; beside the record of themselves they change nothing, and a retry gets them again.
  const std::string stock = operate("GET", "/v1/stock?sku=tee&sku=cup", "", "");
  const std::string acted_upon = R"(,"order":")";
  const std::array recorded{
      Row{{operators, "POST", "/v1/stock/cup/count", "t0", R"({"counted":3,"version":1})", ""},
          problem_of("version_conflict", 409,
                     R"("final":true,"recorded":true,"retry":"new_key","version":4)")},
      Row{{shop, "POST", "/v1/orders/" + key7(2) + "/cancel", "t1", "", ""},
          problem_of("already_confirmed", 409, recorded_never + acted_upon + key7(2) + "\"")},
      Row{{shop, "POST", "/v1/orders/" + key7(3) + "/confirm", "t2", "", ""},
          problem_of("already_cancelled", 409, recorded_never + acted_upon + key7(3) + "\"")},
      Row{{shop, "POST", "/v1/orders/" + key7(4) + "/confirm", "t3", "", ""},
          problem_of("hold_expired", 409, recorded_never + acted_upon + key7(4) + "\"")},
      Row{{shop, "POST", "/v1/orders/" + key7(5) + "/confirm", "t4", "", ""},
          problem_of("illegal_transition", 409,
                     recorded_never + acted_upon + key7(5) + R"(","state":"refused")")},
      Row{{operators, "POST", "/v1/activities/few/warm", "t5", "", ""},
          problem_of("illegal_transition", 409, std::string(recorded_never) + R"(,"state":"open")")},
      Row{{shop, "POST", "/v1/orders", "t6", order_of("u1", "tee", 1, R"(,"activity":"few")"), ""},
          problem_of("limit_reached", 409,
                     std::string(recorded_never) + R"(,"sku":"tee","allowed":2,"claimed":2,"order":")" +
                         key7(1) + "\"")},
      Row{{shop, "POST", "/v1/orders/" + key7(6) + "/extend", "t9", R"({"seconds":86400})", ""},
          problem_of("hold_capped", 409,
                     recorded_never + acted_upon + key7(6) + R"(","expires_at":"2026-11-29T20:03:02.000Z")")},
      Row{{shop, "POST", "/v1/orders", "t8", order_of("u1", "mat", 1), ""},
          problem_of("sold_out", 409, R"("final":true,"recorded":true,"retry":"new_key","sku":"mat")")},
      Row{{shop, "POST", "/v1/orders", "t7", order_of("u1", "cup", 2), ""},
          problem_of("insufficient", 409,
                     R"("final":true,"recorded":true,"retry":"new_key","sku":"cup","available":1)")},
  };
  for (const Row& row : recorded) {
    expect(row, "409 " + row.answer);
    EXPECT_EQ(said(row.asked), "409 idempotency-replayed: true " + row.answer);
  }
  EXPECT_EQ(operate("GET", "/v1/stock?sku=tee&sku=cup", "", ""), stock);
  EXPECT_EQ(
      get("/v1/requests/t8"),
      R"(200 {"key":"t8","status":"done","code":"sold_out","http_status":409,"at":"2026-11-29T20:00:02.000Z",)"
      R"("sku":"mat","kept_until":"2026-12-01T20:00:02.000Z"})")
      << "A28: for the 48 hours that this world keeps requests";
  // Those that the tests beside this one produce, and those that nothing can produce yet.
  told.insert({"overloaded", "not_ready", "key_in_flight", "already_shipped", "frozen", "outcome_unknown"});
  told.insert({"forbidden", "rate_limited"});
  for (const rules::OutcomeTraits& outcome : rules::all_outcomes()) {
    EXPECT_TRUE(outcome.act || told.contains(std::string(outcome.word))) << outcome.word;
  }
  EXPECT_NE(operate("GET", "/v1/admin/verify", "", "").find(R"("clean":true)"), std::string::npos);
}

// A number that other hands made: its SKU is stopped, and nothing else (B9).
TEST_F(ServiceTest, ABrokenNumberFreezesItsSku) {
  make_stock();
  world.break_stock("cup");
  const std::string before = world.dump();
  const std::string frozen = "409 " + problem_of("frozen", 409, std::string(open_new) + R"(,"sku":"cup")");
  EXPECT_EQ(post("/v1/orders", "k1", order_of("u1", "cup", 1)), frozen);
  EXPECT_EQ(operate("POST", "/v1/stock/cup/receive", "k2", R"({"quantity":1})"), frozen);
  EXPECT_EQ(world.dump(), before);
  EXPECT_TRUE(post("/v1/orders", "k1", order_of("u1", "tee", 1)).starts_with("201 "));
}

// The period stands where keys are explained, and a record says until when it is kept.
TEST_F(ServiceTest, TheFirstAnswerIsKeptUntilTheTimeThatIsTold_A28_F006) {
  make_stock();
  const auto receive = [&] {
    return operate("POST", "/v1/stock/tee/receive", "inbound-77", R"({"quantity":10})");
  };
  EXPECT_TRUE(receive().starts_with("200 {"));
  EXPECT_NE(operate("GET", "/v1/requests/inbound-77", "", "")
                .find(R"("at":"2026-11-29T20:00:00.000Z","kept_until":"2026-12-01T20:00:00.000Z"})"),
            std::string::npos);
  world.clock().advance(std::chrono::hours(48));
  EXPECT_TRUE(receive().starts_with("200 idempotency-replayed: true {"));
  for (const rules::OutcomeTraits& outcome : rules::all_outcomes()) {
    if (!outcome.recorded && !outcome.word.starts_with("key_")) continue;
    const std::string page =
        ask(world, Asked{shop, "GET", "/docs/outcomes/" + std::string(outcome.word), "", "", ""}).body;
    EXPECT_NE(page.find("remembered for 48 hours (the setting rules.requests_kept_hours)"), std::string::npos)
        << page;
  }
}

TEST_F(ServiceTest, WhatIsInProcessOrUnknown) {
  make_stock();
  world.hold_lane();
  auto first =
      std::async(std::launch::async, [&] { return post("/v1/orders", "f1", order_of("u1", "tee", 1)); });
  ASSERT_TRUE(comes_true([&] { return world.commands_waiting() == 1; }));
  EXPECT_EQ(
      post("/v1/orders", "f1", order_of("u1", "tee", 1)),
      "409 " + problem_of("key_in_flight", 409, R"("final":false,"recorded":false,"retry":"same_key")"));
  EXPECT_EQ(post("/v1/orders", "f1", order_of("u2", "tee", 1)),
            "422 " + problem_of("key_reused", 422,
                                R"("final":true,"recorded":false,"retry":"new_key","fields":["user"])"));
  EXPECT_EQ(get("/v1/requests/f1"), R"(200 {"key":"f1","status":"processing"})");
  world.clock().advance(Duration(4'000));
  world.look_for_overdue();
  EXPECT_EQ(get("/v1/requests/f1"), R"(200 {"key":"f1","status":"processing"})");
  world.let_lane_go();
  EXPECT_TRUE(first.get().starts_with("201 "));

  // The judge does not come back: of what it has begun nobody knows, and of what waits behind it that it was
  // not done, whose key is free.
  world.hold_judge();
  const std::size_t begun = world.batches_decided();
  auto slow =
      std::async(std::launch::async, [&] { return post("/v1/orders", "f2", order_of("u1", "tee", 1)); });
  ASSERT_TRUE(comes_true([&] { return world.batches_decided() == begun + 1; }));
  auto behind =
      std::async(std::launch::async, [&] { return post("/v1/orders", "f3", order_of("u1", "tee", 1)); });
  ASSERT_TRUE(comes_true([&] { return world.commands_waiting() == 1; }));
  world.clock().advance(Duration(5'001));
  world.look_for_overdue();
  EXPECT_EQ(behind.get(),
            "503 " + problem_of("overloaded", 503, R"("final":false,"recorded":false,"retry":"same_key")"))
      << "G007";
  EXPECT_TRUE(get("/v1/requests/f3").starts_with("404 "));
  world.clock().advance(Duration(5'000));
  world.look_for_overdue();
  EXPECT_EQ(slow.get(), "504 " + problem_of("outcome_unknown", 504,
                                            R"("final":false,"recorded":false,"retry":"same_key")"));
  EXPECT_EQ(get("/v1/requests/f2"), R"(200 {"key":"f2","status":"processing"})");
  world.let_judge_go();
  EXPECT_TRUE(
      comes_true([&] { return get("/v1/requests/f2").starts_with(R"(200 {"key":"f2","status":"done")"); }));
}

TEST(ServiceUnderLoad, RefusesWhatIsTooMuch) {
  WorldLimits limits;
  limits.in_flight_max = 1;
  World world(limits);
  world.hold_lane();
  const Asked first{operators, "PUT", "/v1/skus/tee", "p1", "", ""};
  auto waiting = std::async(std::launch::async, [&] { return ask(world, first); });
  ASSERT_TRUE(comes_true([&] { return world.commands_waiting() == 1; }));
  const Asked second{operators, "PUT", "/v1/skus/cup", "p2", "", ""};
  EXPECT_EQ(rendered(ask(world, second)),
            "503 " + problem_of("overloaded", 503, R"("final":false,"recorded":false,"retry":"same_key")"));
  world.let_lane_go();
  EXPECT_EQ(waiting.get().status, 201U);
  EXPECT_EQ(ask(world, second).status, 201U);
}

TEST_F(ServiceTest, TellsWhetherItIsReady) {
  EXPECT_EQ(get("/healthz"), R"(200 {"status":"alive"})");
  EXPECT_EQ(get("/readyz"), R"(200 {"status":"ready","warnings":[]})");
  world.set_ready(false, "the database is being opened");
  EXPECT_EQ(get("/healthz"), R"(200 {"status":"alive"})");
  EXPECT_EQ(get("/readyz"),
            R"(503 {"type":"/docs/outcomes/not_ready","title":"Not ready","status":503,)"
            R"("detail":"the database is being opened","code":"not_ready","final":false,"recorded":false,)"
            R"("retry":"same_key"})");
}

// Machines that watch need no key; for anything else a stranger is told the same, whether it exists or not.
TEST(OperatorsListener, AsksForItsKeyFirst) {
  World world;
  const std::string refusal =
      "401 www-authenticate: Bearer realm=\"gavel\" " + problem_of("unauthenticated", 401, final_never);
  for (const std::string path :
       {"/v1/stock?sku=tee", "/v1/orders/17", "/docs/outcomes", "/nosuch", "/v1/%zz", "/"}) {
    for (const std::string header : {"", "Authorization: Bearer\r\n", "Authorization: Bearer wrong\r\n",
                                     "Authorization: Basic czNjcmV0\r\n",
                                     "Authorization: Bearer s3cret\r\nAuthorization: Bearer s3cret\r\n"}) {
      Client client(world.port(operators));
      client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + header + "\r\n");
      const auto reply = client.read();
      ASSERT_TRUE(reply);
      EXPECT_EQ(rendered(*reply), refusal) << path << header;
    }
  }
  for (const std::string path : {"/healthz", "/readyz"}) {
    Client client(world.port(operators));
    client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.read()->status, 200U);
  }
}

}  // namespace
}  // namespace gavel::http
