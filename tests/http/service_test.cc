// What callers see of the life of orders, stock and sales, through real sockets.
// One noun: the service as callers see it.
#include <array>
#include <string>
#include <vector>

#include "base/uuid.h"
#include "service_fixture.h"

namespace gavel::http {
namespace {

// The cursor of the next page.
std::string next_of(const std::string& reply) {
  const std::size_t begin = reply.rfind(R"("next":")") + 8;
  return reply.substr(begin, reply.find('"', begin) - begin);
}

TEST_F(ServiceTest, OperatorsSetUpASale) {
  EXPECT_EQ(operate("PUT", "/v1/skus/tee", "a1", R"({"buckets":2})"),
            R"(201 {"code":"created","sku":"tee","buckets":2,"at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(operate("PUT", "/v1/skus/tee", "a1", R"({"buckets":2})"),
            "201 idempotency-replayed: true "
            R"({"code":"created","sku":"tee","buckets":2,"at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(operate("PUT", "/v1/skus/tee", "a2", R"({"buckets":2})"),
            R"(200 {"code":"changed","sku":"tee","buckets":2,"at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(operate("PUT", "/v1/skus/cup", "a3", ""),
            R"(201 {"code":"created","sku":"cup","buckets":1,"at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(operate("POST", "/v1/stock/tee/receive", "a4", R"({"quantity":7})"),
            R"(200 {"code":"received","sku":"tee","quantity":7,"at":"2026-11-29T20:00:00.000Z"})");
  // Without an id of its own the activity is called by the request key, so that a retry comes to the same
  // one.
  EXPECT_EQ(
      operate("POST", "/v1/activities", "sale", R"({"name":"Flash","lines":[{"sku":"tee","allotment":5}]})"),
      "201 location: /v1/activities/sale "
      R"({"code":"created","activity":"sale","state":"draft","name":"Flash","at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(
      operate("POST", "/v1/activities", "sale", R"({"lines":[{"allotment":5,"sku":"tee"}],"name":"Flash"})"),
      "201 idempotency-replayed: true location: /v1/activities/sale "
      R"({"code":"created","activity":"sale","state":"draft","name":"Flash","at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(operate("POST", "/v1/activities/sale/open", "a5", ""),
            R"(200 {"code":"opened","activity":"sale","state":"open","at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(
      operate("GET", "/v1/activities/sale", "", ""),
      R"(200 {"id":"sale","name":"Flash","state":"open","lines":[{"sku":"tee","warehouse":"main","allotment":5}],)"
      R"("mode":"service"})");
  EXPECT_EQ(
      operate("GET", "/v1/stock?sku=tee&sku=cup&sku=tee", "", ""),
      R"(200 {"stock":[{"sku":"tee","warehouse":"main","lot":"","pool":"-","available":2,"reserved":0,"sold":0,"shipped":0,"shortage":0,)"
      R"("version":4,"generation":2},{"sku":"tee","warehouse":"main","lot":"","pool":"sale","available":5,)"
      R"("reserved":0,"sold":0,"shipped":0,"shortage":0,"version":2,"generation":2},{"sku":"cup","warehouse":"main","lot":"","pool":"-",)"
      R"("available":0,"reserved":0,"sold":0,"shipped":0,"shortage":0,"version":0,"generation":1}],"source":"judge","age_ms":0})");
  EXPECT_EQ(operate("POST", "/v1/activities/sale/close", "a6", "{}"),
            R"(200 {"code":"closed","activity":"sale","state":"closed","at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(
      operate("GET", "/v1/admin/verify", "", ""),
      R"(200 {"clean":true,"items":3,"flows":10,"orders":0,"batches":7,"findings_total":0,"findings":[]})");
}

TEST_F(ServiceTest, AnOrderLivesAndDies) {
  make_stock();
  const std::string held = R"({"code":"reserved","order":")" + key7(1) +
                           R"(","state":"held","user":"u1","lines":[{"sku":"tee","quantity":2}],)" + at +
                           R"(,"expires_at":"2026-11-29T20:15:00.000Z"})";
  EXPECT_EQ(post("/v1/orders", key7(1), order_of("u1", "tee", 2)),
            "201 location: /v1/orders/" + key7(1) + " " + held);
  world.clock().advance(Duration(60'000));
  EXPECT_EQ(get("/v1/orders/" + key7(1)),
            R"(200 {"id":")" + key7(1) +
                R"(","state":"held","user":"u1","lines":[{"sku":"tee","quantity":2,"taken":)"
                R"([{"warehouse":"main","bucket":1,"quantity":2}]}],"created_at":"2026-11-29T20:00:00.000Z",)"
                R"("expires_at":"2026-11-29T20:15:00.000Z"})");
  const std::string paid =
      R"({"code":"confirmed","order":")" + key7(1) + R"(","state":"paid","at":"2026-11-29T20:01:00.000Z"})";
  EXPECT_EQ(post("/v1/orders/" + key7(1) + "/confirm", "c1", ""), "200 " + paid);
  world.clock().advance(Duration(60'000));
  // The first answers again, of their moments, though the order is paid (A9).
  EXPECT_EQ(post("/v1/orders", "\"" + key7(1) + "\"", order_of("u1", "tee", 2)),
            "201 idempotency-replayed: true location: /v1/orders/" + key7(1) + " " + held);
  EXPECT_EQ(post("/v1/orders/" + key7(1) + "/confirm", "\"c1\"", "{}"),
            "200 idempotency-replayed: true " + paid);
  EXPECT_EQ(get("/v1/requests/" + key7(1)),
            R"(200 {"key":")" + key7(1) + R"(","status":"done","code":"reserved","http_status":201,)" + at +
                R"(,"order":")" + key7(1) +
                R"(","expires_at":"2026-11-29T20:15:00.000Z","kept_until":"2026-12-01T20:00:00.000Z"})");
  EXPECT_EQ(get("/v1/requests/c1"), R"(200 {"key":"c1","status":"done","code":"confirmed","http_status":200,)"
                                    R"("at":"2026-11-29T20:01:00.000Z","order":")" +
                                        key7(1) + R"(","kept_until":"2026-12-01T20:01:00.000Z"})");

  const std::string sold = post("/v1/orders", "pay-none", order_of("u2", "cup", 1, R"(,"payment":"none")"));
  EXPECT_TRUE(sold.starts_with("201 location: /v1/orders/01a228e6-")) << sold;
  EXPECT_NE(sold.find(R"("state":"paid","user":"u2","lines":[{"sku":"cup","quantity":1}])"),
            std::string::npos);

  post("/v1/orders", key7(2), order_of("u3", "cup", 1));
  EXPECT_EQ(post("/v1/orders/" + key7(2) + "/cancel", "c2", ""),
            R"(200 {"code":"cancelled","order":")" + key7(2) +
                R"(","state":"cancelled","at":"2026-11-29T20:02:00.000Z"})");
}

TEST_F(ServiceTest, APaymentOfSomeLinesAndRefundsUntilNothingIsLeft) {
  make_stock();
  const std::string path = "/v1/orders/" + key7(1);
  const std::string order = R"("order":")" + key7(1) + "\"";
  post("/v1/orders", key7(1),
       R"({"user":"u1","lines":[{"sku":"tee","quantity":4},{"sku":"cup","quantity":3}]})");
  EXPECT_EQ(post(path + "/confirm", "c1", R"({"lines":[{"sku":"hat","quantity":1}]})"),
            "404 " + problem_of("unknown_sku", 404, std::string(final_never) + R"(,"sku":"hat")"));
  EXPECT_EQ(
      post(path + "/confirm", "c2", R"({"lines":[{"sku":"tee","quantity":5}]})"),
      "409 " +
          problem_of("insufficient", 409,
                     R"("final":true,"recorded":true,"retry":"new_key","sku":"tee","available":4,)" + order));
  EXPECT_EQ(post(path + "/confirm", "c3", R"({"lines":[{"sku":"tee","quantity":3}]})"),
            R"(200 {"code":"confirmed",)" + order +
                R"(,"state":"paid","lines":[{"sku":"tee","quantity":3}],)" + at + "}");
  const std::string refunded = R"({"code":"refunded",)" + order +
                               R"(,"state":"partly_refunded","lines":[{"sku":"tee","quantity":1}],)" +
                               R"("restock":false,)" + at + "}";
  const std::string one = R"({"lines":[{"sku":"tee","quantity":1}],"restock":false})";
  EXPECT_EQ(post(path + "/refund", "r1", one), "200 " + refunded);
  EXPECT_EQ(get(path),
            R"(200 {"id":")" + key7(1) +
                R"(","state":"partly_refunded","user":"u1","lines":[{"sku":"cup","quantity":3,"returned":3,)"
                R"("taken":[{"warehouse":"main","bucket":0,"quantity":3}]},{"sku":"tee","quantity":4,)"
                R"("returned":2,"taken":[{"warehouse":"main","bucket":1,"quantity":4}]}],)"
                R"("created_at":"2026-11-29T20:00:00.000Z","expires_at":"2026-11-29T20:15:00.000Z",)"
                R"("settled_at":"2026-11-29T20:00:00.000Z"})");
  EXPECT_EQ(post(path + "/refund", "r2", R"({"restock":true})"),
            R"(200 {"code":"refunded",)" + order + R"(,"state":"refunded","restock":true,)" + at + "}");
  // The first answer again, of its moment.
  world.clock().advance(Duration(60'000));
  EXPECT_EQ(post(path + "/refund", "r1", one), "200 idempotency-replayed: true " + refunded);
  EXPECT_EQ(get("/v1/requests/r1"),
            R"(200 {"key":"r1","status":"done","code":"refunded","http_status":200,)" + std::string(at) +
                "," + order + R"(,"state":"partly_refunded","kept_until":"2026-12-01T20:00:00.000Z"})");
  EXPECT_EQ(post(path + "/refund", "r3", R"({"restock":true})"),
            "409 " + problem_of("illegal_transition", 409,
                                std::string(recorded_never) + "," + order + R"(,"state":"refunded")"));
  EXPECT_EQ(post(path + "/refund", "r4", "{}"), malformed_of(400, "restock: is missing"));
  EXPECT_EQ(operate("GET", "/v1/stock?sku=tee", "", ""),
            R"(200 {"stock":[{"sku":"tee","warehouse":"main","lot":"","pool":"-","available":9,"reserved":0,)"
            R"("sold":0,"shipped":0,"shortage":0,"version":7,"generation":2}],"source":"judge","age_ms":0})");
  EXPECT_NE(operate("GET", "/v1/admin/verify", "", "").find(R"("clean":true)"), std::string::npos);
}

TEST_F(ServiceTest, AHoldLastsLongerUpToItsCap_E4) {
  make_stock();
  const std::string path = "/v1/orders/" + key7(1);
  const std::string order = R"("order":")" + key7(1) + "\"";
  const auto until = [](const std::string& time) {
    return R"("expires_at":"2026-11-29T20:)" + time + R"(.000Z")";
  };
  post("/v1/orders", key7(1), order_of("u1", "tee", 2, R"(,"hold_seconds":60)"));
  world.clock().advance(Duration(30'000));
  const std::string extended = R"({"code":"extended",)" + order + R"(,"state":"held",)" +
                               R"("at":"2026-11-29T20:00:30.000Z",)" + until("01:30") + "}";
  EXPECT_EQ(post(path + "/extend", "x1", ""), "200 " + extended);
  EXPECT_EQ(post(path + "/extend", "x2", R"({"seconds":3600})"),
            R"(200 {"code":"extended",)" + order + R"(,"state":"held",)" +
                R"("at":"2026-11-29T20:00:30.000Z",)" + until("03:00") + "}");
  const std::string capped =
      problem_of("hold_capped", 409, std::string(recorded_never) + "," + order + "," + until("03:00"));
  EXPECT_EQ(post(path + "/extend", "x3", R"({"seconds":3600})"), "409 " + capped);
  EXPECT_EQ(post(path + "/extend", "x3", R"({"seconds":3600})"), "409 idempotency-replayed: true " + capped);
  EXPECT_EQ(post(path + "/extend", "x1", "{}"), "200 idempotency-replayed: true " + extended);
  EXPECT_EQ(get("/v1/requests/x3"),
            R"(200 {"key":"x3","status":"done","code":"hold_capped","http_status":409,)"
            R"("at":"2026-11-29T20:00:30.000Z",)" +
                order + "," + until("03:00") + R"(,"kept_until":"2026-12-01T20:00:30.000Z"})");
  EXPECT_NE(get(path).find(until("03:00")), std::string::npos);
  EXPECT_EQ(post(path + "/extend", "x4", R"({"seconds":0})"),
            malformed_of(400, "seconds: must be 1 to 86400"));
  world.clock().advance(Duration(150'000));
  EXPECT_EQ(post(path + "/extend", "x5", ""),
            "409 " + problem_of("hold_expired", 409, std::string(recorded_never) + "," + order));
  EXPECT_NE(operate("GET", "/v1/admin/verify", "", "").find(R"("clean":true)"), std::string::npos);
}

TEST_F(ServiceTest, AnUnpaidOrderIsChangedAtOnceOrNotAtAll_E5) {
  make_stock();
  const std::string path = "/v1/orders/" + key7(1);
  const std::string order = R"("order":")" + key7(1) + "\"";
  const auto patch = [&](const std::string& key, const std::string& body) {
    return said(Asked{shop, "PATCH", path, key, body, ""});
  };
  post("/v1/orders", key7(1), order_of("u1", "tee", 2));
  const std::string lines = R"({"lines":[{"sku":"tee","quantity":1},{"sku":"cup","quantity":3}]})";
  const std::string changed =
      R"({"code":"changed",)" + order +
      R"(,"state":"held","lines":[{"sku":"cup","quantity":3},{"sku":"tee","quantity":1}],)" + at +
      R"(,"expires_at":"2026-11-29T20:15:00.000Z"})";
  EXPECT_EQ(patch("p1", lines), "200 " + changed);
  EXPECT_EQ(patch("p1", lines), "200 idempotency-replayed: true " + changed);
  EXPECT_EQ(
      patch("p2", R"({"lines":[{"sku":"tee","quantity":11}]})"),
      "409 " +
          problem_of("insufficient", 409,
                     R"("final":true,"recorded":true,"retry":"new_key","sku":"tee","available":9,)" + order));
  EXPECT_EQ(patch("p3", R"({"lines":[{"sku":"cup","quantity":4}]})"),
            "409 " + problem_of("sold_out", 409,
                                R"("final":true,"recorded":true,"retry":"new_key","sku":"cup",)" + order));
  EXPECT_EQ(patch("p4", R"({"lines":[{"sku":"hat","quantity":1}]})"),
            "404 " + problem_of("unknown_sku", 404, std::string(final_never) + R"(,"sku":"hat")"));
  EXPECT_EQ(patch("p5", "{}"), malformed_of(400, "lines: is missing"));
  EXPECT_EQ(said(Asked{shop, "PATCH", path, "", lines, ""}),
            "400 " + problem_of("key_missing", 400, R"("final":true,"recorded":false,"retry":"new_key")"));
  EXPECT_EQ(get(path),
            R"(200 {"id":")" + key7(1) +
                R"(","state":"held","user":"u1","lines":[{"sku":"cup","quantity":3,"taken":)"
                R"([{"warehouse":"main","bucket":0,"quantity":3}]},{"sku":"tee","quantity":1,"taken":)"
                R"([{"warehouse":"main","bucket":1,"quantity":1}]}],"created_at":"2026-11-29T20:00:00.000Z",)"
                R"("expires_at":"2026-11-29T20:15:00.000Z"})");
  post(path + "/confirm", "c1", "");
  EXPECT_EQ(patch("p6", lines),
            "409 " + problem_of("already_confirmed", 409, std::string(recorded_never) + "," + order));
  EXPECT_NE(operate("GET", "/v1/admin/verify", "", "").find(R"("clean":true)"), std::string::npos);
}

TEST_F(ServiceTest, WhatIsShortIsToldAndListed_B091_E7) {
  make_stock();
  post("/v1/orders", key7(1), order_of("u1", "tee", 2));
  post("/v1/orders", key7(2), order_of("u1", "cup", 3));
  const std::string counted =
      R"(200 {"code":"counted","sku":"cup","counted":1,"version":3,"shortage":2,)" + std::string(at) + "}";
  EXPECT_EQ(operate("POST", "/v1/stock/cup/count", "a1", R"({"counted":1,"version":2})"), counted);
  EXPECT_EQ(operate("POST", "/v1/stock/cup/count", "a1", R"({"counted":1,"version":2})"),
            "200 idempotency-replayed: true " + counted.substr(4));
  operate("POST", "/v1/stock/tee/adjust", "a2", R"({"difference":-9,"reason":"fire"})");
  const std::string tee =
      R"({"sku":"tee","warehouse":"main","lot":"","pool":"-","available":0,"reserved":2,"sold":0,"shipped":0,"shortage":1,)";
  const std::string cup =
      R"({"sku":"cup","warehouse":"main","lot":"","pool":"-","available":0,"reserved":3,"sold":0,"shipped":0,"shortage":2,)";
  const std::string all = operate("GET", "/v1/admin/shortages", "", "");
  EXPECT_NE(all.find(tee), std::string::npos) << all;
  EXPECT_NE(all.find(cup), std::string::npos) << all;
  EXPECT_TRUE(all.ends_with(R"(],"source":"judge","age_ms":0})")) << all;
  const std::string first = operate("GET", "/v1/admin/shortages?limit=1", "", "");
  const std::size_t next = first.find(R"("next":")");
  ASSERT_NE(next, std::string::npos) << first;
  const std::string cursor = first.substr(next + 8, first.find('"', next + 8) - next - 8);
  const std::string second = operate("GET", "/v1/admin/shortages?limit=1&cursor=" + cursor, "", "");
  EXPECT_NE(first.find(cup) == std::string::npos, second.find(cup) == std::string::npos) << first << second;
  EXPECT_EQ(second.find("next"), std::string::npos) << second;
  for (const char* wrong : {"0", "-1", "x", "1x", ""}) {
    EXPECT_EQ(operate("GET", std::string("/v1/admin/shortages?cursor=") + wrong, "", ""),
              malformed_of(400, "cursor: must be the `next` of an earlier page"));
  }
  EXPECT_EQ(operate("GET", "/v1/admin/shortages?limit=0", "", ""),
            malformed_of(400, "limit: must be 1 to 1000"));
  operate("POST", "/v1/stock/cup/receive", "a3", R"({"quantity":5})");
  EXPECT_EQ(operate("GET", "/v1/admin/shortages", "", "").find(R"("sku":"cup")"), std::string::npos);
  EXPECT_NE(operate("GET", "/v1/admin/verify", "", "").find(R"("clean":true)"), std::string::npos);
}

TEST_F(ServiceTest, OperatorsCorrectStock_B095_B097) {
  make_stock();
  EXPECT_EQ(operate("POST", "/v1/stock/tee/adjust", "a1", R"({"difference":-3,"reason":"water"})"),
            R"(200 {"code":"adjusted","sku":"tee","difference":-3,"reason":"water","version":3,)" +
                std::string(at) + "}");
  post("/v1/orders", key7(1), order_of("u1", "tee", 2));
  EXPECT_EQ(
      operate("POST", "/v1/stock/tee/adjust", "a2", R"({"difference":-8,"reason":"water"})"),
      "409 " + problem_of("insufficient", 409,
                          R"("final":true,"recorded":true,"retry":"new_key","sku":"tee","available":7)"));
  const std::string stale =
      problem_of("version_conflict", 409, R"("final":true,"recorded":true,"retry":"new_key","version":4)");
  EXPECT_EQ(operate("POST", "/v1/stock/tee/count", "a3", R"({"counted":10,"version":3})"), "409 " + stale);
  EXPECT_EQ(operate("POST", "/v1/stock/tee/count", "a3", R"({"counted":10,"version":3})"),
            "409 idempotency-replayed: true " + stale);
  EXPECT_EQ(operate("POST", "/v1/stock/tee/count", "a4", R"({"counted":10,"version":4})"),
            R"(200 {"code":"counted","sku":"tee","counted":10,"version":6,)" + std::string(at) + "}");
  EXPECT_EQ(operate("POST", "/v1/stock/tee/count", "a5", R"({"version":6})"),
            malformed_of(400, "counted: is missing"));
  EXPECT_EQ(operate("POST", "/v1/stock/tee/count", "a6", R"({"counted":null,"version":6})"),
            malformed_of(400, "counted: must be an integer, not null"));
  EXPECT_EQ(operate("GET", "/v1/stock?sku=tee", "", ""),
            R"(200 {"stock":[{"sku":"tee","warehouse":"main","lot":"","pool":"-","available":8,"reserved":2,)"
            R"("sold":0,"shipped":0,"shortage":0,"version":6,"generation":2}],"source":"judge","age_ms":0})");
  EXPECT_NE(operate("GET", "/v1/admin/verify", "", "").find(R"("clean":true)"), std::string::npos);
}

// What a sale's refusal says leads on, and a retry is told the same.
TEST_F(ServiceTest, ARefusedSaleIsToldTheNextStep_B12) {
  make_stock();
  const std::string path = "/v1/activities/gated";
  const auto sale = [](const std::string& id, int allotment) {
    return R"({"id":")" + id + R"(","name":"N","mode":"gated","lines":[{"sku":"tee","allotment":)" +
           std::to_string(allotment) + "}]}";
  };
  operate("POST", "/v1/activities", "g1", sale("gated", 1));
  const auto says = [](const std::string& answer, const std::string& text) {
    EXPECT_NE(answer.find(text), std::string::npos) << answer;
  };
  for (int i = 0; i < 2; ++i) {
    says(operate("POST", path + "/open", "g2", ""),
         R"("detail":"This sale is gated: warm it, check it, then)");
    says(operate("POST", "/v1/activities", "g3", sale("gated", 2)),
         R"("detail":"An activity with this id already exists; it is draft.")");
  }
  operate("POST", path + "/warm", "g4", "");
  operate("POST", path + "/check", "g5", "");
  EXPECT_EQ(
      operate("PUT", path, "g6", R"({"mode":"gated"})"),
      R"(200 {"code":"changed","activity":"gated","state":"draft","mode":"gated",)" + std::string(at) + "}");
  // A key that is the id of the sale, too; without a key it is the key that is missing.
  const std::string unnamed = R"({"name":"N","lines":[{"sku":"tee","allotment":1}]})";
  EXPECT_EQ(operate("POST", "/v1/activities", "-", unnamed),
            malformed_of(400, "id: `-` is reserved for the free stock"));
  says(operate("POST", "/v1/activities", "", unnamed), R"("code":"key_missing")");
}

TEST_F(ServiceTest, WhoHasNoKeyIsToldHowToSendIt) {
  const std::string answer =
      said(Asked{Audience::operators, "GET", "/v1/activities", "", "", "Authorization: Basic b\r\n"});
  EXPECT_TRUE(answer.starts_with("401 ")) << answer;
  EXPECT_NE(answer.find("Authorization: Bearer"), std::string::npos) << answer;
  EXPECT_NE(answer.find("admin.key_file"), std::string::npos) << answer;
}

TEST_F(ServiceTest, StockOfNoSkuIsMalformed) {
  make_stock();
  for (const std::string path :
       {"/v1/stock?sku=", "/v1/stock?sku=tee&sku=", "/v1/stock?sku", "/v1/admin/gate?sku="}) {
    EXPECT_EQ(operate("GET", path, "", ""), malformed_of(400, "sku: is empty")) << path;
  }
}

TEST_F(ServiceTest, ActivitiesAreListedInPages) {
  make_stock();
  for (const char* id : {"b", "a", "c"}) {
    operate("POST", "/v1/activities", id, R"({"name":"N","lines":[{"sku":"tee","allotment":1}]})");
  }
  const auto sale = [](const std::string& id) {
    return R"({"id":")" + id +
           R"(","name":"N","state":"draft","lines":[{"sku":"tee","warehouse":"main","allotment":1}],)"
           R"("mode":"service"})";
  };
  const auto page = [&](const std::string& query) {
    return operate("GET", "/v1/activities" + query, "", "");
  };
  const std::string all = sale("a") + "," + sale("b") + "," + sale("c");
  EXPECT_EQ(page(""), R"(200 {"activities":[)" + all + "]}");
  EXPECT_EQ(page("?limit=3"), R"(200 {"activities":[)" + all + "]}");
  EXPECT_EQ(page("?limit=2"), R"(200 {"activities":[)" + sale("a") + "," + sale("b") + R"(],"next":"b"})");
  EXPECT_EQ(page("?limit=2&cursor=b"), R"(200 {"activities":[)" + sale("c") + "]}");
  EXPECT_EQ(page("?cursor=c"), R"(200 {"activities":[]})");
  for (const char* limit : {"0", "1001", "-1", "1e2", "01", "", "18446744073709551617"}) {
    EXPECT_EQ(page(std::string("?limit=") + limit), malformed_of(400, "limit: must be 1 to 1000"));
  }
  EXPECT_EQ(page("?cursor="), malformed_of(400, "cursor: must be the `next` of an earlier page"));
  EXPECT_EQ(page("?cursor=a%00b"), malformed_of(400, "cursor: must be the `next` of an earlier page"));
  EXPECT_EQ(page("?limit=2&limit=2"), malformed_of(400, "limit: is given twice"));
  EXPECT_EQ(page("?page=2"), malformed_of(400, "query: the parameters of this request are limit, cursor"));
}

TEST_F(ServiceTest, ATraceTellsTheWholeChain_B17) {
  make_stock();
  post("/v1/orders", key7(1), order_of("u1", "cup", 2));
  world.clock().advance(Duration(60'000));
  post("/v1/orders/" + key7(1) + "/confirm", "c1", "");
  post("/v1/orders/" + key7(1) + "/cancel", "c2", "");
  const auto trace = [&](const std::string& query) { return operate("GET", "/v1/trace" + query, "", ""); };
  const std::string made =
      R"({"key":")" + key7(1) + R"(","status":"done","code":"reserved","http_status":201,)" + at +
      R"(,"order":")" + key7(1) + R"(","expires_at":"2026-11-29T20:15:00.000Z","caller":"shop"})";
  const std::string paid =
      R"({"key":"c1","status":"done","code":"confirmed","http_status":200,"at":"2026-11-29T20:01:00.000Z",)"
      R"("order":")" +
      key7(1) + R"(","caller":"shop"})";
  const std::string refused = R"({"key":"c2","status":"done","code":"already_confirmed","http_status":409,)"
                              R"("at":"2026-11-29T20:01:00.000Z","order":")" +
                              key7(1) + R"(","caller":"shop"})";
  const std::string order = R"("order":)" + get("/v1/orders/" + key7(1)).substr(4);
  const std::string flows =
      R"("flows":[{)" + std::string(at) +
      R"(,"action":"reserve","sku":"cup","warehouse":"main","bucket":0,"quantity":2,"seq":2,"before":3,"after":1,)"
      R"("caller":"shop","key":")" +
      key7(1) +
      R"(","source":"order","lane":1,"batch":5},{"at":"2026-11-29T20:01:00.000Z","action":"confirm","sku":"cup",)"
      R"("warehouse":"main","bucket":0,"quantity":2,"seq":3,"before":1,"after":1,"caller":"shop","key":"c1",)"
      R"("source":"order","lane":1,"batch":6}])";
  const std::string whole = R"(200 {"requests":[)" + made + "," + paid + "]," + order + "," + flows + "}";
  EXPECT_EQ(trace("?order=" + key7(1)), whole);
  EXPECT_EQ(trace("?request=c1"), whole);
  EXPECT_EQ(trace("?request=c1&caller=shop"), whole);
  // A refusal moved nothing, so only who asks for it is told of it.
  EXPECT_EQ(trace("?request=c2"),
            R"(200 {"requests":[)" + made + "," + paid + "," + refused + "]," + order + "," + flows + "}");
  EXPECT_EQ(trace("?request=s3&caller=operator"),
            R"(200 {"requests":[{"key":"s3","status":"done","code":"received","http_status":200,)" +
                std::string(at) + R"(,"caller":"operator"}],"flows":[]})");

  EXPECT_EQ(trace("?order=" + key7(9)), "404 " + problem_of("unknown_order", 404, final_never));
  EXPECT_EQ(trace("?order=17"), "404 " + problem_of("unknown_order", 404, final_never));
  EXPECT_EQ(trace("?request=c9"), "404 " + problem_of("unknown_request", 404, final_never));
  EXPECT_EQ(trace("?request=s3"), "404 " + problem_of("unknown_request", 404, final_never));
  const std::string which = malformed_of(
      400,
      "give one of order, request (with an optional caller) or user (with an optional limit and cursor)");
  EXPECT_EQ(trace(""), which);
  EXPECT_EQ(trace("?order=" + key7(1) + "&request=c1"), which);
  EXPECT_EQ(trace("?order=" + key7(1) + "&caller=shop"), which);
  EXPECT_EQ(trace("?user=u1&caller=shop"), which);
  EXPECT_EQ(trace("?user=u1&request=c1"), which);
  EXPECT_EQ(trace("?order=" + key7(1) + "&limit=1"), which);
  EXPECT_EQ(get("/v1/trace?order=" + key7(1)), malformed_of(404, "there is no such path"));

  const std::string one = whole.substr(4);
  EXPECT_EQ(trace("?user=u1"), R"(200 {"traces":[)" + one + R"(],"lag_batches":0,"lag_ms":0})");
  EXPECT_EQ(trace("?user=u2"), R"(200 {"traces":[],"lag_batches":0,"lag_ms":0})");
  post("/v1/orders", key7(2), order_of("u1", "cup", 1));
  EXPECT_EQ(trace("?user=u1&limit=1&cursor=" + next_of(trace("?user=u1&limit=1"))),
            R"(200 {"traces":[)" + one + R"(],"lag_batches":0,"lag_ms":0})");
  EXPECT_EQ(trace("?user=u1&limit=101"), malformed_of(400, "limit: must be 1 to 100"));
}

// Up to what is on hand: available and reserved, less what is short. The answer says how much that is.
TEST_F(ServiceTest, AnAdjustmentTakesAtMostWhatIsOnHand_G011) {
  make_stock();
  post("/v1/orders", key7(1), order_of("u1", "cup", 2));
  const auto adjusted = [&](int difference, const std::string& key) {
    return operate("POST", "/v1/stock/cup/adjust", key,
                   R"({"difference":)" + std::to_string(difference) + R"(,"reason":"lost"})");
  };
  const auto refused = [](int on_hand) {
    return "409 " + problem_of("insufficient", 409,
                               R"("final":true,"recorded":true,"retry":"new_key","sku":"cup","available":)" +
                                   std::to_string(on_hand));
  };
  EXPECT_EQ(adjusted(-4, "a1"), refused(3)) << "1 available and 2 reserved";
  EXPECT_TRUE(adjusted(-2, "a2").contains(R"("shortage":1)"));
  EXPECT_EQ(adjusted(-2, "a3"), refused(1)) << "2 reserved, of which 1 is short";
  EXPECT_TRUE(adjusted(-1, "a4").contains(R"("shortage":2)"));
  EXPECT_EQ(adjusted(-1, "a5"), refused(0));
}

TEST_F(ServiceTest, OrdersOfAUserAreListedInPages_B17) {
  make_stock();
  for (const int n : {1, 2, 3}) post("/v1/orders", key7(n), order_of("u1", "tee", 1));
  post("/v1/orders", key7(4), order_of("u2", "tee", 1));
  post("/v1/orders", key7(5), order_of("u1", "tee", 500));
  post("/v1/orders/" + key7(2) + "/confirm", "c1", "");
  const auto order = [&](int n) { return get("/v1/orders/" + key7(n)).substr(4); };
  const auto list = [&](const std::string& query) { return get("/v1/orders" + query); };
  const std::string end = R"(],"lag_batches":0,"lag_ms":0})";
  EXPECT_EQ(list("?user=u1"), R"(200 {"orders":[)" + order(3) + "," + order(2) + "," + order(1) + end);
  const std::string next = next_of(list("?user=u1&limit=2"));
  EXPECT_EQ(list("?user=u1&limit=2"), R"(200 {"orders":[)" + order(3) + "," + order(2) + R"(],"next":")" +
                                          next + R"(","lag_batches":0,"lag_ms":0})");
  EXPECT_EQ(list("?user=u1&limit=2&cursor=" + next), R"(200 {"orders":[)" + order(1) + end);
  EXPECT_EQ(list("?user=u1&cursor=" + key7(2)),
            malformed_of(400, "cursor: must be the `next` of an earlier page"));
  EXPECT_EQ(list("?user=u1&state=paid"), R"(200 {"orders":[)" + order(2) + end);
  EXPECT_EQ(operate("GET", "/v1/orders?user=u2", "", ""), R"(200 {"orders":[)" + order(4) + end);
  EXPECT_EQ(list("?user=u9"), R"(200 {"orders":[)" + end);
  EXPECT_EQ(list(""), malformed_of(400, "user: is missing"));
  EXPECT_EQ(list("?user=a%00b"),
            malformed_of(400, "user: must be 1 to 128 bytes of UTF-8 without control characters"));
  EXPECT_EQ(list("?user=u1&state=lost"),
            malformed_of(400, "state: must be a state of an order, such as held or paid"));
  EXPECT_EQ(
      list("?user=u1&state=refused"),
      malformed_of(400, "state: refused orders hold no units and are not listed; read the request instead"));
  EXPECT_EQ(list("?user=u1&limit=1001"), malformed_of(400, "limit: must be 1 to 1000"));
  EXPECT_EQ(list("?user=u1&cursor=17"), malformed_of(400, "cursor: must be the `next` of an earlier page"));
  EXPECT_EQ(list("?user=u1&user=u2"), malformed_of(400, "user: is given twice"));
  EXPECT_EQ(list("?user=u1&page=2"),
            malformed_of(400, "query: the parameters of this request are user, state, limit, cursor"));
}

}  // namespace
}  // namespace gavel::http
