// CHECK: an assertion that stays on in every build.
//
// Use it for what must hold if the program is right: a broken invariant aborts with file and line, because
// continuing would sell on the basis of wrong numbers. Never use it for bad input (that is an Outcome) or for
// a failing disk or server (that is an Error). Thread-safe; never returns after a failure.
#pragma once

namespace gavel {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace gavel

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::gavel::check_failed(#condition, __FILE__, __LINE__))
