// The operators' key: the credential of the operators' listener, in a file that its owner alone may read.
//
// Blocks on the file; any thread.
#pragma once

#include <string>

#include "base/result.h"

namespace gavel::app {

struct OperatorKey {
  std::string secret;
  bool fresh;  // The file was made by this call.
};

// Reads the key; where there is no file, makes one of 256 bits from the operating system with mode 0600.
// `invalid`, in one line that says what to do, if others may read the file or it holds no key.
Result<OperatorKey> take_operator_key(const std::string& file);

// 256 bits from the operating system, as 64 hexadecimal digits. `invalid` if it has none.
Result<std::string> random_key();

// The same as take_operator_key without making a file.
Result<std::string> read_operator_key(const std::string& file);

// The key of an account, from a file like that of the operators' key; `flag` names the file in errors.
Result<std::string> read_account_key(const std::string& flag, const std::string& file);

}  // namespace gavel::app
