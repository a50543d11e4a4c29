# The functions that the CMakeLists.txt of a folder may call, and the flags they give to everything we compile.
#
#   gavel_library(judge SOURCES judge.cc memory_store.cc DEPENDS rules base)
#   gavel_library(judge_sqlite SOURCES sqlite_store.cc DEPENDS judge rules base LINKS SQLite::SQLite3)
#   gavel_test(judge_test LABEL unit SOURCES judge_test.cc DEPENDS judge rules base)
#   gavel_program(gavel SOURCES main.cc DEPENDS http judge_sqlite base LINKS CLI11::CLI11)
#   gavel_e2e(crash SCRIPT crash.py ARGS --rounds 3)
#   gavel_headers_alone(base rules)
#
# DEPENDS names gavel libraries without their prefix. It is the whole truth: tools/include_table.py fails when a file
# includes a folder that its library does not declare, or when the folder table does not allow what is declared.

# One interface library carries the flags, so that no target of ours can be built without them.
add_library(gavel_flags INTERFACE)
target_include_directories(gavel_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(gavel_flags INTERFACE Threads::Threads)

target_compile_definitions(gavel_flags INTERFACE
  # An out-of-range index is a broken invariant; like our own CHECK it ends the process in every build.
  _GLIBCXX_ASSERTIONS
  # Asio without its deprecated names and the executors of the old TS: one way to write a thing, and shorter units.
  BOOST_ASIO_NO_DEPRECATED
  BOOST_ASIO_NO_TS_EXECUTORS)

target_compile_options(gavel_flags INTERFACE
  -Wall -Wextra -Wpedantic -Werror
  -Wshadow -Wconversion -Wsign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wcast-qual
  -Wformat=2 -Wimplicit-fallthrough -Wextra-semi -Wundef -Wvla
  # Where sources are compiled together, a local name may be that of a neighbour's constant, and a type may contain one
  # of a source that was included.
  $<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-shadow$<SEMICOLON>$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>>)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(gavel_flags INTERFACE
    -fcoroutines -Wduplicated-cond -Wduplicated-branches -Wlogical-op)
else()
  # Thread safety is checked by Clang only; base/ annotates its mutexes for it.
  target_compile_options(gavel_flags INTERFACE
    -Wthread-safety -Werror=thread-safety -Wunreachable-code
    # std::stable_sort of GCC's library calls a function that it deprecates itself. GCC still checks what we call.
    -Wno-deprecated-declarations)
endif()

# GCC 12 errs at -O2 about code that it inlined from the standard library. These four stay visible but do not stop a
# release build; the same code is checked with all warnings as errors in the dev and asan builds.
if(GAVEL_RELEASE_WARNINGS)
  target_compile_options(gavel_flags INTERFACE
    -Wno-error=restrict             # std::string assignment and operator+ (GCC PR 105329, 105651)
    -Wno-error=maybe-uninitialized  # the empty state of optional, expected, variant (GCC PR 80635)
    -Wno-error=array-bounds         # growth of std::vector (GCC PR 107852)
    -Wno-error=stringop-overflow)   # growth of std::vector (GCC PR 107852)
endif()

# The sanitizers bring an allocator of their own, and the other builds need none.
if(GAVEL_TCMALLOC)
  # Its calls are those of the C library, so its headers are not wanted, nor the package that has them.
  find_library(GAVEL_TCMALLOC_LIBRARY libtcmalloc_minimal.so.4 REQUIRED)
  target_link_libraries(gavel_flags INTERFACE ${GAVEL_TCMALLOC_LIBRARY})
endif()

# The standard library's headers are half of what the front end reads for a unit. The builds with sanitizers read them
# once, and those of GoogleTest with them for the tests. In the dev build each unit of the product says itself what it
# includes, so that nothing forgotten is hidden by this.
set(gavel_standard_headers
  <algorithm> <array> <atomic> <charconv> <chrono> <condition_variable> <cstdint> <deque> <expected> <functional> <limits>
  <map> <memory> <mutex> <optional> <ranges> <set> <span> <sstream> <string> <string_view> <thread> <unordered_map>
  <utility> <variant> <vector>)
if(GAVEL_PRECOMPILE)
  if(NOT GAVEL_TESTS)
    message(FATAL_ERROR "GAVEL_PRECOMPILE is for builds with tests")
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/empty.cc CONTENT "")
  foreach(kind IN ITEMS product test)
    add_library(gavel_precompiled_${kind} OBJECT ${PROJECT_BINARY_DIR}/precompiled/empty.cc)
    target_link_libraries(gavel_precompiled_${kind} PRIVATE gavel_flags)
    target_precompile_headers(gavel_precompiled_${kind} PRIVATE ${gavel_standard_headers})
  endforeach()
  target_link_libraries(gavel_precompiled_test PRIVATE GTest::gtest)
  target_compile_options(gavel_precompiled_test PRIVATE ${GAVEL_TEST_OPTIONS})
  target_precompile_headers(gavel_precompiled_test PRIVATE <gtest/gtest.h>)
endif()

# Gives `target`, which is of the kind `product` or `test`, the headers that were read before.
function(gavel_precompile target kind)
  if(GAVEL_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM gavel_precompiled_${kind})
  endif()
endfunction()

# Has the sources of `target`, which is of the kind `product` or `test`, compiled six at a time where GAVEL_TOGETHER says
# so: half of what a compiler does for a unit it does for the headers. What such a build cannot see another one does: the
# dev build compiles each source of the product alone, so that nothing forgotten is hidden by a neighbour's headers.
function(gavel_compile_together target kind)
  if(NOT GAVEL_TOGETHER MATCHES "^(|tests|all)$")
    message(FATAL_ERROR "GAVEL_TOGETHER is tests, all or empty, not '${GAVEL_TOGETHER}'")
  endif()
  if(GAVEL_TOGETHER STREQUAL "all" OR (GAVEL_TOGETHER STREQUAL "tests" AND kind STREQUAL "test"))
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

# Links `target` with the named libraries of ours. A missing name would become `-lgavel_x` and fail at the linker, far
# from its cause; the order of folders also makes this the first guard against an include that points up.
function(gavel_depend target scope)
  foreach(name IN LISTS ARGN)
    if(NOT TARGET gavel_${name})
      message(FATAL_ERROR "${target} depends on '${name}', which no folder before it declares")
    endif()
    target_link_libraries(${target} ${scope} gavel_${name})
  endforeach()
endfunction()

# Stops on a misspelt keyword or a missing value instead of building something else than was meant.
macro(gavel_check_arguments function)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function}: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
endmacro()

# gavel_library(<name> [SOURCES ...] [DEPENDS ...] [LINKS ...]): static library gavel_<name>; without sources an
# interface library. LINKS are external targets.
function(gavel_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LINKS")
  gavel_check_arguments("gavel_library(${name})")
  if(arg_SOURCES)
    add_library(gavel_${name} STATIC ${arg_SOURCES})
    gavel_precompile(gavel_${name} product)
    gavel_compile_together(gavel_${name} product)
    set(scope PUBLIC)
  else()
    add_library(gavel_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(gavel_${name} ${scope} gavel_flags ${arg_LINKS})
  gavel_depend(gavel_${name} ${scope} ${arg_DEPENDS})
endfunction()

# gavel_program(<name> SOURCES ... [DEPENDS ...] [LINKS ...]): the executable build/<preset>/<name>.
function(gavel_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LINKS")
  gavel_check_arguments("gavel_program(${name})")
  # The target carries a prefix, since the program `gavel` and a library could share a name.
  add_executable(gavel_program_${name} ${arg_SOURCES})
  gavel_precompile(gavel_program_${name} product)
  gavel_compile_together(gavel_program_${name} product)
  set_target_properties(gavel_program_${name} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(gavel_program_${name} PRIVATE gavel_flags ${arg_LINKS})
  gavel_depend(gavel_program_${name} PRIVATE ${arg_DEPENDS})
endfunction()

# Sets `result` to the sources that are given, with the objects in place of those that several tests share: sources in a
# folder testing/ that are no test of their own, such as the contract of a store. Each is compiled once for all tests.
function(gavel_compile_once result)
  set(sources)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    if(path MATCHES "/testing/[^/]*\\.cc$" AND NOT path MATCHES "_test\\.cc$")
      cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE name)
      string(MAKE_C_IDENTIFIER "gavel_once_${name}" object)
      if(NOT TARGET ${object})
        add_library(${object} OBJECT EXCLUDE_FROM_ALL ${path})
        target_link_libraries(${object} PRIVATE gavel_flags GTest::gtest)
        target_compile_options(${object} PRIVATE ${GAVEL_TEST_OPTIONS})
        gavel_precompile(${object} test)
      endif()
      set(source $<TARGET_OBJECTS:${object}>)
    endif()
    list(APPEND sources ${source})
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# Stops if one of the sources starts a thread: such a test belongs under the thread sanitizer.
function(gavel_forbid_threads name)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    file(STRINGS ${path} found REGEX "std::j?thread|LaneThreads|Ticker" LIMIT_COUNT 1)
    if(found)
      message(FATAL_ERROR "gavel_test(${name}): ${source} starts threads; say THREADS, so that the preset tsan runs it")
    endif()
  endforeach()
endfunction()

# gavel_test(<name> LABEL unit|contract|http [THREADS] SOURCES ... [DEPENDS ...] [LINKS ...] [TIMEOUT seconds]): a
# GoogleTest executable whose cases ctest knows one by one. The label decides in which step of tools/test they run.
# THREADS says that its tests start threads: the build under the thread sanitizer has these alone.
function(gavel_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "THREADS" "LABEL;TIMEOUT" "SOURCES;DEPENDS;LINKS")
  gavel_check_arguments("gavel_test(${name})")
  if(NOT arg_THREADS)
    gavel_forbid_threads(${name} ${arg_SOURCES})
  endif()
  if(NOT arg_LABEL MATCHES "^(unit|contract|http)$")
    message(FATAL_ERROR "gavel_test(${name}): LABEL must be unit, contract or http; end to end tests use gavel_e2e")
  endif()
  if(NOT GAVEL_TESTS OR (GAVEL_ONLY_THREADS AND NOT arg_THREADS))
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  gavel_compile_once(sources ${arg_SOURCES})
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE gavel_flags GTest::gtest_main ${arg_LINKS})
  target_compile_options(${name} PRIVATE ${GAVEL_TEST_OPTIONS})
  gavel_precompile(${name} test)
  gavel_compile_together(${name} test)
  gavel_depend(${name} PRIVATE ${arg_DEPENDS})
  # Tests are listed when ctest starts, so that a build never runs what it builds.
  gtest_discover_tests(${name}
    TEST_PREFIX ${name}/
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT})
endfunction()

# gavel_e2e(<name> SCRIPT file.py [ALONE] [ARGS ...] [TIMEOUT seconds]): a Python script that drives the finished program,
# whose path it finds in the environment variable GAVEL_PROGRAM. It passes by exit code 0. tools/test runs it on the
# release build. ALONE says that it measures time, so that nothing runs beside it. Those that keep a history have it judged
# by the program gavel-oracle, which the test e2e/oracle_program builds first: who only wants the service need not wait.
function(gavel_e2e name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ALONE" "SCRIPT;TIMEOUT" "ARGS")
  gavel_check_arguments("gavel_e2e(${name})")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_test(NAME e2e/${name} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT} ${arg_ARGS})
  # Those that may take longest begin first, so that none is left over for the end alone.
  set_tests_properties(e2e/${name} PROPERTIES
    COST ${arg_TIMEOUT} LABELS e2e TIMEOUT ${arg_TIMEOUT} RUN_SERIAL ${arg_ALONE} FIXTURES_REQUIRED oracle_program
    ENVIRONMENT "GAVEL_PROGRAM=${PROJECT_BINARY_DIR}/gavel;PYTHONDONTWRITEBYTECODE=1")
endfunction()

# gavel_headers_alone(folders...): compiles each header of these folders as a unit of its own, with the tests. Where a
# source includes a header before anything else, compiling that source shows the same, so that only the others are left.
function(gavel_headers_alone)
  if(NOT GAVEL_TESTS OR NOT GAVEL_HEADERS_ALONE)
    return()
  endif()
  set(headers)
  set(shown)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src src/${folder}/*.h)
    list(APPEND headers ${found})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/${folder}/*.cc)
    foreach(source IN LISTS sources)
      file(STRINGS ${source} first REGEX "^#include " LIMIT_COUNT 1)
      string(REGEX REPLACE "^#include \"(.*)\"$" "\\1" first "${first}")
      list(APPEND shown "${first}")
    endforeach()
  endforeach()
  list(REMOVE_ITEM headers ${shown})
  set(units)
  foreach(header IN LISTS headers)
    set(unit ${PROJECT_BINARY_DIR}/headers/${header}.cc)
    file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${header}\"\n")
    list(APPEND units ${unit})
  endforeach()
  add_library(gavel_headers OBJECT ${units})
  target_link_libraries(gavel_headers PRIVATE gavel_flags Boost::headers)
  # The objects are thrown away.
  target_compile_options(gavel_headers PRIVATE -O0 -g0)
  # What clang-tidy finds in a header it says where a source includes it.
  set_target_properties(gavel_headers PROPERTIES CXX_CLANG_TIDY "")
endfunction()
