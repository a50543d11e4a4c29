#include "app/cli/finding_names.h"

#include <charconv>
#include <set>
#include <string_view>

#include "base/check.h"
#include "rules/state.h"

namespace gavel::app {
namespace {

// The numbers that follow `word` in the text.
void gather(std::string_view text, std::string_view word, std::set<std::int64_t>& numbers) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::string_view rest = text.substr(at + word.size());
    std::int64_t number = 0;
    if (std::from_chars(rest.data(), rest.data() + rest.size(), number).ec == std::errc())
      numbers.insert(number);
  }
}

}  // namespace

Result<ItemNames> item_names_of(judge::TablesReader& reader) {
  std::map<std::int64_t, std::string> skus;
  std::map<std::int64_t, std::string> activities;
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> items;
  judge::TablesReader::Visitor visitor;
  visitor.sku = [&](const rules::Sku& sku) { skus[sku.id.value] = sku.code.text(); };
  visitor.activity = [&](const rules::Activity& row) { activities[row.id.value] = row.code.text(); };
  visitor.item = [&](const rules::Item& item) {
    items[item.id.value] = {item.sku.value, item.activity.value};
  };
  if (auto read = reader.visit(visitor); !read) return std::unexpected(read.error());
  ItemNames names;
  for (const auto& [number, words] : items) {
    const auto& [sku, activity] = words;
    const bool is_free = activity == rules::free_pool.value;
    names[number] = skus[sku] + (is_free ? ", free stock" : ", set aside for " + activities[activity]);
  }
  return names;
}

std::string named_items_of(const std::string& what, const ItemNames& names) {
  std::set<std::int64_t> numbers;
  gather(what, "bucket ", numbers);
  gather(what, "item ", numbers);
  std::string text;
  for (const std::int64_t number : numbers) {
    const auto name = names.find(number);
    if (name == names.end()) continue;
    text += (text.empty() ? "item " : "; item ") + std::to_string(number) + ": " + name->second;
  }
  return text;
}

}  // namespace gavel::app
