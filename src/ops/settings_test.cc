#include "ops/settings.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/temporary_folder_test.h"

namespace gavel {
namespace {

using Names = std::map<std::string, std::string>;

constexpr Setting table[] = {
    {"judge.url", SettingKind::text, "sqlite:gavel.db", 0, 0, "Where the judge keeps its records."},
    {"judge.batch_commands_max", SettingKind::integer, "1000", 1, 10'000, "Commands of one batch."},
    {"http.port", SettingKind::integer, "8080", 0, 65'535, "0: any free port."},
    {"clock.offset_ms", SettingKind::integer, "0", -5'000, INT64_MAX, "For tests."},
};

struct Given {
  std::string file = {};
  Names environment = {};
  Names flags = {};
};

class SettingsTest : public testing::Test {
 protected:
  Result<Settings> load(const Given& given, bool with_file = true) {
    write_content(file_, given.file);
    std::vector<std::string> variables;
    for (const auto& [name, value] : given.environment) variables.push_back(name);
    const auto environment = [&given](const std::string& variable) -> std::optional<std::string> {
      const auto found = given.environment.find(variable);
      if (found == given.environment.end()) return std::nullopt;
      return found->second;
    };
    return Settings::load(table, with_file ? file_ : "", environment, given.flags, variables);
  }

  // All settings, or the error, as an operator reads them; the file is called F.
  std::string rendered(const Given& given) {
    const auto settings = load(given);
    std::string text;
    if (!settings) {
      EXPECT_EQ(settings.error().code, ErrorCode::invalid);
      text = settings.error().message;
    } else {
      for (const auto& one : settings->effective())
        text += one.name + "=" + one.value + " (" + one.origin + ")\n";
    }
    for (std::size_t at = 0; (at = text.find(file_)) != std::string::npos;)
      text.replace(at, file_.size(), "F");
    return text;
  }

  TemporaryFolder folder_;
  std::string file_ = folder_.file("gavel.toml");
};

TEST_F(SettingsTest, DefaultsAlone) {
  EXPECT_EQ(rendered({}), R"(judge.url=sqlite:gavel.db (default)
judge.batch_commands_max=1000 (default)
http.port=8080 (default)
clock.offset_ms=0 (default)
)");
}

TEST_F(SettingsTest, FlagsGoBeforeTheEnvironmentThatGoesBeforeTheFile) {
  const Given given{
      .file =
          "http.port = 1\nclock = { offset_ms = -5_000 }\n[judge]\nurl = 'mariadb:'\nbatch_commands_max = "
          "0x10\n",
      .environment = {{"GAVEL_HTTP__PORT", "2"}, {"GAVEL_JUDGE__BATCH_COMMANDS_MAX", "20"}},
      .flags = {{"http.port", "3"}},
  };
  EXPECT_EQ(rendered(given), R"(judge.url=mariadb: (file F)
judge.batch_commands_max=20 (environment GAVEL_JUDGE__BATCH_COMMANDS_MAX)
http.port=3 (flag --http.port)
clock.offset_ms=-5000 (file F)
)");
}

TEST_F(SettingsTest, ValuesAreReadByNameAndKind) {
  const auto settings =
      load({.file = "[judge]\nurl = \"a\\nb\"", .environment = {{"GAVEL_CLOCK__OFFSET_MS", "-17"}}});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->text("judge.url"), "a\nb");
  EXPECT_EQ(settings->integer("clock.offset_ms"), -17);
  EXPECT_EQ(settings->effective()[2].meaning, "0: any free port.");
  EXPECT_DEATH(settings->text("clock.offset_ms"), "CHECK failed");
  EXPECT_DEATH(settings->integer("judge.url"), "CHECK failed");
  EXPECT_DEATH(settings->text("judge.ulr"), "CHECK failed");
}

TEST_F(SettingsTest, ALaterSourceMayEmptyAText) {
  const auto settings = load({.file = "[judge]\nurl = 'x'", .environment = {{"GAVEL_JUDGE__URL", ""}}});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->text("judge.url"), "");
}

TEST_F(SettingsTest, RefusalsOfTheFile) {
  const std::pair<std::string, std::string_view> rows[] = {
      {"[judge]\nulr = 'x'\n", R"(file F line 2: there is no setting "judge.ulr"; did you mean judge.url?)"},
      {"[jugde]\n\nurl = 'x'\n",
       R"(file F line 3: there is no setting "jugde.url"; did you mean judge.url?)"},
      {"[jugde]\nulr = 'x'\n", R"(file F line 2: there is no setting "jugde.ulr"; did you mean judge.url?)"},
      {"port = 1\n",
       "file F line 1: there is no setting \"port\"; there are judge.url, judge.batch_commands_max, "
       "http.port, "
       "clock.offset_ms"},
      {"judge = 1\n",
       "file F line 1: there is no setting \"judge\"; there are judge.url, judge.batch_commands_max, "
       "http.port, "
       "clock.offset_ms"},
      {"'judge.url' = 'x'\n",
       R"(file F line 1: there is no setting "\"judge.url\""; did you mean judge.url?)"},
      {"[judge.url]\nx = 1\n",
       R"(file F line 2: there is no setting "judge.url.x"; did you mean judge.url?)"},
      {"[judge]\nurl = 5\n", "judge.url = 5 (file F line 2): a text in quotes is needed"},
      {"[judge]\nurl = true\n", "judge.url = true (file F line 2): a text in quotes is needed"},
      {"[judge]\nurl = {}\n", "judge.url = {} (file F line 2): a text in quotes is needed"},
      {"[judge]\nurl = ['x']\n", "judge.url = [...] (file F line 2): a text in quotes is needed"},
      {"[http]\nport = '80'\n", R"(http.port = "80" (file F line 2): an integer from 0 to 65535 is needed)"},
      {"[http]\nport = 80.0\n",
       "http.port = a number with a fraction (file F line 2): an integer from 0 to 65535 is needed"},
      {"[http]\nport = 2026-11-29\n",
       "http.port = a date or time (file F line 2): an integer from 0 to 65535 is needed"},
      {"[http]\nport = 65536\n", "http.port = 65536 (file F): an integer from 0 to 65535 is needed"},
      {"[http]\nport = -1\n", "http.port = -1 (file F): an integer from 0 to 65535 is needed"},
      {"[clock]\noffset_ms = -5001\n",
       "clock.offset_ms = -5001 (file F): an integer of at least -5000 is needed"},
      {"[http]\nport = 1\nport = 2\n", "file F line 3: SYNTAX"},
      {"[http\n", "file F line 1: SYNTAX"},
      {"http.port = \xff\n", "file F line 1: SYNTAX"},
  };
  for (const auto& [file, expected] : rows) {
    std::string text = rendered({.file = file});
    // What toml++ finds is said in its own words.
    if (expected.ends_with("SYNTAX"))
      text = text.substr(0, std::min(text.size(), expected.size() - 6)) + "SYNTAX";
    EXPECT_EQ(text, expected);
    EXPECT_EQ(rendered({.file = file}).find('\n'), std::string::npos) << file;
  }
}

TEST_F(SettingsTest, RefusalsOfTheEnvironment) {
  const std::tuple<std::string, std::string, std::string_view> rows[] = {
      {"GAVEL_JUGDE__URL", "x",
       "environment: GAVEL_JUGDE__URL is not a setting; did you mean GAVEL_JUDGE__URL?"},
      {"GAVEL_JUDGE_URL", "x",
       "environment: GAVEL_JUDGE_URL is not a setting; did you mean GAVEL_JUDGE__URL?"},
      {"GAVEL_HTTP__PORT_", "x",
       "environment: GAVEL_HTTP__PORT_ is not a setting; did you mean GAVEL_HTTP__PORT?"},
      {"GAVEL_GATE__REDIS_NODES", "x",
       "environment: GAVEL_GATE__REDIS_NODES is not a setting; there are GAVEL_JUDGE__URL, "
       "GAVEL_JUDGE__BATCH_COMMANDS_MAX, GAVEL_HTTP__PORT, GAVEL_CLOCK__OFFSET_MS"},
      {"GAVEL_HTTP__PORT", "",
       R"(http.port = "" (environment GAVEL_HTTP__PORT): an integer from 0 to 65535 is needed)"},
      {"GAVEL_HTTP__PORT", "80 ",
       R"(http.port = "80 " (environment GAVEL_HTTP__PORT): an integer from 0 to 65535 is needed)"},
      {"GAVEL_HTTP__PORT", "+80",
       R"(http.port = "+80" (environment GAVEL_HTTP__PORT): an integer from 0 to 65535 is needed)"},
      {"GAVEL_HTTP__PORT", "8e1",
       R"(http.port = "8e1" (environment GAVEL_HTTP__PORT): an integer from 0 to 65535 is needed)"},
      {"GAVEL_HTTP__PORT", "80\n",
       R"(http.port = "80\n" (environment GAVEL_HTTP__PORT): an integer from 0 to 65535 is needed)"},
      {"GAVEL_HTTP__PORT", "70000",
       "http.port = 70000 (environment GAVEL_HTTP__PORT): an integer from 0 to 65535 is needed"},
      {"GAVEL_CLOCK__OFFSET_MS", "9223372036854775808",
       "clock.offset_ms = \"9223372036854775808\" (environment GAVEL_CLOCK__OFFSET_MS): an integer of at "
       "least -5000 "
       "is needed"},
  };
  for (const auto& [name, value, expected] : rows)
    EXPECT_EQ(rendered({.environment = {{name, value}}}), expected);
}

TEST_F(SettingsTest, VariablesOfOthersPass) {
  const Names others = {{"GAVEL_PORT", "tcp://10.0.0.1:80"},
                        {"GAVEL_SERVICE_HOST", "10.0.0.1"},
                        {"GAVEL_PROGRAM", "x"},
                        {"GAVEL_", "x"},
                        {"GAVEL", "x"},
                        {"MY_GAVEL_JUDGE__URL", "x"},
                        {"gavel_judge__url", "x"}};
  EXPECT_EQ(rendered({.environment = others}), rendered({}));
}

TEST_F(SettingsTest, RefusalsOfFlags) {
  const std::tuple<std::string, std::string, std::string_view> rows[] = {
      {"http.prot", "1", R"(flag --http.prot: there is no setting "http.prot"; did you mean http.port?)"},
      {"http.port", "x", R"(http.port = "x" (flag --http.port): an integer from 0 to 65535 is needed)"},
      {"http.port", std::string(500, '9'),
       "http.port = \""
       "99999999999999999999999999999999999999999999999999999999999999999999999999999999"
       "\"... (flag --http.port): an integer from 0 to 65535 is needed"},
  };
  for (const auto& [name, value, expected] : rows) EXPECT_EQ(rendered({.flags = {{name, value}}}), expected);
}

TEST_F(SettingsTest, FilesThatAreNone) {
  const auto message = [](const std::string& file) {
    const auto settings = Settings::load(table, file, [](const std::string&) { return std::nullopt; }, {});
    return settings ? "taken" : settings.error().message;
  };
  const std::string absent = folder_.file("absent.toml");
  EXPECT_EQ(message(absent), "file " + absent + " cannot be read: No such file or directory");
  EXPECT_EQ(message(folder_.path()), "file " + folder_.path() + " cannot be read: Is a directory");
  EXPECT_EQ(message("/dev/zero"), "file /dev/zero cannot be read: it has more than 1048576 bytes");
  EXPECT_EQ(message(""), "taken");
}

TEST_F(SettingsTest, BothBoundsAreAllowed) {
  const std::string_view rows[] = {"0", "65535", "8080"};
  for (const std::string_view port : rows) {
    const auto settings = load({.flags = {{"http.port", std::string(port)}}});
    ASSERT_TRUE(settings.has_value()) << port;
    EXPECT_EQ(std::to_string(settings->integer("http.port")), port);
  }
}

TEST(SettingsDeathTest, ATableThatContradictsItselfIsABug) {
  const Setting good{"a.b_c", SettingKind::integer, "1", 0, 5, ""};
  const auto loads = [](std::vector<Setting> settings) {
    return Settings::load(settings, "", [](const std::string&) { return std::nullopt; }, {}).has_value();
  };
  EXPECT_TRUE(loads({good}));
  EXPECT_DEATH(loads({good, good}), "CHECK failed");
  for (const std::string_view name :
       {"", "a", "A.b", "a..b", "a.b__c", "a._b", "a_.b", ".a", "a.", "a.b_", "a-b.c"}) {
    Setting bad = good;
    bad.name = name;
    EXPECT_DEATH(loads({bad}), "CHECK failed: is_setting_name") << name;
  }
  for (const std::string_view fallback : {"", "x", "6", "-1"}) {
    Setting bad = good;
    bad.fallback = fallback;
    EXPECT_DEATH(loads({bad}), "CHECK failed") << fallback;
  }
}

TEST(EnvironmentTest, TheEnvironmentOfTheProcess) {
  // NOLINTBEGIN(concurrency-mt-unsafe): a test has one thread.
  ::setenv("GAVEL_TEST__VARIABLE", "a=b", 1);
  EXPECT_EQ(variable_of_process("GAVEL_TEST__VARIABLE"), "a=b");
  EXPECT_EQ(std::ranges::count(variables_of_process(), "GAVEL_TEST__VARIABLE"), 1);
  ::unsetenv("GAVEL_TEST__VARIABLE");
  EXPECT_EQ(variable_of_process("GAVEL_TEST__VARIABLE"), std::nullopt);
  EXPECT_EQ(std::ranges::count(variables_of_process(), "GAVEL_TEST__VARIABLE"), 0);
  // NOLINTEND(concurrency-mt-unsafe)
}

}  // namespace
}  // namespace gavel
