#include "http/render.h"

#include <string>

#include <gtest/gtest.h>

#include "base/uuid.h"

namespace gavel::http {
namespace {

using rules::ActivityCode;
using rules::Command;
using rules::OrderId;
using rules::Outcome;
using rules::Quantity;
using rules::Record;
using rules::SkuCode;
using rules::UserId;
using rules::Verdict;

const OrderId bought{*parse_uuid("019383a1-7c00-7abc-8def-0123456789ab")};

Time at(std::string_view text) { return *parse_time(text); }

std::string rendered(const Response& response) {
  std::string text = std::to_string(response.status);
  for (const auto& [name, value] : response.headers) text += " " + name + ": " + value;
  return text + "\n" + response.body;
}

std::string answer(const rules::Act& act, Outcome outcome, Record record = Record::fresh) {
  Verdict verdict;
  verdict.outcome = outcome;
  verdict.record = record;
  verdict.at = at("2026-11-29T20:48:46.123Z");
  const bool of_order = outcome == Outcome::reserved || outcome == Outcome::sold ||
                        outcome == Outcome::confirmed || outcome == Outcome::cancelled ||
                        outcome == Outcome::refunded || outcome == Outcome::extended ||
                        outcome == Outcome::shipped || std::holds_alternative<rules::ChangeOrder>(act);
  if (of_order) verdict.order = bought;
  if (outcome == Outcome::adjusted || outcome == Outcome::counted) verdict.detail.version = 12;
  if (outcome == Outcome::refunded) verdict.detail.state = "partly_refunded";
  if (outcome == Outcome::shipped) verdict.detail.state = "shipped";
  if (std::holds_alternative<rules::ChangeActivity>(act)) verdict.detail.state = "draft";
  const bool holds = outcome == Outcome::reserved || outcome == Outcome::extended ||
                     std::holds_alternative<rules::ChangeOrder>(act);
  if (holds) verdict.detail.expires_at = at("2026-11-29T21:03:46.123Z");
  const Command command{rules::Caller("shop"), rules::RequestKey("k1"), bought, act};
  return rendered(success(command, verdict));
}

rules::Reserve order_of(rules::Lines lines) {
  return rules::Reserve{UserId("u1"), std::move(lines), std::nullopt, std::nullopt, rules::Payment::later};
}

TEST(Render, AnswersEachWriteWithWhatWasAskedAndWhatBecameOfIt) {
  rules::Reserve reserve = order_of({{SkuCode("tee"), Quantity{2}}, {SkuCode("cup"), Quantity{1}}});
  const std::string body =
      R"({"code":"reserved","order":"019383a1-7c00-7abc-8def-0123456789ab","state":"held","user":"u1",)"
      R"("lines":[{"sku":"cup","quantity":1},{"sku":"tee","quantity":2}],"at":"2026-11-29T20:48:46.123Z",)"
      R"("expires_at":"2026-11-29T21:03:46.123Z"})";
  EXPECT_EQ(answer(reserve, Outcome::reserved),
            "201 Location: /v1/orders/019383a1-7c00-7abc-8def-0123456789ab\n" + body);
  EXPECT_EQ(
      answer(reserve, Outcome::reserved, Record::replayed),
      "201 Location: /v1/orders/019383a1-7c00-7abc-8def-0123456789ab Idempotency-Replayed: true\n" + body);

  reserve.activity = ActivityCode("s1");
  reserve.payment = rules::Payment::none;
  EXPECT_EQ(answer(reserve, Outcome::sold),
            "201 Location: /v1/orders/019383a1-7c00-7abc-8def-0123456789ab\n"
            R"({"code":"sold","order":"019383a1-7c00-7abc-8def-0123456789ab","state":"paid","user":"u1",)"
            R"("activity":"s1","lines":[{"sku":"cup","quantity":1},{"sku":"tee","quantity":2}],)"
            R"("at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(answer(rules::Confirm{bought}, Outcome::confirmed),
            "200\n"
            R"({"code":"confirmed","order":"019383a1-7c00-7abc-8def-0123456789ab","state":"paid",)"
            R"("at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(answer(rules::Cancel{bought}, Outcome::cancelled),
            "200\n"
            R"({"code":"cancelled","order":"019383a1-7c00-7abc-8def-0123456789ab","state":"cancelled",)"
            R"("at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(answer(rules::Extend{bought}, Outcome::extended),
            "200\n"
            R"({"code":"extended","order":"019383a1-7c00-7abc-8def-0123456789ab","state":"held",)"
            R"("at":"2026-11-29T20:48:46.123Z","expires_at":"2026-11-29T21:03:46.123Z"})");
  const rules::ChangeOrder change{
      bought, {{SkuCode("tee"), Quantity{2}}, {SkuCode("cup"), Quantity{1}}, {SkuCode("tee"), Quantity{1}}}};
  EXPECT_EQ(answer(change, Outcome::changed),
            "200\n"
            R"({"code":"changed","order":"019383a1-7c00-7abc-8def-0123456789ab","state":"held",)"
            R"("lines":[{"sku":"cup","quantity":1},{"sku":"tee","quantity":3}],)"
            R"("at":"2026-11-29T20:48:46.123Z","expires_at":"2026-11-29T21:03:46.123Z"})");
  EXPECT_EQ(answer(rules::PutSku{SkuCode("tee"), 4}, Outcome::created),
            "201\n"
            R"({"code":"created","sku":"tee","buckets":4,"at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(answer(rules::PutSku{SkuCode("tee"), 4}, Outcome::changed),
            "200\n"
            R"({"code":"changed","sku":"tee","buckets":4,"at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(answer(rules::Receive{SkuCode("tee"), Quantity{7}}, Outcome::received),
            "200\n"
            R"({"code":"received","sku":"tee","quantity":7,"at":"2026-11-29T20:48:46.123Z"})");
  const rules::CreateActivity sale{ActivityCode("s1"), "Flash \"sale\"", {},          std::nullopt,
                                   std::nullopt,       std::nullopt,     std::nullopt};
  EXPECT_EQ(answer(sale, Outcome::created),
            "201 Location: /v1/activities/s1\n"
            R"({"code":"created","activity":"s1","state":"draft","name":"Flash \"sale\"",)"
            R"("at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(answer(rules::OpenActivity{ActivityCode("s1")}, Outcome::opened),
            "200\n"
            R"({"code":"opened","activity":"s1","state":"open","at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(answer(rules::CloseActivity{ActivityCode("s1")}, Outcome::closed),
            "200\n"
            R"({"code":"closed","activity":"s1","state":"closed","at":"2026-11-29T20:48:46.123Z"})");
}

TEST(Render, AnswersWhatIsDoneAboutTheGate) {
  EXPECT_EQ(answer(rules::PutSku{SkuCode("tee"), {}, rules::Mode::gated}, Outcome::changed),
            R"(200
{"code":"changed","sku":"tee","mode":"gated","at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(answer(rules::ChangeActivity{ActivityCode("s1"), 2, rules::Mode::direct}, Outcome::changed),
            R"(200
{"code":"changed","activity":"s1","state":"draft","buckets":2,"mode":"direct","at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(answer(rules::WarmActivity{ActivityCode("s1")}, Outcome::warmed),
            R"(200
{"code":"warmed","activity":"s1","state":"warmed","at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(answer(rules::CheckActivity{ActivityCode("s1")}, Outcome::verified),
            R"(200
{"code":"verified","activity":"s1","state":"verified","at":"2026-11-29T20:48:46.123Z"})");
}

TEST(Render, AnswersActsOnSomeLinesWithThem) {
  const rules::Lines some{{SkuCode("tee"), Quantity{2}}, {SkuCode("cup"), Quantity{1}}};
  EXPECT_EQ(
      answer(rules::Confirm{bought, some}, Outcome::confirmed),
      "200\n"
      R"({"code":"confirmed","order":"019383a1-7c00-7abc-8def-0123456789ab","state":"paid",)"
      R"("lines":[{"sku":"cup","quantity":1},{"sku":"tee","quantity":2}],"at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(answer(rules::Refund{bought, some, rules::Restock::no}, Outcome::refunded),
            "200\n"
            R"({"code":"refunded","order":"019383a1-7c00-7abc-8def-0123456789ab","state":"partly_refunded",)"
            R"("lines":[{"sku":"cup","quantity":1},{"sku":"tee","quantity":2}],"restock":false,)"
            R"("at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(
      answer(rules::Ship{bought, some}, Outcome::shipped),
      "200\n"
      R"({"code":"shipped","order":"019383a1-7c00-7abc-8def-0123456789ab","state":"shipped",)"
      R"("lines":[{"sku":"cup","quantity":1},{"sku":"tee","quantity":2}],"at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(
      answer(rules::Refund{bought, {}, rules::Restock::no, rules::RefundFrom::buyer}, Outcome::refunded),
      "200\n"
      R"({"code":"refunded","order":"019383a1-7c00-7abc-8def-0123456789ab","state":"partly_refunded",)"
      R"("restock":false,"from":"buyer","at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(answer(rules::Refund{bought, {}, rules::Restock::yes}, Outcome::refunded),
            "200\n"
            R"({"code":"refunded","order":"019383a1-7c00-7abc-8def-0123456789ab","state":"partly_refunded",)"
            R"("restock":true,"at":"2026-11-29T20:48:46.123Z"})");
}

TEST(Render, AnswersCorrectionsWithTheVersionAfterThem) {
  EXPECT_EQ(answer(rules::Adjust{SkuCode("tee"), Quantity{-7}, "water \"damage\""}, Outcome::adjusted),
            "200\n"
            R"({"code":"adjusted","sku":"tee","difference":-7,"reason":"water \"damage\"","version":12,)"
            R"("at":"2026-11-29T20:48:46.123Z"})");
  EXPECT_EQ(answer(rules::Count{SkuCode("tee"), Quantity{7}, 11}, Outcome::counted),
            "200\n"
            R"({"code":"counted","sku":"tee","counted":7,"version":12,"at":"2026-11-29T20:48:46.123Z"})");
}

TEST(Render, AnswersARetryWhoseLinesCameInAnotherOrderAlike) {
  const auto one_way = order_of({{SkuCode("a"), Quantity{1}}, {SkuCode("b"), Quantity{2}}});
  const auto other_way =
      order_of({{SkuCode("b"), Quantity{1}}, {SkuCode("a"), Quantity{1}}, {SkuCode("b"), Quantity{1}}});
  EXPECT_EQ(answer(one_way, Outcome::reserved), answer(other_way, Outcome::reserved));
}

TEST(Render, ShowsAnOrderWithWhereItsUnitsComeFrom) {
  queries::OrderView view{rules::Order{.id = bought,
                                       .state = rules::OrderState::cancelled,
                                       .account = rules::Caller("shop"),
                                       .user = UserId("u1"),
                                       .activity = rules::free_pool,
                                       .taken = {},
                                       .created_at = at("2026-11-29T20:00:00Z"),
                                       .expires_at = at("2026-11-29T20:15:00Z"),
                                       .settled_at = at("2026-11-29T20:01:00Z")},
                          ActivityCode("s1"),
                          {{SkuCode("tee"), "main", 0, Quantity{2}, Quantity{2}, Quantity{0}},
                           {SkuCode("cup"), "main", 0, Quantity{1}, Quantity{0}, Quantity{0}},
                           {SkuCode("tee"), "main", 3, Quantity{5}, Quantity{1}, Quantity{4}}}};
  EXPECT_EQ(
      rendered(show(view)),
      "200\n"
      R"({"id":"019383a1-7c00-7abc-8def-0123456789ab","state":"cancelled","user":"u1","activity":"s1",)"
      R"("lines":[{"sku":"cup","quantity":1,"taken":[{"warehouse":"main","bucket":0,"quantity":1}]},)"
      R"({"sku":"tee","quantity":7,"returned":3,"shipped":4,"taken":[{"warehouse":"main","bucket":0,"quantity":2},)"
      R"({"warehouse":"main","bucket":3,"quantity":5}]}],"created_at":"2026-11-29T20:00:00.000Z",)"
      R"("expires_at":"2026-11-29T20:15:00.000Z","settled_at":"2026-11-29T20:01:00.000Z"})");
}

TEST(Render, ShowsARecordedRequest) {
  rules::IdempotencyRecord recorded{rules::Caller("shop"), rules::RequestKey("k1"), "act=reserve", Verdict{}};
  recorded.verdict.outcome = Outcome::insufficient;
  recorded.verdict.record = Record::fresh;
  recorded.verdict.at = at("2026-11-29T20:00:00Z");
  recorded.verdict.detail.sku = SkuCode("tee");
  recorded.verdict.detail.available = Quantity{1};
  EXPECT_EQ(rendered(show(recorded, at("2026-12-06T20:00:00Z"))),
            "200\n"
            R"({"key":"k1","status":"done","code":"insufficient","http_status":409,)"
            R"("at":"2026-11-29T20:00:00.000Z","sku":"tee","available":1,)"
            R"("kept_until":"2026-12-06T20:00:00.000Z"})");
  EXPECT_EQ(rendered(show_processing(rules::RequestKey("k1"))),
            "200\n"
            R"({"key":"k1","status":"processing"})");
}

TEST(Render, ShowsWhatVerifyingFound) {
  const queries::AuditView clean{2, 3, 4, 5, 0, {}};
  EXPECT_EQ(rendered(show(clean)),
            "200\n"
            R"({"clean":true,"items":2,"flows":3,"orders":4,"batches":5,"findings_total":0,"findings":[]})");
  const queries::AuditView broken{2, 3, 4, 5, 1, {{"chain", "bucket 1/0: seq 7 is missing"}}};
  EXPECT_EQ(rendered(show(broken)),
            "200\n"
            R"({"clean":false,"items":2,"flows":3,"orders":4,"batches":5,"findings_total":1,)"
            R"("findings":[{"invariant":"chain","what":"bucket 1/0: seq 7 is missing"}]})");
}

}  // namespace
}  // namespace gavel::http
