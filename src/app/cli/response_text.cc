#include "app/cli/response_text.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "app/cli/terminal_text.h"
#include "base/check.h"

namespace gavel::app {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

// Rows of cells in columns; the first row is the head. Numbers are aligned to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { rows_.push_back(std::move(head)); }

  void add(std::vector<std::string> row) {
    CHECK(row.size() == rows_.front().size());
    rows_.push_back(std::move(row));
  }

  std::string text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
    }
    std::string all;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string room(widths[i] - columns_of(row[i]), ' ');
        line += (i == 0 ? "" : "  ") + (is_number(i) ? room + row[i] : row[i] + room);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      all += (all.empty() ? "" : "\n") + line;
    }
    return all;
  }

 private:
  bool is_number(std::size_t column) const {
    return rows_.size() > 1 && std::ranges::all_of(rows_.begin() + 1, rows_.end(), [&](const auto& row) {
             return !row[column].empty() &&
                    std::ranges::all_of(row[column], [](char c) { return c >= '0' && c <= '9'; });
           });
  }

  std::vector<std::vector<std::string>> rows_;
};

std::string text_of(const boost::json::string& text) { return {text.data(), text.size()}; }

std::string plain(const value& one) {
  return one.is_string() ? terminal_text(text_of(one.as_string())) : boost::json::serialize(one);
}

std::string cell(const object& of, std::string_view name) {
  const auto* found = of.if_contains(name);
  return found == nullptr ? "" : plain(*found);
}

const array& list(const object& of, std::string_view name) { return of.at(name).as_array(); }

// "tee 2, cup 1 (1 returned)"
std::string lines_of(const object& of) {
  std::string text;
  for (const value& one : list(of, "lines")) {
    const object& line = one.as_object();
    const char* units = line.contains("allotment") ? "allotment" : "quantity";
    text += (text.empty() ? "" : ", ") + cell(line, "sku") + " " + cell(line, units);
    if (line.contains("returned")) text += " (" + cell(line, "returned") + " returned)";
    if (line.contains("shipped")) text += " (" + cell(line, "shipped") + " shipped)";
  }
  return text;
}

std::string page_end(const object& page) {
  std::string text;
  const auto* next = page.if_contains("next");
  if (next != nullptr) text += "\nmore: rerun with --cursor " + shell_word(text_of(next->as_string()));
  const auto* lag = page.if_contains("lag_batches");
  if (lag != nullptr && lag->as_int64() > 0) {
    text += "\nincomplete: the index of orders is " + cell(page, "lag_batches") + " batches (" +
            cell(page, "lag_ms") + " ms) behind";
  }
  return text;
}

// "received: sku tee, quantity 100, at 2026-11-29T21:42:29.684Z"
std::string result(const object& response) {
  std::string text = cell(response, "code") + ":";
  std::string_view separator = " ";
  for (const auto& [name, one] : response) {
    if (name == "code") continue;
    text += std::string(separator) + std::string(name) + " ";
    text += name == "lines" ? lines_of(response) : plain(one);
    separator = ", ";
  }
  return text;
}

std::string stock(const object& response) {
  Table table({"SKU", "WAREHOUSE", "POOL", "AVAILABLE", "RESERVED", "SOLD", "SHIPPED", "SHORT", "VERSION"});
  for (const value& one : list(response, "stock")) {
    const object& row = one.as_object();
    table.add({cell(row, "sku"), cell(row, "warehouse"), cell(row, "pool"), cell(row, "available"),
               cell(row, "reserved"), cell(row, "sold"), cell(row, "shipped"), cell(row, "shortage"),
               cell(row, "version")});
  }
  return table.text() + "\nfrom the " + cell(response, "source") + ", " + cell(response, "age_ms") +
         " ms old" + page_end(response);
}

std::string one_order(const object& response) {
  std::string text = "order " + cell(response, "id") + ", " + cell(response, "state") + ", of user " +
                     cell(response, "user");
  if (response.contains("activity")) text += ", activity " + cell(response, "activity");
  for (const auto& [name, what] : {std::pair("created_at", "created"), std::pair("expires_at", "held until"),
                                   std::pair("settled_at", "settled")}) {
    if (response.contains(name)) text += "\n" + std::string(what) + " " + cell(response, name);
  }
  Table table({"SKU", "QUANTITY", "RETURNED", "SHIPPED", "FROM"});
  for (const value& one : list(response, "lines")) {
    const object& line = one.as_object();
    std::string from;
    for (const value& part : list(line, "taken")) {
      const object& taken = part.as_object();
      from += (from.empty() ? "" : ", ") + cell(taken, "warehouse") + "/" + cell(taken, "bucket") + " " +
              cell(taken, "quantity");
    }
    const std::string returned = line.contains("returned") ? cell(line, "returned") : "0";
    const std::string shipped = line.contains("shipped") ? cell(line, "shipped") : "0";
    table.add({cell(line, "sku"), cell(line, "quantity"), returned, shipped, from});
  }
  return text + "\n" + table.text();
}

std::string orders(const object& response) {
  Table table({"ORDER", "STATE", "CREATED", "ACTIVITY", "LINES"});
  for (const value& one : list(response, "orders")) {
    const object& row = one.as_object();
    table.add(
        {cell(row, "id"), cell(row, "state"), cell(row, "created_at"), cell(row, "activity"), lines_of(row)});
  }
  return table.text() + page_end(response);
}

std::vector<std::string> activity_row(const object& row) {
  return {cell(row, "id"),       cell(row, "state"),     lines_of(row),    cell(row, "limit_per_user"),
          cell(row, "opens_at"), cell(row, "closes_at"), cell(row, "name")};
}

std::vector<std::string> activity_head() {
  return {"ACTIVITY", "STATE", "ALLOTTED", "PER USER", "OPENS", "CLOSES", "NAME"};
}

std::string one_activity(const object& response) {
  Table table(activity_head());
  table.add(activity_row(response));
  return table.text();
}

std::string activities(const object& response) {
  Table table(activity_head());
  for (const value& one : list(response, "activities")) table.add(activity_row(one.as_object()));
  return table.text() + page_end(response);
}

// A row for each bucket; empty cells where the gate does not have it.
std::string gate(const object& response) {
  Table table(
      {"SKU", "POOL", "MODE", "BUCKET", "AVAILABLE", "SEQ", "AT GATE", "HELD", "SEQ AT GATE", "CLOSED"});
  for (const value& one : list(response, "gate")) {
    const object& item = one.as_object();
    for (const value& part : list(item, "buckets")) {
      const object& bucket = part.as_object();
      table.add({cell(item, "sku"), cell(item, "pool"), cell(item, "mode"), cell(bucket, "bucket"),
                 cell(bucket, "available"), cell(bucket, "seq"), cell(bucket, "at_gate"),
                 cell(bucket, "held_at_gate"), cell(bucket, "seq_at_gate"), cell(bucket, "closed_at_gate")});
    }
  }
  return table.text();
}

// Requests and ledger entries by time; a request stands before its entries.
std::string one_trace(const object& trace) {
  std::vector<std::vector<std::string>> rows;
  for (const value& one : list(trace, "requests")) {
    const object& request = one.as_object();
    rows.push_back({cell(request, "at"), "request", cell(request, "caller") + ":" + cell(request, "key"),
                    cell(request, "code")});
  }
  for (const value& one : list(trace, "flows")) {
    const object& flow = one.as_object();
    rows.push_back({cell(flow, "at"), "ledger",
                    cell(flow, "caller") + (flow.contains("key") ? ":" + cell(flow, "key") : ""),
                    cell(flow, "action") + " " + cell(flow, "quantity") + " " + cell(flow, "sku") + " at " +
                        cell(flow, "warehouse") + "/" + cell(flow, "bucket") + ", available " +
                        cell(flow, "before") + " to " + cell(flow, "after") + " (seq " + cell(flow, "seq") +
                        ", batch " + cell(flow, "lane") + "/" + cell(flow, "batch") + ")"});
  }
  std::ranges::stable_sort(rows, {}, [](const auto& row) { return row[0]; });
  Table table({"AT", "WHAT", "BY", ""});
  for (auto& row : rows) table.add(std::move(row));
  const auto* order = trace.if_contains("order");
  const std::string head = order == nullptr ? "no order" : one_order(order->as_object());
  return head + "\n" + table.text();
}

std::string traces(const object& response) {
  if (!response.contains("traces")) return one_trace(response);
  std::string text;
  for (const value& one : list(response, "traces")) {
    text += (text.empty() ? "" : "\n\n") + one_trace(one.as_object());
  }
  if (text.empty()) text = "no order";
  return text + page_end(response);
}

std::string clocks(const object& response) {
  Table table({"CLOCK", "TIME"});
  table.add({"judge", cell(response, "judge")});
  table.add({"wall", cell(response, "wall")});
  return table.text() + "\nwall - judge: " + cell(response, "difference_ms") + " ms";
}

std::string text_of(ResponseLayout layout, const object& response) {
  switch (layout) {
    case ResponseLayout::result:
      return result(response);
    case ResponseLayout::stock:
      return stock(response);
    case ResponseLayout::order:
      return one_order(response);
    case ResponseLayout::orders:
      return orders(response);
    case ResponseLayout::activity:
      return one_activity(response);
    case ResponseLayout::activities:
      return activities(response);
    case ResponseLayout::gate:
      return gate(response);
    case ResponseLayout::clocks:
      return clocks(response);
    case ResponseLayout::trace:
      return traces(response);
  }
  return "";
}

}  // namespace

Result<std::string> text_of_response(ResponseLayout layout, const std::string& body) {
  try {
    return text_of(layout, boost::json::parse(body).as_object());
  } catch (const std::exception& error) {
    return fail(ErrorCode::invalid,
                std::string("the response lacks a field or is not JSON: ") + error.what());
  }
}

}  // namespace gavel::app
