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
          R"({"user":"u 1","lines":[{"sku":"tee","quantity":2}]})",
          "malformed explanation='user: must consist of letters, digits and _ . : -'"},
      Row{reserve,
          {},
          R"({"user":"u1","lines":[{"sku":"tee","quantity":2},{"sku":"t/e","quantity":2}]})",
          "malformed explanation='lines[1].sku: must consist of letters, digits and _ . : -'"},
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
          R"({"user":"u1","activity":"s;1","lines":[{"sku":"tee","quantity":2}]})",
          "malformed explanation='activity: must consist of letters, digits and _ . : -'"},
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
          R"({"lines":[{"sku":"t e","quantity":2}]})",
          "malformed explanation='lines[0].sku: must consist of letters, digits and _ . : -'"},
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
          R"({"lines":[{"sku":"t e","quantity":2}]})",
          "malformed explanation='lines[0].sku: must consist of letters, digits and _ . : -'"},
      Row{change, {"17"}, R"({"lines":[{"sku":"tee","quantity":2}]})", "unknown_order"},
      Row{refund, {order}, R"({"restock":true})", "act=refund;order=" + order + ";restock=true"},
      Row{refund,
          {order},
          R"({"lines":[{"sku":"tee","quantity":2}],"restock":false})",
          "act=refund;order=" + order + ";lines=tee*2;restock=false"},
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
      Row{change_activity, {"s 1"}, R"({"mode":"gated"})", "unknown_activity"},
      Row{warm_activity, {"s1"}, "{}", "act=warm_activity;activity=s1"},
      Row{check_activity, {"s1"}, "{}", "act=check_activity;activity=s1"},
      Row{check_activity, {"s 1"}, "{}", "unknown_activity"},
      Row{put_sku, {"tee"}, R"({"buckets":64})", "act=put_sku;sku=tee;buckets=64"},
      Row{put_sku, {"tee"}, R"({"buckets":65})", "buckets: must be 1 to 64"},
      Row{put_sku,
          {"a b"},
          "{}",
          "malformed explanation='sku: must be 1 to 64 characters: letters, digits and _ . : -'"},
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
          {"t e"},
          R"({"difference":1,"reason":"a\u0000"})",
          "malformed explanation='reason: must not contain control characters'"},
      Row{adjust, {"t e"}, R"({"difference":1,"reason":"x"})", "unknown_sku"},
      Row{count, {"tee"}, R"({"counted":0,"version":12})", "act=count;sku=tee;counted=0;version=12"},
      Row{count, {"tee"}, R"({"version":12})", "counted: is missing"},
      Row{count, {"tee"}, R"({"counted":7})", "version: is missing"},
      Row{count, {"tee"}, R"({"counted":-1,"version":12})", "counted: must be 0 to 1000000000000"},
      Row{receive, {"t e"}, R"({"quantity":1})", "unknown_sku"},
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
      Row{open_activity, {"s 1"}, "{}", "unknown_activity"},
      Row{close_activity, {"s1"}, "{}", "act=close_activity;activity=s1"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(asked(row.endpoint, row.parameters, row.body), row.content) << row.body;
}

}  // namespace
}  // namespace gavel::http
