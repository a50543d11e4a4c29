// The forms of the order index, each with the form of a store that it stands beside.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/temporary_folder_test.h"
#include "judge/sqlite/order_index.h"
#include "judge/testing/memory_form.h"
#include "judge/testing/sqlite_form_test.h"

namespace gavel::judge {

inline constexpr const char* some_boot = "first";

struct IndexForm {
  StoreForm store;
  bool is_kept;  // Beyond the life of the object.
  std::function<std::unique_ptr<OrderIndex>(const TemporaryFolder&)> open;
};

inline IndexForm memory_index_form() {
  return {memory_form(), false, [](const TemporaryFolder&) { return make_memory_order_index(); }};
}

inline IndexForm sqlite_index_form() {
  return {sqlite_form(), true, [](const TemporaryFolder& folder) {
            auto index = open_sqlite_order_index(folder.file("orders"), some_boot);
            CHECK(index);
            return *std::move(index);
          }};
}

inline void PrintTo(const IndexForm& form, std::ostream* out) { *out << form.store.name; }
inline std::string name_of_index_form(const ::testing::TestParamInfo<IndexForm>& info) {
  return info.param.store.name;
}

}  // namespace gavel::judge
