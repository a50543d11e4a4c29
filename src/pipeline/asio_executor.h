// AsioExecutor: the thread that runs an io_context, as an Executor.
#pragma once

#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include "pipeline/executor.h"

namespace gavel::pipeline {

class AsioExecutor final : public Executor {
 public:
  // Of an io_context that one thread runs.
  explicit AsioExecutor(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  void post(Work work) override { boost::asio::post(executor_, std::move(work)); }
  void dispatch(Work work) override { boost::asio::dispatch(executor_, std::move(work)); }

 private:
  boost::asio::any_io_executor executor_;
};

}  // namespace gavel::pipeline
