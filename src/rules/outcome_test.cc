#include "rules/outcome.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "rules/verdict.h"

namespace gavel::rules {
namespace {

// The table of interfaces.md, with the numbers that are stored. A number that changes breaks every database.
constexpr std::string_view table = R"(
1 reserved act final recorded never
2 sold act final recorded never
3 confirmed act final recorded never
4 cancelled act final recorded never
5 expired act final recorded never
6 received act final recorded never
7 created act final recorded never
8 changed act final recorded never
9 opened act final recorded never
10 closed act final recorded never
11 refunded act final recorded never
12 adjusted act final recorded never
13 counted act final recorded never
14 extended act final recorded never
15 warmed act final recorded never
16 verified act final recorded never
17 shipped act final recorded never
20 malformed no final unrecorded new_key
21 key_missing no final unrecorded new_key
22 unauthenticated no final unrecorded never
23 forbidden no final unrecorded never
24 rate_limited no open unrecorded same_key
25 overloaded no open unrecorded same_key
26 not_ready no open unrecorded same_key
30 key_in_flight no open unrecorded same_key
31 key_in_use no final unrecorded new_key
32 key_reused no final unrecorded new_key
33 key_too_old no final unrecorded new_key
40 unknown_activity no final unrecorded never
41 unknown_sku no final unrecorded never
42 unknown_order no final unrecorded never
43 unknown_request no final unrecorded never
48 already_shipped no final recorded never
49 mismatch no open unrecorded new_key
50 frozen no open unrecorded new_key
51 not_open no open unrecorded new_key
52 over no open unrecorded new_key
53 version_conflict no final recorded new_key
54 already_confirmed no final recorded never
55 already_cancelled no final recorded never
56 hold_expired no final recorded never
57 illegal_transition no final recorded never
58 limit_reached no final recorded never
59 hold_capped no final recorded never
60 sold_out no final recorded new_key
61 insufficient no final recorded new_key
70 outcome_unknown no open unrecorded same_key
)";

std::string rendered() {
  std::string text = "\n";
  for (const OutcomeTraits& row : all_outcomes()) {
    text += std::to_string(static_cast<int>(row.outcome)) + " " + std::string(row.word) +
            (row.act ? " act" : " no") + (row.final ? " final" : " open") +
            (row.recorded ? " recorded " : " unrecorded ") + std::string(word(row.retry)) + "\n";
  }
  return text;
}

TEST(OutcomeTest, EveryRowIsThatOfTheInterfaceAndNoNumberEverChanges) { EXPECT_EQ(rendered(), table); }

TEST(OutcomeTest, WordsAreUniqueAndRoundTrip) {
  std::set<std::string_view> words;
  for (const OutcomeTraits& row : all_outcomes()) {
    EXPECT_TRUE(words.insert(row.word).second) << row.word;
    EXPECT_EQ(parse_outcome(row.word), row.outcome);
    EXPECT_EQ(word(row.outcome), row.word);
    EXPECT_EQ(&traits(row.outcome), &row);
  }
  EXPECT_EQ(words.size(), 47U);
  for (const std::string_view strange : {"", "Sold", "sold ", "sold_ou", "none"}) {
    EXPECT_EQ(parse_outcome(strange), std::nullopt) << strange;
  }
}

TEST(OutcomeTest, EachSaysWhatItMeansInOneSentence) {
  std::set<std::string_view> meanings;
  for (const OutcomeTraits& row : all_outcomes()) {
    EXPECT_TRUE(meanings.insert(row.meaning).second) << row.word;
    EXPECT_TRUE(row.meaning.ends_with('.')) << row.word;
  }
}

TEST(OutcomeTest, PromisesAgreeWithOneAnother) {
  for (const OutcomeTraits& row : all_outcomes()) {
    EXPECT_TRUE(!row.act || row.recorded) << row.word << ": an effect is told again to a retry (A9)";
    EXPECT_TRUE(!row.recorded || row.final) << row.word << ": what is recorded is answered for good";
    EXPECT_FALSE(row.recorded && row.retry == Retry::same_key)
        << row.word << ": the same key, the same answer";
    EXPECT_FALSE(row.final && row.retry == Retry::same_key) << row.word;
  }
}

TEST(OutcomeTest, AMismatchNamesTheBucketAndBothNumbers_B13) {
  Verdict verdict;
  verdict.outcome = Outcome::mismatch;
  verdict.detail.sku = SkuCode("tee");
  verdict.detail.available = Quantity{3};
  verdict.detail.bucket = 1;
  EXPECT_EQ(to_text(verdict), "mismatch sku=tee available=3 bucket=1");
  verdict.detail.at_gate = Quantity{0};
  EXPECT_EQ(to_text(verdict), "mismatch sku=tee available=3 bucket=1 at_gate=0");
}

TEST(OutcomeDeathTest, ANumberWithoutARowIsABug) {
  for (const int number : {0, 18, 255}) {
    EXPECT_DEATH(traits(static_cast<Outcome>(number)), "CHECK failed");
  }
}

}  // namespace
}  // namespace gavel::rules
