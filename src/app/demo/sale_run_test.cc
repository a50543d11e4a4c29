#include "app/demo/sale_run.h"

#include <string>

#include <gtest/gtest.h>

namespace gavel::app {
namespace {

TEST(SaleRun, ReadsReplies) {
  HttpResponse response{
      201, {{"idempotency-replayed", "true"}}, R"({"code":"reserved","order":"o1","user":"u1"})"};
  SaleReply reply = read_reply(response);
  EXPECT_EQ(reply.order + reply.user + reply.outcome, "o1u1reserved");
  EXPECT_TRUE(reply.recorded && reply.replayed);
  // limit_reached names the user's other order, which is none that this request made.
  response = HttpResponse{409, {}, R"({"code":"limit_reached","order":"o1","recorded":true})"};
  reply = read_reply(response);
  EXPECT_EQ(reply.order, "");
  EXPECT_TRUE(reply.recorded && !reply.replayed);
  response.body = R"({"code":"sold_out","recorded":false})";
  EXPECT_FALSE(read_reply(response).recorded);
  response.body = "no JSON";
  EXPECT_EQ(read_reply(response).outcome, "");
}

}  // namespace
}  // namespace gavel::app
