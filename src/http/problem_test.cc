#include "http/problem.h"

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "http/outcome_pages.h"
#include "rules/outcome.h"

namespace gavel::http {
namespace {

using rules::Outcome;
using rules::Quantity;
using rules::Record;
using rules::SkuCode;
using rules::Verdict;

Verdict of(Outcome outcome, Record record = Record::no) {
  Verdict verdict;
  verdict.outcome = outcome;
  verdict.record = record;
  return verdict;
}

std::string rendered(const Verdict& verdict) {
  Random random(1);
  const Response response = problem(verdict, random);
  std::string text = std::to_string(response.status);
  for (const auto& [name, value] : response.headers) text += " " + name + ": " + value;
  return text + "\n" + response.body;
}

// The table of interfaces.md, outcome by outcome in order of precedence, as recorded where the judge records.
TEST(Problem, HasTheStatusFinalityAndRetryOfTheTable) {
  std::string table;
  for (const rules::OutcomeTraits& traits : rules::all_outcomes()) {
    const Verdict verdict = of(traits.outcome, traits.recorded ? Record::fresh : Record::no);
    table += std::string(traits.word) + " " + std::to_string(http_status(traits.outcome));
    table += is_final(verdict) ? " final" : " open";
    table += traits.act ? "\n" : " " + std::string(rules::word(retry_of(verdict))) + "\n";
  }
  EXPECT_EQ(table, R"(reserved 201 final
sold 201 final
confirmed 200 final
cancelled 200 final
expired 200 final
received 200 final
created 201 final
changed 200 final
opened 200 final
closed 200 final
refunded 200 final
adjusted 200 final
counted 200 final
extended 200 final
warmed 200 final
verified 200 final
shipped 200 final
malformed 400 final new_key
key_missing 400 final new_key
unauthenticated 401 final never
forbidden 403 final never
rate_limited 429 open same_key
overloaded 503 open same_key
not_ready 503 open same_key
key_in_flight 409 open same_key
key_in_use 422 final new_key
key_reused 422 final new_key
key_too_old 422 final new_key
unknown_activity 404 final never
unknown_sku 404 final never
unknown_order 404 final never
unknown_request 404 final never
already_shipped 409 final never
mismatch 409 open new_key
frozen 409 open new_key
not_open 409 open new_key
over 409 open new_key
version_conflict 409 final new_key
already_confirmed 409 final never
already_cancelled 409 final never
hold_expired 409 final never
illegal_transition 409 final never
limit_reached 409 final never
hold_capped 409 final never
sold_out 409 final new_key
insufficient 409 final new_key
outcome_unknown 504 open same_key
)");
}

TEST(Problem, OfAnUnrecordedShortageLeavesTheKeyFreeForLater_E28) {
  for (const Outcome outcome : {Outcome::sold_out, Outcome::insufficient}) {
    EXPECT_FALSE(is_final(of(outcome)));
    EXPECT_EQ(retry_of(of(outcome)), rules::Retry::later);
    EXPECT_TRUE(is_final(of(outcome, Record::replayed)));
    EXPECT_EQ(retry_of(of(outcome, Record::replayed)), rules::Retry::new_key);
  }
}

TEST(Problem, IsRenderedWithWhatItsOutcomeSays) {
  Verdict verdict = of(Outcome::insufficient, Record::fresh);
  verdict.detail.sku = SkuCode("tee");
  verdict.detail.available = Quantity{2};
  EXPECT_EQ(rendered(verdict),
            "409\n"
            R"({"type":"/docs/outcomes/insufficient","title":"Insufficient","status":409,)"
            R"("detail":"Fewer units are left than requested.","code":"insufficient","final":true,)"
            R"("recorded":true,"retry":"new_key","sku":"tee","available":2})");

  verdict = of(Outcome::sold_out);
  verdict.detail.sku = SkuCode("tee");
  verdict.retry_after = std::chrono::seconds(60);
  EXPECT_EQ(
      rendered(verdict),
      "409 Retry-After: 68\n"
      R"({"type":"/docs/outcomes/sold_out","title":"Sold out","status":409,"detail":"Sold out: no units left.",)"
      R"("code":"sold_out","final":false,"recorded":false,"retry":"later","retry_after":68,"sku":"tee"})");

  verdict = of(Outcome::limit_reached, Record::replayed);
  verdict.detail.sku = SkuCode("tee");
  verdict.detail.allowed = Quantity{2};
  verdict.detail.claimed = Quantity{1};
  verdict.detail.order = rules::OrderId{*parse_uuid("019383a1-7c00-7abc-8def-0123456789ab")};
  EXPECT_EQ(rendered(verdict),
            "409 Idempotency-Replayed: true\n"
            R"({"type":"/docs/outcomes/limit_reached","title":"Limit reached","status":409,)"
            R"("detail":"The user has reached the activity's limit per user.","code":"limit_reached",)"
            R"("final":true,"recorded":true,"retry":"never","sku":"tee","allowed":2,"claimed":1,)"
            R"("order":"019383a1-7c00-7abc-8def-0123456789ab"})");

  verdict = of(Outcome::hold_capped, Record::fresh);
  verdict.order = rules::OrderId{*parse_uuid("019383a1-7c00-7abc-8def-0123456789ab")};
  verdict.detail.expires_at = *parse_time("2026-11-29T21:03:46.123Z");
  EXPECT_EQ(rendered(verdict),
            "409\n"
            R"({"type":"/docs/outcomes/hold_capped","title":"Hold capped","status":409,)"
            R"("detail":"The hold has its maximum length; it ends at the time in expires_at.",)"
            R"("code":"hold_capped","final":true,"recorded":true,"retry":"never",)"
            R"("order":"019383a1-7c00-7abc-8def-0123456789ab","expires_at":"2026-11-29T21:03:46.123Z"})");

  verdict = of(Outcome::key_reused);
  verdict.detail.fields = {"user", "lines"};
  EXPECT_EQ(
      rendered(verdict),
      "422\n"
      R"({"type":"/docs/outcomes/key_reused","title":"Key reused","status":422,)"
      R"("detail":"The key was used for a different request; the fields that differ are listed.",)"
      R"("code":"key_reused","final":true,"recorded":false,"retry":"new_key","fields":["user","lines"]})");

  verdict = of(Outcome::frozen);
  verdict.detail.sku = SkuCode("tee");
  EXPECT_EQ(rendered(verdict),
            "409\n"
            R"({"type":"/docs/outcomes/frozen","title":"Frozen","status":409,)"
            R"("detail":"The SKU is stopped until an operator has examined it.","code":"frozen",)"
            R"("final":false,"recorded":false,"retry":"new_key","sku":"tee"})");
}

TEST(Problem, SaysWhenToComeBackWhereWaitingHelps) {
  Random random(7);
  std::set<std::string> seconds;
  for (int i = 0; i < 200; ++i) {
    for (const Outcome outcome : {Outcome::overloaded, Outcome::not_ready, Outcome::rate_limited}) {
      const Response response = problem(of(outcome), random);
      ASSERT_EQ(response.headers.size(), 1U);
      EXPECT_EQ(response.headers[0].first, "Retry-After");
      seconds.insert(response.headers[0].second);
    }
  }
  EXPECT_EQ(seconds, (std::set<std::string>{"1", "2", "3"}));
  EXPECT_NE(problem(of(Outcome::overloaded), random).body.find(R"("retry":"same_key","retry_after":)"),
            std::string::npos)
      << "an element of a batch has no headers";
  EXPECT_TRUE(problem(of(Outcome::key_in_flight), random).headers.empty());
  EXPECT_TRUE(problem(of(Outcome::outcome_unknown), random).headers.empty());
}

// Never earlier than the verdict says, and those who were refused together come back apart.
TEST(Problem, SpreadsTheWaitForStockUpwardsByAFourth_E28) {
  using std::chrono::seconds;
  const auto waits = [](std::optional<seconds> least) {
    Random random(7);
    std::set<int> all;
    for (int i = 0; i < 2'000; ++i) {
      Verdict verdict = of(Outcome::insufficient);
      verdict.retry_after = least;
      const Response response = problem(verdict, random);
      EXPECT_NE(response.body.find(R"("retry":"later","retry_after":)" + response.headers.at(0).second),
                std::string::npos);
      all.insert(std::stoi(response.headers.at(0).second));
    }
    return std::vector<int>{*all.begin(), *all.rbegin(), static_cast<int>(all.size())};
  };
  EXPECT_EQ(waits(seconds(5)), (std::vector<int>{5, 6, 2}));
  EXPECT_EQ(waits(seconds(60)), (std::vector<int>{60, 75, 16}));
  EXPECT_EQ(waits(std::nullopt), (std::vector<int>{5, 6, 2})) << "nobody knows how long";
}

TEST(Problem, OfFormHasTheStatusOfHttp) {
  const Response response = malformed_http(413, "body: at most 65536 bytes");
  EXPECT_EQ(response.status, 413U);
  EXPECT_EQ(response.content_type, "application/problem+json");
  EXPECT_EQ(response.body,
            R"({"type":"/docs/outcomes/malformed","title":"Malformed","status":413,)"
            R"("detail":"body: at most 65536 bytes","code":"malformed","final":true,"recorded":false,)"
            R"("retry":"new_key"})");
  const auto retry = [](unsigned status) {
    const std::string body = malformed_http(status, "").body;
    return body.substr(body.find(R"("retry":")"));
  };
  EXPECT_EQ(retry(404), R"("retry":"never"})") << "no key makes this path another";
  EXPECT_EQ(retry(405), R"("retry":"never"})");
  EXPECT_EQ(retry(408), R"("retry":"same_key"})") << "nothing was done with it";
  EXPECT_NE(malformed_http(408, "").body.find(R"("final":false)"), std::string::npos);
  const Response fault = fault_of_ours();
  EXPECT_EQ(fault.status, 500U);
  EXPECT_NE(fault.body.find(R"("code":"outcome_unknown","final":false,"recorded":false,"retry":"same_key")"),
            std::string::npos);
}

TEST(OutcomePages, ThereIsOneForEveryType) {
  const std::string list = outcomes_page().body;
  for (const rules::OutcomeTraits& traits : rules::all_outcomes()) {
    EXPECT_NE(list.find("\n" + std::string(traits.word) + " "), std::string::npos) << traits.word;
    const auto page = outcome_page(traits.word, std::chrono::hours(168));
    ASSERT_TRUE(page) << traits.word;
    EXPECT_NE(page->body.find(traits.meaning), std::string::npos) << traits.word;
  }
  EXPECT_FALSE(outcome_page("sold-out", std::chrono::hours(168)));
  EXPECT_EQ(
      outcome_page("sold_out", std::chrono::hours(168))->body,
      "sold_out\n\nSold out: no units left.\nThe key keeps this answer: send the request with a new key. If "
      "an answer has `recorded` false, it is not final, and `retry` is `later`: send the request with the "
      "same key, and not before the seconds of Retry-After (`retry_after` in the body) have passed.\n"
      "A key is remembered for 168 hours (the setting rules.requests_kept_hours). After that a UUIDv7 key is "
      "refused as `key_too_old`, and a retry with any other key is a new request.\n\n"
      "HTTP status  409\nfinal        yes\n"
      "recorded     yes\nretry        new_key\n");
}

// A recorded refusal says which acts lead on; where none does, it says what the outcome means.
TEST(Problem, OfAnActivitysStateSaysWhatLeadsOn) {
  const auto line = [](const rules::Act& act, const std::string& state) {
    Verdict verdict = of(Outcome::illegal_transition, Record::fresh);
    verdict.detail.state = state;
    return explained(act, verdict).detail.explanation.value_or("-");
  };
  const rules::ActivityCode sale("s1");
  const rules::CreateActivity again{sale, "N", {}, {}, {}, {}, {}};
  EXPECT_EQ(line(again, "draft"), "An activity with this id already exists; it is draft.");
  EXPECT_EQ(line(again, "closed"), "An activity with this id already exists; it is closed.");
  EXPECT_EQ(line(rules::OpenActivity{sale}, "draft"),
            "This sale is gated: warm it, check it, then open it, with a new key.");
  EXPECT_EQ(line(rules::OpenActivity{sale}, "warmed"),
            "This sale is gated: check it, then open it, with a new key.");
  EXPECT_EQ(line(rules::OpenActivity{sale}, "open"), "-");
  EXPECT_EQ(line(rules::OpenActivity{sale}, "closed"), "-");
  EXPECT_EQ(line(rules::CheckActivity{sale}, "draft"),
            "The gate is not loaded for this sale: warm it, then check it, with a new key.");
  EXPECT_EQ(line(rules::CheckActivity{sale}, "closed"), "-");
  EXPECT_EQ(line(rules::WarmActivity{sale}, "open"), "-");
  EXPECT_EQ(explained(again, of(Outcome::unknown_sku)), of(Outcome::unknown_sku));
}

}  // namespace
}  // namespace gavel::http
