# SPDX-License-Identifier: MIT
# The front door. CMake with presets does the work (docs/building.md); these are the everyday commands.
#   make run    from a fresh machine to a picture of the built-in creature
#   make test   from a fresh machine to all tests

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Folder with real files for tests; what needs it is skipped where it is missing.
SINEW_TEST_DATA ?= $(CURDIR)/../shared
# What `make test` runs; `make test STEPS="release asan"` runs a part. Empty: everything.
STEPS ?=
# More words for `sinew bench`, such as ARGS="--filter skinning --json".
ARGS ?=
# Seconds for each target of `make fuzz`.
FUZZ_SECONDS ?= 60
# What `make coverage` measures: MEASURES=lines or MEASURES=edges alone.
MEASURES ?=
export JOBS SINEW_TEST_DATA FUZZ_SECONDS
.PHONY: build run test check bench docs fuzz soak coverage tidy conformance determinism format format-check setup clean help
.DEFAULT_GOAL := build

build: ## Build the release program at build/sinew, and the libraries beside it
	@scripts/setup.sh build
	@TARGETS="sinew_cli sinew_shared" scripts/build.sh release

run: build ## Build, then play the built-in creature: a picture of its walk and a line of figures
	@build/sinew demo

test: ## Run all tests: every build, sanitizers, consumers, determinism, conformance, shaders
	@scripts/setup.sh build test
	@scripts/test.sh $(STEPS)

check: ## Run the tests of the release build alone
	@scripts/setup.sh build test
	@scripts/test.sh release

bench: build ## Time the hot paths (ARGS="--filter TEXT --json")
	@build/sinew bench $(ARGS)

docs: build ## Make the reference from the headers (build/docs/index.html), docs/findings.md and the pictures in docs/images
	@scripts/setup.sh build docs
	@python3 scripts/make_docs.py build/docs
	@python3 scripts/make_findings.py
	@scripts/make_pictures.sh

fuzz: ## Run each fuzz target for FUZZ_SECONDS
	@scripts/setup.sh build test
	@scripts/fuzz.sh

soak: ## An hour of 1,000 players in simulated time: allocations, memory, phases, NaN (SOAK_SECONDS shortens it)
	@scripts/setup.sh build test
	@scripts/soak.sh

coverage: ## Lines of src that tests reach (90 percent are a must), and edges of each reader with FUZZ_SECONDS of fuzzing (85)
	@scripts/setup.sh build test
	@scripts/coverage.sh $(MEASURES)

tidy: ## clang-tidy over src with the checks of .clang-tidy (DEEP=1: the static analyzer, minutes)
	@scripts/setup.sh build test
	@scripts/tidy.sh

conformance: build ## Compare with independent implementations on real models
	@scripts/setup.sh build test
	@scripts/conformance.sh

determinism: ## The same bits from every compiler, optimisation level and machine
	@scripts/setup.sh build test
	@scripts/determinism.sh

format: ## Lay out all sources with clang-format
	@scripts/format.sh

format-check: ## Say which sources clang-format would change
	@scripts/format.sh --check

setup: ## Install what builds and tests need (Debian, Ubuntu)
	@scripts/setup.sh build test docs

clean: ## Remove everything that was built
	rm -rf build

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile
