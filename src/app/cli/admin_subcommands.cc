#include "app/cli/admin_subcommands.h"

#include <array>
#include <map>
#include <string>
#include <utility>

#include "app/cli/admin_commands.h"
#include "app/cli/response_text.h"
#include "app/client/call.h"
#include "app/options.h"
#include "app/pause.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/uuid.h"

namespace gavel::app {
namespace {

// The settings that say where the server is.
constexpr auto place_settings =
    std::to_array<std::string_view>({"judge.url", "admin.address", "admin.port", "admin.key_file"});

constexpr std::string_view of_reads =
    "Asks the operators' listener of the server that serves judge.url, or of the one at --server.\n"
    "Exit code 0: done; 1: refused by the business; 2: usage; 3: not reachable.";
constexpr std::string_view of_writes =
    "Asks the operators' listener of the server that serves judge.url, or of the one at --server.\n"
    "It is done once: a lost answer is asked for again under the same key, and so does --key on a\n"
    "later try. Exit code 0: done; 1: refused by the business; 2: usage; 3: not reachable.";

class AdministrationVerb final : public Subcommand {
 public:
  explicit AdministrationVerb(const Verb& verb) : verb_(verb) {}

  About about() const override {
    return {.name = verb_.word.empty() ? verb_.group : verb_.word,
            .summary = verb_.summary,
            .description = verb_.writes() ? of_writes : of_reads,
            .examples = verb_.examples,
            .settings = place_settings};
  }

  std::vector<Flag> flags() override {
    std::vector<Flag> flags;
    for (const VerbWord& word : verb_.words) flags.push_back(flag_of(word));
    flags.push_back(named("server", server_, "URL", "the operators' address, such as http://127.0.0.1:8081"));
    if (verb_.writes())
      flags.push_back(named("key", key_, "TEXT", "the request's name, kept over tries [a fresh UUIDv7]"));
    return flags;
  }

  Exit run(const Given& given) override {
    const auto options = options_of(given.settings);
    if (!options) return give_up(Exit::usage, options.error());
    auto request = request_of(verb_, said_);
    if (!request) return give_up(Exit::usage, request.error());
    const auto place = find_server(*options, server_.empty() ? "" : server_.front());
    if (!place)
      return give_up(place.error().code == ErrorCode::unavailable ? Exit::unreachable : Exit::usage,
                     place.error());
    const RealClock clock;
    if (verb_.writes()) request->key = key_.empty() ? fresh_key(clock) : key_.front();
    const auto answer = call(*place, *request, clock, pause_for);
    return say_answer(answer, end_of_call(answer, *request, *place), given.speech);
  }

 private:
  Flag flag_of(const VerbWord& word) {
    const bool is_many =
        word.kind == WordKind::texts || word.kind == WordKind::lines || word.kind == WordKind::allotments;
    return WordFlag{
        .name = word.flag(),
        .values = &said_[word.field],
        .placeholder = word.placeholder(),
        .meaning = std::string(word.meaning),
        .place = word.place == WordPlace::flag ? WordFlag::Place::named : WordFlag::Place::bare,
        .need = word.need == WordNeed::required ? WordFlag::Need::required : WordFlag::Need::optional,
        .times = is_many ? WordFlag::Times::many : WordFlag::Times::once};
  }

  static Flag named(std::string name, std::vector<std::string>& values, std::string placeholder,
                    std::string meaning) {
    return WordFlag{.name = std::move(name),
                    .values = &values,
                    .placeholder = std::move(placeholder),
                    .meaning = std::move(meaning),
                    .place = WordFlag::Place::named,
                    .need = WordFlag::Need::optional,
                    .times = WordFlag::Times::once};
  }

  static std::string fresh_key(const Clock& clock) {
    Random random = Random::from_system();
    return to_text(make_uuid7(clock.now(), random));
  }

  Exit say_answer(const Result<HttpAnswer>& answer, const CallEnd& end, Speech speech) const {
    // Programs get whatever the server said, a refusal too.
    if (answer && speech == Speech::json) say(answer->body);
    if (end.exit != Exit::done) {
      say_error(end.line);
      return end.exit;
    }
    if (speech == Speech::json) return Exit::done;
    const auto text = text_of_answer(verb_.shows, answer->body);
    if (!text) return give_up(Exit::unreachable, text.error());
    const bool before = answer->header("idempotency-replayed") != nullptr;
    say(before ? *text + "\n(it was done before under this key; that was the answer)" : *text);
    return Exit::done;
  }

  const Verb& verb_;
  Words said_;
  std::vector<std::string> server_;
  std::vector<std::string> key_;
};

struct GroupText {
  std::string_view group;
  std::string_view summary;
};

constexpr auto groups = std::to_array<GroupText>({
    {"stock", "Show and change stock on a running server"},
    {"order", "Show and settle orders on a running server"},
    {"activity", "List, make, open and close sales on a running server"},
    {"gate", "Show what the gate of a running server has"},
});

class AdministrationGroup final : public Subcommand {
 public:
  explicit AdministrationGroup(const GroupText& text) : text_(text) {
    for (const Verb& verb : all_verbs()) {
      if (verb.group != text.group) continue;
      below_.push_back(std::make_unique<AdministrationVerb>(verb));
      examples_ +=
          (examples_.empty() ? "" : "\n") + std::string(verb.examples.substr(0, verb.examples.find('\n')));
    }
  }

  About about() const override {
    return {.name = text_.group, .summary = text_.summary, .description = of_reads, .examples = examples_};
  }

  std::span<const std::unique_ptr<Subcommand>> below() const override { return below_; }

  Exit run(const Given&) override { return Exit::usage; }  // One of those below runs.

 private:
  const GroupText& text_;
  std::vector<std::unique_ptr<Subcommand>> below_;
  std::string examples_;
};

}  // namespace

std::vector<std::unique_ptr<Subcommand>> make_administration() {
  std::vector<std::unique_ptr<Subcommand>> all;
  for (const GroupText& group : groups) all.push_back(std::make_unique<AdministrationGroup>(group));
  for (const Verb& verb : all_verbs()) {
    if (verb.word.empty()) all.push_back(std::make_unique<AdministrationVerb>(verb));
  }
  return all;
}

}  // namespace gavel::app
