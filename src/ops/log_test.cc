#include "ops/log.h"

#include <filesystem>
#include <map>
#include <sstream>
#include <thread>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "base/temporary_folder_test.h"

namespace gavel {
namespace {

constexpr Time start{Duration(1'645'557'742'000)};
constexpr std::uint64_t file_bytes = 64 * 1024;

class LogTest : public testing::Test {
 protected:
  std::unique_ptr<Log> open(const Log::Options& options) {
    auto log = Log::open(options, clock_);
    CHECK(log.has_value());
    return std::move(*log);
  }

  std::unique_ptr<Log> open_file() { return open({.file = file_}); }

  std::string written() const { return fingerprint_of(file_); }

  VirtualClock clock_{start};
  TemporaryFolder folder_;
  std::string file_ = folder_.file("gavel.log");
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_F(LogTest, OneObjectALineInTheOrderGiven) {
  const auto log = open_file();
  log->write(Level::info, "started");
  clock_.advance(Duration(1234));
  log->write(Level::warn, "batch_halved", {{"lane", 3}, {"sku", "SKU-1"}, {"size", -7}});
  log->write(Level::error, "store_broken", {{"why", "disk \"full\"\nat \x1b[31m\xff"}});
  EXPECT_EQ(written(), R"({"at":"2022-02-22T19:22:22.000Z","level":"info","event":"started"}
{"at":"2022-02-22T19:22:23.234Z","level":"warn","event":"batch_halved","lane":3,"sku":"SKU-1","size":-7}
{"at":"2022-02-22T19:22:23.234Z","level":"error","event":"store_broken","why":"disk \"full\"\nat \u001b[31m�"}
)");
}

TEST_F(LogTest, NoTextIsTakenForAFormat) {
  const auto log = open_file();
  log->write(Level::info, "{} %v %s", {{"%n{0}", "{nothing} %d %%"}});
  EXPECT_EQ(written(),
            R"({"at":"2022-02-22T19:22:22.000Z","level":"info","event":"{} %v %s","%n{0}":"{nothing} %d %%"}
)");
}

TEST_F(LogTest, WhatIsBelowTheLevelIsNotWritten) {
  const std::pair<Level, std::string_view> rows[] = {
      {Level::debug, "debug info warn error "},
      {Level::info, "info warn error "},
      {Level::warn, "warn error "},
      {Level::error, "error "},
  };
  for (const auto& [level, expected] : rows) {
    std::filesystem::remove(file_);
    const auto log = open({.file = file_, .level = level});
    for (const Level each : {Level::debug, Level::info, Level::warn, Level::error}) log->write(each, "x");
    std::string levels;
    for (const std::string& line : lines_of(written())) {
      levels.append(boost::json::parse(line).at("level").as_string()).append(" ");
    }
    EXPECT_EQ(levels, expected);
  }
}

TEST_F(LogTest, AnEmptyFileNameMeansStandardError) {
  testing::internal::CaptureStderr();
  open({})->write(Level::info, "started", {{"port", 8080}});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            R"({"at":"2022-02-22T19:22:22.000Z","level":"info","event":"started","port":8080}
)");
}

TEST_F(LogTest, SilentWritesNowhere) {
  testing::internal::CaptureStderr();
  Log::silent()->write(Level::error, "unheard", {{"n", 1}});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(LogTest, AFunctionTakesTheLinesInsteadOfAFile) {
  std::vector<std::string> lines;
  const auto log = open({.file = file_, .into = [&](std::string_view line) { lines.emplace_back(line); }});
  log->write(Level::debug, "unheard");
  log->write(Level::warn, "heard", {{"n", 1}});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], R"({"at":"2022-02-22T19:22:22.000Z","level":"warn","event":"heard","n":1})");
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(LogTest, ALongTextIsCutAndStaysValid) {
  const auto log = open_file();
  // An odd start puts the cut between the two bytes of a character.
  std::string text = "x";
  for (int i = 0; i < 100'000; ++i) text += "é";
  log->write(Level::info, "long", {{"text", text}, {"after", 1}});
  const auto line = boost::json::parse(written());
  EXPECT_EQ(line.at("text").as_string(), text.substr(0, 4095) + "�…");
  EXPECT_EQ(line.at("after").as_int64(), 1);
}

TEST_F(LogTest, AppendsToWhatIsThereAndEndsATornLine) {
  write_content(file_, "{\"whole\":1}\n{\"to");
  open_file()->write(Level::info, "one");
  open_file()->write(Level::info, "two");
  EXPECT_EQ(written(), R"({"whole":1}
{"to
{"at":"2022-02-22T19:22:22.000Z","level":"info","event":"one"}
{"at":"2022-02-22T19:22:22.000Z","level":"info","event":"two"}
)");
}

// All files of the folder, from the oldest to the one written to.
std::vector<std::string> rotated(const TemporaryFolder& folder, std::uint64_t files_max) {
  std::vector<std::string> files;
  for (std::uint64_t n = files_max; n >= 1; --n)
    files.push_back(folder.file("gavel." + std::to_string(n) + ".log"));
  files.push_back(folder.file("gavel.log"));
  return files;
}

TEST_F(LogTest, RotationKeepsTheNewestLinesWithinItsBound) {
  for (const std::uint64_t files_max : {0U, 1U, 3U}) {
    const TemporaryFolder folder;
    const auto log =
        open({.file = folder.file("gavel.log"), .file_bytes_max = file_bytes, .files_max = files_max});
    const std::string filling(900, 'x');
    constexpr int lines = 500;
    for (int n = 0; n < lines; ++n) {
      log->write(Level::info, "filled", {{"n", n}, {"filling", filling}});
      std::uint64_t bytes = 0;
      for (const auto& entry : std::filesystem::directory_iterator(folder.path())) bytes += entry.file_size();
      ASSERT_LE(bytes, (files_max + 1) * file_bytes);
    }
    std::vector<std::int64_t> numbers;
    for (const std::string& file : rotated(folder, files_max)) {
      for (const std::string& line : lines_of(fingerprint_of(file))) {
        numbers.push_back(boost::json::parse(line).at("n").as_int64());
      }
    }
    // Full files hold at least 60 such lines, and the last line written is the last line kept.
    ASSERT_GE(numbers.size(), files_max * 60 + 1);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ASSERT_EQ(numbers[i], lines - static_cast<std::int64_t>(numbers.size() - i));
    }
  }
}

TEST_F(LogTest, ManyThreadsWriteWholeLines) {
  const auto log = open_file();
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&log, thread] {
      for (int n = 0; n < 500; ++n) log->write(Level::info, "said", {{"thread", thread}, {"n", n}});
    });
  }
  threads.clear();
  std::map<std::int64_t, std::int64_t> next;
  for (const std::string& line : lines_of(written())) {
    const auto value = boost::json::parse(line);
    ASSERT_EQ(value.at("n").as_int64(), next[value.at("thread").as_int64()]++);
  }
  EXPECT_EQ(next, (std::map<std::int64_t, std::int64_t>{{0, 500}, {1, 500}, {2, 500}, {3, 500}}));
}

TEST_F(LogTest, RefusesWhatCannotBeWritten) {
  const TemporaryFolder folder;
  write_content(folder.file("plain"), "");
  const std::pair<Log::Options, std::string> rows[] = {
      {{.file = folder.path()}, "Failed opening file " + folder.path() + " for writing: Is a directory"},
      {{.file = folder.file("plain/gavel.log")},
       "Failed opening file " + folder.file("plain/gavel.log") + " for writing: Not a directory"},
      {{.file = file_, .file_bytes_max = file_bytes - 1},
       "files of at least 65536 bytes are needed, and at most 1000 of them"},
      {{.file = file_, .files_max = 1001},
       "files of at least 65536 bytes are needed, and at most 1000 of them"},
  };
  for (const auto& [options, expected] : rows) {
    const auto log = Log::open(options, clock_);
    ASSERT_FALSE(log.has_value()) << expected;
    EXPECT_EQ(log.error().code, ErrorCode::invalid);
    EXPECT_EQ(log.error().message, "the log cannot be opened: " + expected);
  }
}

TEST_F(LogTest, AFullDiskIsSaidOnceAndTheLostLinesAreCountedWhenItIsOver) {
  std::filesystem::create_symlink("/dev/full", file_);
  testing::internal::CaptureStderr();
  const auto log = open_file();
  for (int n = 0; n < 3; ++n) log->write(Level::info, "lost");
  clock_.advance(Duration(1000));
  log->write(Level::info, "lost");  // Tries again, in vain.
  std::filesystem::remove(file_);
  log->write(Level::info, "lost");  // Too early to try again.
  clock_.advance(Duration(1000));
  log->write(Level::info, "kept");
  log->write(Level::info, "kept_too");
  EXPECT_EQ(written(), R"({"at":"2022-02-22T19:22:24.000Z","level":"warn","event":"log_lines_lost","lines":5}
{"at":"2022-02-22T19:22:24.000Z","level":"info","event":"kept"}
{"at":"2022-02-22T19:22:24.000Z","level":"info","event":"kept_too"}
)");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gavel: the log cannot be written and loses lines: Failed flush to file " + file_ +
                ": No space left on device\n");
}

TEST_F(LogTest, ARotationThatFailsDoesNotEndTheProcess) {
  // The place of the rotated file is taken by something that cannot be replaced.
  std::filesystem::create_directories(folder_.file("gavel.1.log/occupied"));
  testing::internal::CaptureStderr();
  const auto log = open({.file = file_, .file_bytes_max = file_bytes, .files_max = 1});
  const std::string filling(900, 'x');
  for (int n = 0; n < 200; ++n) log->write(Level::info, "filled", {{"filling", filling}});
  clock_.advance(Duration(1000));
  log->write(Level::info, "after");
  EXPECT_EQ(lines_of(written()).back(),
            R"({"at":"2022-02-22T19:22:23.000Z","level":"info","event":"after"})");
  EXPECT_LE(std::filesystem::file_size(file_), file_bytes);
  EXPECT_EQ(lines_of(testing::internal::GetCapturedStderr()).size(), 1);
}

TEST_F(LogTest, AFolderThatVanishedDoesNotEndTheProcess) {
  const std::string inner = folder_.file("logs");
  testing::internal::CaptureStderr();
  const auto log = open({.file = inner + "/gavel.log", .file_bytes_max = file_bytes, .files_max = 1});
  std::filesystem::remove_all(inner);
  write_content(inner, "a file where the folder was");
  const std::string filling(900, 'x');
  for (int n = 0; n < 200; ++n) log->write(Level::info, "filled", {{"filling", filling}});
  std::filesystem::remove(inner);
  clock_.advance(Duration(1000));
  log->write(Level::info, "after");
  EXPECT_EQ(lines_of(fingerprint_of(inner + "/gavel.log")).back(),
            R"({"at":"2022-02-22T19:22:23.000Z","level":"info","event":"after"})");
  EXPECT_EQ(lines_of(testing::internal::GetCapturedStderr()).size(), 1);
}

TEST(SamplerTest, LetsTheFirstOfEveryFewThrough) {
  const std::pair<std::uint64_t, std::string_view> rows[] = {
      {0, "xxxxxxxxxx"}, {1, "xxxxxxxxxx"}, {2, "x.x.x.x.x."}, {4, "x...x...x."}, {100, "x........."}};
  for (const auto& [one_in, expected] : rows) {
    Sampler sampler(one_in);
    std::string taken;
    for (int i = 0; i < 10; ++i) taken += sampler.take() ? 'x' : '.';
    EXPECT_EQ(taken, expected) << one_in;
  }
}

}  // namespace
}  // namespace gavel
