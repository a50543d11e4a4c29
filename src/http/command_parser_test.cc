#include "http/command_parser.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "http/routes.h"

namespace gavel::http {
namespace {

const Shape& shape_of(Endpoint endpoint) {
  for (const Route& route : all_routes()) {
    if (route.endpoint == endpoint) return *route.policy.shape;
  }
  return empty_shape;
}

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// The content that is asked of the judge, or the refusal.
std::string asked(Endpoint endpoint, const std::vector<std::string>& parameters, const std::string& body) {
  const auto json = read_json(body, shape_of(endpoint));
  if (!json) return json.error();
  const auto act = act_of(endpoint, parameters, *json, rules::RequestKey("key-1"));
  return act ? rules::fingerprint_of(*act) : rules::to_text(act.error());
}

// table: one row for each way that a body or a path can be read.
TEST(Acts, SayWhatWasAsked) {
  struct Row {
    Endpoint endpoint;
    std::vector<std::string> parameters;
    std::string body, content;
  };
  using enum Endpoint;
  const std::string order = "019383a1-7c00-7abc-8def-0123456789ab";
  const std::array rows{
      Row{reserve,
          {},
          R"({"user":"u1","lines":[{"sku":"tee","quantity":2},{"sku":"cup","quantity":1}]})",
          "act=reserve;user=u1;lines=cup*1,tee*2"},
      // One SKU twice in one order is one line (B015, B017).
      Row{reserve,
          {},
          R"({"user":"u1","lines":[{"sku":"tee","quantity":2},{"sku":"tee","quantity":3}]})",
          "act=reserve;user=u1;lines=tee*5"},
      Row{reserve,
          {},
          R"({"user":"u1","activity":"s1","hold_seconds":60,"payment":"none","lines":[{"sku":"tee","quantity":1,"warehouse":"main"}]})",
          "act=reserve;user=u1;lines=tee*1;activity=s1;hold_seconds=60;payment=none"},
      Row{reserve,
          {},
          R"({"user":"u\u0001","lines":[{"sku":"tee","quantity":2}]})",
          "malformed explanation='user: must not contain control characters'"},
      Row{reserve,
          {},
          R"({"user":"u1","lines":[{"sku":"tee","quantity":2},{"sku":"t\u007fe","quantity":2}]})",
          "malformed explanation='lines[1].sku: must not contain control characters'"},
      Row{reserve,
          {},
          R"({"user":"u1","lines":[{"sku":"tee","quantity":2,"warehouse":"north"}]})",
          "malformed explanation='lines[0].warehouse: must be \"main\" or left out'"},
      Row{reserve,
          {},
          R"({"user":"u1","payment":"card","lines":[{"sku":"tee","quantity":2}]})",
          "malformed explanation='payment: must be \"none\" or left out'"},
      Row{reserve,
          {},
          R"({"user":"u1","activity":"s\u0085","lines":[{"sku":"tee","quantity":2}]})",
          "malformed explanation='activity: must not contain control characters'"},
      Row{confirm, {order}, "{}", "act=confirm;order=" + order},
      Row{confirm, {"019383A1-7C00-7ABC-8DEF-0123456789AB"}, "{}", "act=confirm;order=" + order},
      Row{confirm, {"17"}, "{}", "unknown_order"},
      Row{confirm,
          {order},
          R"({"lines":[{"sku":"tee","quantity":2},{"sku":"cup","quantity":1}]})",
          "act=confirm;order=" + order + ";lines=cup*1,tee*2"},
      Row{confirm, {order}, R"({"lines":[]})", "lines: must not be empty"},
      Row{confirm,
          {"17"},
          R"({"lines":[{"sku":"t\ne","quantity":2}]})",
          "malformed explanation='lines[0].sku: must not contain control characters'"},
      Row{cancel, {order}, "{}", "act=cancel;order=" + order},
      Row{extend, {order}, "{}", "act=extend;order=" + order},
      Row{extend, {order}, R"({"seconds":90})", "act=extend;order=" + order + ";seconds=90"},
      Row{extend, {order}, R"({"seconds":0})", "seconds: must be 1 to 86400"},
      Row{extend, {order}, R"({"seconds":86401})", "seconds: must be 1 to 86400"},
      Row{extend, {order}, R"({"until":"2026-11-29T20:48:46Z"})", "until: is not a field of this request"},
      Row{extend, {"17"}, R"({"seconds":90})", "unknown_order"},
      Row{change,
          {order},
          R"({"lines":[{"sku":"tee","quantity":2},{"sku":"cup","quantity":1}]})",
          "act=change;order=" + order + ";lines=cup*1,tee*2"},
      Row{change, {order}, "{}", "lines: is missing"},
      Row{change, {order}, R"({"lines":[]})", "lines: must not be empty"},
      Row{change,
          {order},
          R"({"lines":[{"sku":"tee","quantity":0}]})",
          "lines[0].quantity: must be 1 to 1000000"},
      Row{change,
          {"17"},
          R"({"lines":[{"sku":"t\ne","quantity":2}]})",
          "malformed explanation='lines[0].sku: must not contain control characters'"},
      Row{change, {"17"}, R"({"lines":[{"sku":"tee","quantity":2}]})", "unknown_order"},
      Row{refund, {order}, R"({"restock":true})", "act=refund;order=" + order + ";restock=true"},
      Row{refund,
          {order},
          R"({"lines":[{"sku":"tee","quantity":2}],"restock":false})",
          "act=refund;order=" + order + ";lines=tee*2;restock=false"},
      Row{refund,
          {order},
          R"({"restock":true,"from":"shelf"})",
          "act=refund;order=" + order + ";restock=true;from=shelf"},
      Row{refund,
          {order},
          R"({"restock":true,"from":"home"})",
          "malformed explanation='from: must be shelf or buyer'"},
      Row{ship, {order}, "{}", "act=ship;order=" + order},
      Row{ship,
          {order},
          R"({"lines":[{"sku":"tee","quantity":2}]})",
          "act=ship;order=" + order + ";lines=tee*2"},
      Row{ship,
          {order},
          R"({"lines":[{"sku":"tee","quantity":0}]})",
          "lines[0].quantity: must be 1 to 1000000"},
      Row{ship, {"17"}, "{}", "unknown_order"},
      Row{refund, {order}, "{}", "restock: is missing"},
      Row{refund, {order}, R"({"restock":"yes"})", "restock: must be true or false"},
      Row{refund, {order}, R"({"lines":[{"sku":"tee"}],"restock":false})", "lines[0].quantity: is missing"},
      Row{refund, {"17"}, R"({"restock":true})", "unknown_order"},
      Row{cancel, {"a/b"}, "{}", "unknown_order"},
      Row{cancel, {order}, R"({"why":"x"})", "why: is not a field of this request"},
      Row{put_sku, {"tee"}, "{}", "act=put_sku;sku=tee"},
      Row{put_sku, {"tee"}, R"({"buckets":2,"mode":"gated"})", "act=put_sku;sku=tee;buckets=2;mode=gated"},
      Row{put_sku,
          {"tee"},
          R"({"mode":"queued"})",
          "malformed explanation='mode: must be \"service\", \"direct\" or \"gated\"'"},
      Row{change_activity, {"s1"}, R"({"mode":"service"})", "act=change_activity;activity=s1;mode=service"},
      Row{change_activity, {"s1"}, R"({"buckets":4})", "act=change_activity;activity=s1;buckets=4"},
      Row{change_activity, {"s1"}, "{}", "malformed explanation='body: mode or buckets is required'"},
      Row{change_activity, {"s1"}, R"({"mode":""})", "mode: must have 1 to 64 characters"},
      Row{change_activity, {"s\n1"}, R"({"mode":"gated"})", "unknown_activity"},
      Row{warm_activity, {"s1"}, "{}", "act=warm_activity;activity=s1"},
      Row{check_activity, {"s1"}, "{}", "act=check_activity;activity=s1"},
      Row{check_activity, {"s\n1"}, "{}", "unknown_activity"},
      Row{put_sku, {"tee"}, R"({"buckets":64})", "act=put_sku;sku=tee;buckets=64"},
      Row{put_sku, {"tee"}, R"({"buckets":65})", "buckets: must be 1 to 64"},
      Row{put_sku,
          {"a\nb"},
          "{}",
          "malformed explanation='sku: must be 1 to 128 bytes of UTF-8 without control characters'"},
      Row{put_sku,
          {"\xff"},
          "{}",
          "malformed explanation='sku: must be 1 to 128 bytes of UTF-8 without control characters'"},
      Row{put_sku, {"a/b é"}, "{}", "act=put_sku;sku=a%2Fb %C3%A9"},
      // Names are counted in bytes, and what is for people in characters.
      Row{put_sku,
          {std::string(125, 'x') + "汉"},
          "{}",
          "act=put_sku;sku=" + std::string(125, 'x') + "%E6%B1%89"},
      Row{put_sku,
          {std::string(126, 'x') + "汉"},
          "{}",
          "malformed explanation='sku: must be 1 to 128 bytes of UTF-8 without control characters'"},
      Row{reserve,
          {},
          R"({"user":")" + times(126, "x") + R"(汉","lines":[{"sku":"tee","quantity":2}]})",
          "user: must have 1 to 128 bytes"},
      Row{reserve,
          {},
          R"({"user":"ann+1@x.example;lines=tee*9","lines":[{"sku":"24\" / 61 cm","quantity":2}]})",
          "act=reserve;user=ann+1@x.example%3Blines%3Dtee%2A9;lines=24\" %2F 61 cm*2"},
      Row{adjust,
          {"tee"},
          R"({"difference":1,"reason":")" + times(200, "汉") + "\"}",
          "act=adjust;sku=tee;difference=1;reason=" + times(200, "汉")},
      Row{adjust,
          {"tee"},
          R"({"difference":1,"reason":")" + times(201, "汉") + "\"}",
          "reason: must have 1 to 200 characters"},
      Row{adjust,
          {"tee"},
          R"({"difference":1,"reason":"a\u0085"})",
          "malformed explanation='reason: must not contain control characters'"},
      Row{create_activity,
          {},
          R"({"id":"s1","name":")" + times(200, "😀") + R"(","lines":[{"sku":"tee","allotment":5}]})",
          "act=create_activity;activity=s1;name=" + times(200, "😀") + ";lines=tee*5"},
      Row{create_activity,
          {},
          R"({"id":"s1","name":")" + times(201, "a") + R"(","lines":[{"sku":"tee","allotment":5}]})",
          "name: must have 1 to 200 characters"},
      Row{receive, {"tee"}, R"({"quantity":1000000})", "act=receive;sku=tee;quantity=1000000"},
      Row{receive, {"tee"}, R"({"quantity":1000001})", "quantity: must be 1 to 1000000"},
      Row{adjust,
          {"tee"},
          R"({"difference":-3,"reason":"water; damage"})",
          "act=adjust;sku=tee;difference=-3;reason=water\\s damage"},
      Row{adjust, {"tee"}, R"({"difference":3})", "reason: is missing"},
      Row{adjust, {"tee"}, R"({"reason":"x"})", "difference: is missing"},
      Row{adjust,
          {"tee"},
          R"({"difference":1000001,"reason":"x"})",
          "difference: must be -1000000 to 1000000"},
      Row{adjust,
          {"t\ne"},
          R"({"difference":1,"reason":"a\u0000"})",
          "malformed explanation='reason: must not contain control characters'"},
      Row{adjust, {"t\ne"}, R"({"difference":1,"reason":"x"})", "unknown_sku"},
      Row{count, {"tee"}, R"({"counted":0,"version":12})", "act=count;sku=tee;counted=0;version=12"},
      Row{count, {"tee"}, R"({"version":12})", "counted: is missing"},
      Row{count, {"tee"}, R"({"counted":7})", "version: is missing"},
      Row{count, {"tee"}, R"({"counted":-1,"version":12})", "counted: must be 0 to 1000000000000"},
      Row{receive, {"t\ne"}, R"({"quantity":1})", "unknown_sku"},
      Row{create_activity,
          {},
          R"({"name":"Flash; sale","lines":[{"sku":"tee","allotment":5}]})",
          "act=create_activity;activity=key-1;name=Flash\\s sale;lines=tee*5"},
      Row{create_activity,
          {},
          R"({"id":"s1","name":"F","lines":[{"sku":"tee","allotment":5,"buckets":4,"warehouse":"main"}],"limit_per_user":2,"opens_at":"2026-11-29T20:00:00+08:00","closes_at":"2026-11-29T21:00:00Z","hold_seconds":60,"mode":"direct"})",
          "act=create_activity;activity=s1;name=F;lines=tee*5/"
          "4;limit_per_user=2;opens_at=2026-11-29T12:00:00.000Z;"
          "closes_at=2026-11-29T21:00:00.000Z;hold_seconds=60;mode=direct"},
      Row{create_activity,
          {},
          R"({"name":"F","lines":[{"sku":"tee","allotment":5}],"opens_at":"tomorrow"})",
          "malformed explanation='opens_at: must be an RFC 3339 time such as 2026-11-29T20:48:46Z'"},
      Row{create_activity,
          {},
          R"({"name":"F","lines":[{"sku":"tee","allotment":5}],"mode":"fast"})",
          "malformed explanation='mode: must be \"service\", \"direct\" or \"gated\"'"},
      Row{create_activity,
          {},
          R"({"name":"a\u0000b","lines":[{"sku":"tee","allotment":5}]})",
          "malformed explanation='name: must not contain control characters'"},
      Row{create_activity,
          {},
          R"({"name":"F","lines":[{"sku":"tee","allotment":1000000000001}]})",
          "lines[0].allotment: must be 1 to 1000000000000"},
      // `-` is the word for the free stock; what is called `.` or `..` is lost in paths.
      Row{create_activity,
          {},
          R"({"id":"-","name":"F","lines":[{"sku":"tee","allotment":5}]})",
          "malformed explanation='id: `-` is reserved for the free stock'"},
      Row{create_activity,
          {},
          R"({"id":".","name":"F","lines":[{"sku":"tee","allotment":5}]})",
          "malformed explanation='id: `.` and `..` cannot be used in a path'"},
      Row{create_activity,
          {},
          R"({"id":"..","name":"F","lines":[{"sku":"tee","allotment":5}]})",
          "malformed explanation='id: `.` and `..` cannot be used in a path'"},
      Row{create_activity,
          {},
          R"({"id":"...","name":"F","lines":[{"sku":"tee","allotment":5}]})",
          "act=create_activity;activity=...;name=F;lines=tee*5"},
      Row{put_sku, {"."}, "{}", "malformed explanation='sku: `.` and `..` cannot be used in a path'"},
      Row{put_sku, {".."}, "{}", "malformed explanation='sku: `.` and `..` cannot be used in a path'"},
      Row{put_sku, {"-"}, "{}", "act=put_sku;sku=-"},
      Row{open_activity, {"s1"}, "{}", "act=open_activity;activity=s1"},
      Row{open_activity, {"s\n1"}, "{}", "unknown_activity"},
      Row{close_activity, {"s1"}, "{}", "act=close_activity;activity=s1"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(asked(row.endpoint, row.parameters, row.body), row.content) << row.body;
}

// Without an id of its own an activity is called by the request key, and a key may be longer than an id.
TEST(Acts, AKeyThatIsTooLongIsNoId_E27) {
  const auto json = read_json(R"({"name":"F","lines":[{"sku":"tee","allotment":5}]})", create_activity_shape);
  for (const auto& [chars, is_taken] : {std::pair(128, true), std::pair(129, false), std::pair(255, false)}) {
    const auto act = act_of(Endpoint::create_activity, {}, *json, rules::RequestKey(times(chars, "k")));
    ASSERT_EQ(act.has_value(), is_taken) << chars;
    if (act) continue;
    EXPECT_EQ(rules::to_text(act.error()),
              "malformed explanation='id: is missing, and the Idempotency-Key is too long to be the id'");
  }
}

}  // namespace
}  // namespace gavel::http
