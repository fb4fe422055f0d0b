# The short commands. Each works in a fresh clone; `make` alone lists them.

JOBS ?= $(shell nproc)
TEST_MINUTES ?= 25
export FROM

ctest = ctest --test-dir build/$(1) --output-on-failure --no-tests=error -j$(JOBS)

.DEFAULT_GOAL := help
.PHONY: help deps build test test-long demo bench asan tsan fuzz format tidy clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-10s %s\n", $$1, $$2}' Makefile

deps: ## install what building, testing and the demonstration need (Debian 12, as root)
	@scripts/deps build && scripts/deps test && scripts/deps demo

build: build/release/build.ninja ## the release program, at build/release/lockstep
	@cmake --build build/release -j$(JOBS)

test: ## build and run every test but the long ones, with servers that the tests start themselves
	@scripts/deps test
	@$(MAKE) --no-print-directory build/dev/build.ninja
	@cmake --build build/dev -j$(JOBS)
	@$(call ctest,dev) --label-exclude long --stop-time "$$(date -d '+$(TEST_MINUTES) minutes' +%H:%M:%S)"

test-long: ## the long ones too
	@scripts/deps test
	@$(MAKE) --no-print-directory build/dev/build.ninja
	@cmake --build build/dev -j$(JOBS)
	@$(call ctest,dev)

demo: ## copy a database and follow it; FROM=postgresql://… takes yours, else one is made
	@scripts/deps demo
	@$(MAKE) --no-print-directory build
	@scripts/demo

bench: ## measure, beside DuckDB's own extension and pg_recvlogical; FULL=1 at full size, into docs/benchmarks.md
	@scripts/deps bench
	@$(MAKE) --no-print-directory build
	@tests/bench/run $(if $(FULL),--full --write)

asan: ## the quick tests with address and undefined behaviour checks
	@scripts/deps test
	@$(MAKE) --no-print-directory build/asan/build.ninja
	@cmake --build build/asan -j$(JOBS)
	@$(call ctest,asan) --label-regex fast

tsan: ## the quick tests with the data race check
	@scripts/deps test
	@$(MAKE) --no-print-directory build/tsan/build.ninja
	@cmake --build build/tsan -j$(JOBS)
	@$(call ctest,tsan) --label-regex fast

fuzz: ## build the fuzzers with libFuzzer, into build/fuzz
	@scripts/deps fuzz && scripts/deps test
	@$(MAKE) --no-print-directory build/fuzz/build.ninja
	@cmake --build build/fuzz -j$(JOBS)

format: ## lay out every source file by .clang-format
	@scripts/deps format
	@git ls-files -z 'src/*.cpp' 'src/*.hpp' 'tests/*.cpp' 'tests/*.hpp' | xargs -0 -r clang-format-16 -i

tidy: ## the house rules, then clang-tidy over every room
	@scripts/tidy
	@scripts/deps format
	@$(MAKE) --no-print-directory build/dev/build.ninja
	@git ls-files -z 'src/*.cpp' ':!*_test.cpp' | xargs -0 -r -n4 -P$(JOBS) clang-tidy-16 --quiet -p build/dev --extra-arg=-Wno-unknown-warning-option

clean: ## remove every build folder (downloaded packages stay)
	@rm -rf build

build/%/build.ninja:
	@scripts/deps build
	@cmake --preset $*
