// A history as a file: what a load of another language has noted, one JSON object a line.
//
//   {"terms": {"per_ms": 1000000, "at_epoch": -17, "release_within_ms": 2000, "at_rest": true}}
//   {"caller": "shop", "key": "k1", "act": "reserve", "user": "ann", "lines": [["tee", 1]], "activity":
//   "sale",
//    "call": 5, "answered": 9, "outcome": "reserved", "recorded": true, "order": "…", "text": "201 …"}
//   {"reading": true, "call": 5, "answered": 9, "sku": "tee", "available": 3, "reserved": 0, "sold": 1}
//
// The names are those of oracle/history.h and oracle/check.h. What is left out is empty; an attempt without
// an outcome had no reply. A name that is not known is an error: a typing mistake would check nothing.
#pragma once

#include <istream>
#include <string>

#include "base/result.h"
#include "oracle/check.h"

namespace gavel::plain {

struct HistoryFile {
  oracle::History history;
  oracle::Terms terms;
};

// `invalid` names the line and what is wrong with it.
Result<HistoryFile> read_history(std::istream& lines);

}  // namespace gavel::plain
