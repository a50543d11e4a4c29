// The two small files beside a database: the operators' key and the serving file.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "app/operator_key.h"
#include "app/serving_file.h"
#include "base/temporary_folder_test.h"

namespace gavel::app {
namespace {

mode_t mode_of(const std::string& file) {
  struct stat status{};
  EXPECT_EQ(::stat(file.c_str(), &status), 0);
  return status.st_mode & 0777U;
}

TEST(OperatorKey, IsMadeOnceAndReadAfterwards) {
  const TemporaryFolder folder;
  const std::string file = folder.file("gavel.key");
  const auto first = take_operator_key(file);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(first->fresh);
  EXPECT_EQ(first->secret.size(), 64U);
  EXPECT_EQ(mode_of(file), 0600U);
  EXPECT_EQ(fingerprint_of(file), first->secret + "\n");
  const auto second = take_operator_key(file);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->fresh);
  EXPECT_EQ(second->secret, first->secret);
  EXPECT_EQ(*read_operator_key(file), first->secret);
}

TEST(OperatorKey, NoTwoAreEqual) {
  const TemporaryFolder folder;
  std::set<std::string> keys;
  for (int i = 0; i < 20; ++i) keys.insert(take_operator_key(folder.file("key" + std::to_string(i)))->secret);
  EXPECT_EQ(keys.size(), 20U);
}

TEST(OperatorKey, IsRefusedWhereOthersMayRead) {
  const TemporaryFolder folder;
  const std::string file = folder.file("gavel.key");
  ASSERT_TRUE(take_operator_key(file));
  for (const mode_t mode : {0640U, 0604U, 0620U, 0602U, 0610U, 0666U}) {
    ASSERT_EQ(::chmod(file.c_str(), mode), 0);
    const auto key = take_operator_key(file);
    ASSERT_FALSE(key) << mode;
    EXPECT_EQ(key.error().message,
              "admin.key_file " + file +
                  " can be read or written by users other than its owner; run chmod 600 " + file +
                  ", or remove it and restart the server, which creates a new key");
    EXPECT_FALSE(read_operator_key(file));
  }
  ASSERT_EQ(::chmod(file.c_str(), 0400), 0);
  EXPECT_TRUE(take_operator_key(file));
}

TEST(OperatorKey, IsRefusedWhereItIsNone) {
  const TemporaryFolder folder;
  const std::string file = folder.file("gavel.key");
  const std::string good(32, 'k');
  for (const std::string& content :
       {std::string(), std::string("\n"), std::string(31, 'k'), std::string(513, 'k'), good + " " + good,
        good + "\n" + good, good + "\xc3\xa9"}) {
    write_content(file, content);
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
    const auto key = take_operator_key(file);
    ASSERT_FALSE(key) << content;
    EXPECT_EQ(
        key.error().message,
        "admin.key_file " + file +
            " holds no key (one line of 32 to 512 visible characters); remove it and restart the server, "
            "which creates a new key");
  }
  for (const std::string& content : {good, good + "\n", good + "\r\n", std::string(512, 'k') + "\n"}) {
    write_content(file, content);
    EXPECT_TRUE(take_operator_key(file)) << content;
  }
}

TEST(OperatorKey, NoFileWhereNoneCanBe) {
  const TemporaryFolder folder;
  EXPECT_FALSE(take_operator_key(folder.file("absent/gavel.key")));
  EXPECT_FALSE(take_operator_key(folder.path()));
  EXPECT_EQ(read_operator_key(folder.file("absent.key")).error().message,
            "admin.key_file " + folder.file("absent.key") +
                " does not exist; the server creates it at its start: restart it, or give another file");
  EXPECT_FALSE(std::filesystem::exists(folder.file("absent.key")));
}

TEST(ServingFile, RoundTrip) {
  const TemporaryFolder folder;
  const std::string database = folder.file("gavel.db");
  EXPECT_EQ(*read_serving_file(database), std::nullopt);
  const Serving serving{"http://127.0.0.1:8081", "/tmp/a \"key\".key"};
  ASSERT_TRUE(write_serving_file(database, serving));
  EXPECT_EQ(*read_serving_file(database), serving);
  remove_serving_file(database);
  EXPECT_EQ(*read_serving_file(database), std::nullopt);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ServingFile, IsRefusedWhereItIsNotOurs) {
  const TemporaryFolder folder;
  const std::string database = folder.file("gavel.db");
  for (const std::string content :
       {"", "{", "[]", "{}", R"({"operators":1,"key_file":"k"})", R"({"operators":"o"})"}) {
    write_content(serving_file_of(database), content);
    const auto serving = read_serving_file(database);
    ASSERT_FALSE(serving) << content;
    EXPECT_TRUE(serving.error().message.contains("gavel.db.serving")) << serving.error().message;
  }
}

}  // namespace
}  // namespace gavel::app
