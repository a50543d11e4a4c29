# The everyday commands; `make help` lists them. Every step is a script or a cmake preset that can be run by hand.

JOBS ?= $(shell nproc)
SEEDS ?= 1000
ARGS ?=
MODE ?= gated
# SETUP=--no-setup leaves the packages to you.
SETUP ?=
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:

.PHONY: all demo test sim sim-bugs bench check release-check crash format clean help

all: build/release/build.ninja ## Build the program, build/release/gavel (the default)
	@cmake --build --preset release -j $(JOBS) || { echo "make: the release build failed; the first error above says why" >&2; exit 1; }

# Ninja configures again by itself when a CMakeLists.txt changes, but knows nothing of the presets.
build/%/build.ninja: CMakePresets.json
	@cmake --preset $* || { echo "make: cmake could not configure '$*'; its message is above" >&2; exit 1; }
	@touch $@

demo: ## Install what is missing, build, and run the demonstration; MODE=direct is without the gate, ARGS="..." are passed on
	@echo "[1/3] setup"
	@tools/setup $(SETUP) build
	@echo "[2/3] build"
	@$(MAKE) all
	@echo "[3/3] demo"
	@build/release/gavel demo --mode $(MODE) $(ARGS)

test: ## Install what is missing, then run every test; the last line is `N passed, N failed`
	@tools/setup $(SETUP) test || { echo "0 passed, 1 failed"; exit 1; }
	@JOBS=$(JOBS) tools/test

sim: ## Run SEEDS=1000 fresh seeds of the simulator; ARGS="--operations 1000" are passed on
	@tools/setup $(SETUP) test >&2
	@cmake --preset dev --log-level=WARNING >&2 && cmake --build --preset dev -j $(JOBS) --target gavel_program_gavel-sim >&2
	@build/dev/gavel-sim --fresh --seeds $(SEEDS) --jobs $(JOBS) $(ARGS)

sim-bugs: ## Put each seeded bug into the service and say which oracle finds it; the last line is `k of n seeded bugs caught`
	@tools/setup $(SETUP) test >&2
	@cmake --preset dev --log-level=WARNING >&2 && cmake --build --preset dev -j $(JOBS) --target gavel_program_gavel-sim-bugs >&2
	@build/dev/gavel-sim-bugs --jobs $(JOBS) $(ARGS) 2>/dev/null

# Configured again each time, since the library may have been installed just before.
bench: ## Install what is missing, build the benchmarks and run them within 3 minutes; ARGS="judge" runs one
	@tools/setup $(SETUP) bench
	@cmake --preset release --log-level=WARNING && cmake --build --preset release -j $(JOBS) --target bench
	@tools/bench $(ARGS)

check: ## House rules, include table, format: a few seconds, no build
	@tools/check

release-check: test ## What a release has to pass: make test, and then what takes an hour besides; ARGS="tidy" runs one step
	@tools/setup $(SETUP) release
	@JOBS=$(JOBS) tools/release-check $(ARGS)

crash: all ## Kill the server 20 times under load and verify what it had promised
	@cmake --build --preset release -j $(JOBS) --target gavel-oracle
	@GAVEL_PROGRAM=$(CURDIR)/build/release/gavel python3 -B tests/e2e/crash.py --rounds 20 $(ARGS)

format: ## Put all tracked C++ into the house's form
	@git ls-files -z -- '*.h' '*.cc' | xargs -0 --no-run-if-empty clang-format-19 -i

clean: ## Remove everything that was built
	@rm -rf build

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | awk -F '\t' '{ printf "make %-13s %s\n", $$1, $$2 }'
