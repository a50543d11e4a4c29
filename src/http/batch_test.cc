#include "http/batch.h"

#include <array>
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "http/problem.h"
#include "http/routes.h"

namespace gavel::http {
namespace {

constexpr const char* order = "019383a1-7c00-7abc-8def-0123456789ab";

// Each item as its key and content, or as its refusal; or the line that refuses all.
std::string read(const std::string& body) {
  const auto items = read_batch(body);
  if (!items) return "all: " + items.error();
  std::string text;
  for (const auto& item : *items) {
    text += text.empty() ? "" : " | ";
    if (item) {
      text += std::string(item->key.text()) + " " + rules::fingerprint_of(item->act);
    } else if (const auto& why = item.error().detail.explanation) {
      text += std::string(rules::word(item.error().outcome)) + " (" + *why + ")";
    } else {
      text += rules::to_text(item.error());
    }
  }
  return text;
}

std::string reserve(const std::string& key, const std::string& more = "") {
  return R"({"request_id":")" + key +
         R"(","act":"reserve","user":"u1","lines":[{"sku":"tee","quantity":2}])" + more + "}";
}

std::string of_order(const std::string& key, const std::string& act, const std::string& id) {
  return R"({"request_id":")" + key + R"(","act":")" + act + R"(","order":")" + id + "\"}";
}

TEST(Batch, SaysWhatIsAsked) {
  EXPECT_EQ(read("[" + reserve("k1") + ",\n" + of_order("k2", "confirm", order) + " , " +
                 of_order("01A228E4-9A00-7000-8000-000000000001", "cancel", order) + "]"),
            "k1 act=reserve;user=u1;lines=tee*2 | k2 act=confirm;order=" + std::string(order) +
                " | 01a228e4-9a00-7000-8000-000000000001 act=cancel;order=" + order);
}

TEST(Batch, SaysWhatIsAskedOfSomeLines) {
  const auto act = [](const std::string& word, const std::string& more) {
    return R"({"request_id":"k","act":")" + word + R"(","order":")" + order + R"(")" + more + "}";
  };
  const std::string lines = R"(,"lines":[{"sku":"tee","quantity":2},{"sku":"cup","quantity":1}])";
  const std::string asked = " | k act=";
  const std::string of = ";order=" + std::string(order);
  EXPECT_EQ(
      read("[" + act("confirm", lines) + "," + act("extend", "") + "," + act("extend", R"(,"seconds":90)") +
           "," + act("change", lines) + "," + act("refund", R"(,"restock":true)") + "," +
           act("refund", lines + R"(,"restock":false,"from":"buyer")") + "," + act("ship", "") + "," +
           act("ship", lines) + "]"),
      "k act=confirm" + of + ";lines=cup*1,tee*2" + asked + "extend" + of + asked + "extend" + of +
          ";seconds=90" + asked + "change" + of + ";lines=cup*1,tee*2" + asked + "refund" + of +
          ";restock=true" + asked + "refund" + of + ";lines=cup*1,tee*2;restock=false;from=buyer" + asked +
          "ship" + of + asked + "ship" + of + ";lines=cup*1,tee*2");
}

struct Row {
  std::string element, answer;
};

// table: one row for each way in which an element can be wrong alone.
TEST(Batch, AnswersAWrongElementAlone) {
  const std::array rows{
      Row{"7", "malformed (body: must be an object)"},
      Row{"null", "malformed (body: must be an object)"},
      Row{"[]", "malformed (body: must be an object)"},
      Row{"{}", "malformed (act: is missing)"},
      Row{R"({"\u0061ct":"cancel","request_id":"k","order":"x"})", "malformed (act: is missing)"},
      Row{R"({"act":"sell"})",
          "malformed (act: must be one of reserve, confirm, cancel, extend, change, refund, ship)"},
      Row{R"({"act":"put_sku"})",
          "malformed (act: must be one of reserve, confirm, cancel, extend, change, refund, ship)"},
      Row{R"({"act":1})",
          "malformed (act: must be one of reserve, confirm, cancel, extend, change, refund, ship)"},
      Row{R"({"act":"cancel","act":"cancel","request_id":"k","order":"x"})",
          "malformed (act: is given twice)"},
      Row{R"({"act":"cancel","request_id":"k"})", "malformed (order: is missing)"},
      Row{R"({"act":"cancel","request_id":"k","order":7})", "malformed (order: must be a string)"},
      Row{R"({"act":"cancel","request_id":"k","order":"x","user":"u"})",
          "malformed (user: is not a field of this request)"},
      Row{R"({"act":"cancel","request_id":"a b","order":"x"})",
          "malformed (request_id: must be 1 to 255 visible ASCII characters without \" and \\)"},
      Row{R"({"act":"cancel","request_id":"","order":"x"})",
          "malformed (request_id: must be 1 to 255 visible ASCII characters without \" and \\)"},
      Row{R"({"act":"cancel","request_id":"k","order":"x"})", "unknown_order"},
      Row{R"({"act":"cancel","order":")" + std::string(order) + "\"}", "key_missing"},
      Row{of_order("k", "change", order), "malformed (lines: is missing)"},
      Row{of_order("k", "refund", order), "malformed (restock: is missing)"},
      Row{of_order("k", "extend", "17"), "unknown_order"},
      Row{reserve("k", R"(,"quantity":1)"), "malformed (quantity: is not a field of this request)"},
      Row{reserve("k", R"(,"hold_seconds":1.5)"),
          "malformed (hold_seconds: must be an integer, written without fraction or exponent)"},
      Row{R"({"request_id":"k","act":"reserve","user":"u1","lines":[{"sku":"tee","quantity":0}]})",
          "malformed (lines[0].quantity: must be 1 to 1000000)"},
      Row{R"({"request_id":"k","act":"reserve","user":"u\n1","lines":[{"sku":"tee","quantity":1}]})",
          "malformed (user: must not contain control characters)"},
      Row{R"({"act":"reserve","user":"u1","lines":[]})", "malformed (lines: must not be empty)"},
  };
  const std::string good = of_order("g", "confirm", order);
  const std::string good_read = "g act=confirm;order=" + std::string(order);
  for (const Row& row : rows) {
    EXPECT_EQ(read("[" + row.element + "]"), row.answer);
    EXPECT_EQ(read("[" + good + "," + row.element + "," + good + "]"),
              good_read + " | " + row.answer + " | " + good_read);
  }
}

TEST(Batch, RefusesAllWhereItIsNoArrayOfElements) {
  const std::string good = of_order("g", "confirm", order);
  const std::array rows{
      Row{"", "all: body: is empty"},
      Row{" ", "all: body: is empty"},
      Row{good, "all: body: must be an array"},
      Row{"[]", "all: body: must not be empty"},
      Row{"[" + good, "all: body: the document ends too early, at byte " + std::to_string(good.size() + 1)},
      Row{"[" + good + ",]", "all: body: not JSON in UTF-8, at byte " + std::to_string(good.size() + 2)},
      Row{"[" + good + "]]",
          "all: body: unexpected content after the document, at byte " + std::to_string(good.size() + 2)},
      Row{"[" + good + R"(,{"act":"cancel,"order":"x"}])",
          "all: body: not JSON in UTF-8, at byte " + std::to_string(good.size() + 18)},
      Row{"[" + good + ",\"\xFF\"]",
          "all: body: not JSON in UTF-8, at byte " + std::to_string(good.size() + 3)},
      Row{"\xEF\xBB\xBF[" + good + "]", "all: body: begins with a byte order mark"},
      Row{std::string(60'000, '['), "all: body: nested deeper than 9, at byte 9"},
  };
  for (const Row& row : rows) EXPECT_EQ(read(row.element), row.answer);
}

TEST(Batch, HoldsSoManyAndNoMore) {
  std::string body;
  for (std::int64_t i = 0; i < batch_commands_max; ++i) body += (i == 0 ? "" : ",") + std::string("7");
  EXPECT_EQ(read_batch("[" + body + "]")->size(), 8192U);
  EXPECT_EQ(read("[" + body + ",7]"), "all: body: at most 8192 elements");
}

// Every act of a batch has its single request, which demands a key; and an element has what that one has.
TEST(Batch, HasTheActsOfTheRoutes) {
  std::string text;
  for (const BatchAct& act : batch_acts()) {
    for (const Route& route : all_routes()) {
      if (route.endpoint != act.endpoint) continue;
      EXPECT_EQ(route.policy.key, Key::required);
      EXPECT_EQ(route.policy.audiences, Audiences::both);
      EXPECT_EQ(route.pattern.contains("{}"), !act.parameter.empty());
    }
    text += std::string(act.word) + ":";
    for (const Member& member : members_of(act)) text += " " + std::string(member.name);
    text += "\n";
  }
  EXPECT_EQ(text,
            "reserve: request_id act user lines activity hold_seconds payment\n"
            "confirm: request_id act order lines\n"
            "cancel: request_id act order\n"
            "extend: request_id act order seconds\n"
            "change: request_id act order lines\n"
            "refund: request_id act order lines restock from\n"
            "ship: request_id act order lines\n");
}

TEST(Batch, PutsAnswersTogether) {
  Response made;
  made.status = 201;
  made.headers = {{"Location", "/v1/orders/x"}};
  made.body = R"({"code":"reserved"})";
  Response again = made;
  again.headers.emplace_back("Idempotency-Replayed", "true");
  const auto refused = [](rules::Outcome outcome, std::chrono::seconds wait) {
    Random random(1);
    rules::Verdict verdict = rules::verdict_of(outcome);
    verdict.retry_after = wait;
    return problem(verdict, random);
  };
  const Response later = refused(rules::Outcome::sold_out, std::chrono::seconds(40));
  const Response sooner = refused(rules::Outcome::insufficient, std::chrono::seconds(7));
  BatchAnswer answer;
  for (const Response& single : {made, again, later, sooner, later}) answer.add(single);
  const Response whole = answer.take();
  EXPECT_EQ(whole.status, 200U);
  EXPECT_EQ(whole.content_type, "application/json");
  ASSERT_EQ(whole.headers.size(), 1U);
  EXPECT_EQ(whole.headers[0], sooner.headers.at(0)) << "the least of all";
  EXPECT_EQ(whole.headers[0].first, "Retry-After");
  EXPECT_EQ(whole.body,
            R"([{"status":201,"code":"reserved"},{"replayed":true,"status":201,"code":"reserved"},)" +
                later.body + "," + sooner.body + "," + later.body + "]");
}

// Many ways to damage a batch: the answer is always one line for all, or one item for each element.
TEST(Batch, ADamagedBodyIsReadOrRefusedAndNothingElse) {
  Random random(13);
  const std::string whole =
      "[" + reserve("k1") + "," + of_order("k2", "cancel", order) + "," + reserve("k3") + "]";
  for (int i = 0; i < 20'000; ++i) {
    std::string body = whole;
    for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
      const std::size_t at = random.below(body.size());
      constexpr std::string_view bytes = "[]{}\",:\\ 0a\xFF";
      switch (random.below(4)) {
        case 0:
          body[at] = bytes[random.below(bytes.size())];
          break;
        case 1:
          body.erase(at, 1 + random.below(20));
          break;
        case 2:
          body.insert(at, 1, bytes[random.below(bytes.size())]);
          break;
        default:
          body = body.substr(0, at) + body.substr(random.below(body.size()));
          break;
      }
      if (body.empty()) body = "[";
    }
    const auto items = read_batch(body);
    // What is no JSON refuses everything, wherever it is wrong.
    if (const auto fault = fault_of_json(body, json_depth_max + 1)) {
      ASSERT_FALSE(items.has_value()) << body;
      ASSERT_EQ(items.error(), *fault) << body;
    }
    if (!items) {
      ASSERT_TRUE(items.error().starts_with("body: ")) << body;
      continue;
    }
    ASSERT_EQ(fault_of_json(body, 9), std::nullopt) << body;
    for (const auto& item : *items) {
      ASSERT_TRUE(item || !rules::traits(item.error().outcome).act) << body;
    }
  }
}

}  // namespace
}  // namespace gavel::http
