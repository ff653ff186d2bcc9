# `make` lists what there is. Needs Python 3.11 or newer and nothing else: the tools go into .venv.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
# Tests that wait for programs and pages leave room: two cores run four processes of them.
PROCESSES := $(shell n=$$(nproc 2>/dev/null || echo 2); test $$n -gt 4 && echo $$n || echo 4)

.DEFAULT_GOAL := help
.PHONY: help run test test-quick test-matrix pytest check fix docs bench audit build lock clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(INSTALLED) ## set everything up, then run the service and the dashboard (sample data, no network)
	@$(BIN)/chainproof up

test: $(INSTALLED) ## set everything up, then lint, types, import contracts and all tests
	@$(BIN)/python -m tests.support.test_session.prerequisites
	@$(MAKE) --no-print-directory --jobs 2 check pytest

test-quick: $(INSTALLED) ## run the unit tests and the tests of the pages, for daily work
	@PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q -n $(PROCESSES) --dist loadfile --no-loadscope-reorder \
		-m quick --hypothesis-profile quick tests/backend tests/dashboard

test-matrix: $(INSTALLED) ## try the wheel on every supported Python that is here or that uv can bring
	@$(BIN)/python -m tests.support.test_session.prerequisites
	@$(BIN)/python -m tests.smoke

pytest: $(INSTALLED) # beside the check; bytecode is kept, or each of its processes would make all of it
	@PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder

check: $(INSTALLED) ## lint, formatting, types and import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

fix: $(INSTALLED) ## mend what lint and formatting can mend
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

docs: $(INSTALLED) ## write docs/settings.md from the settings in the code
	@$(BIN)/python -m docs.settings

bench: $(INSTALLED) ## run the benchmarks by hand; each prints ratios within one run
	@$(BIN)/python -m benchmarks.http.hot_gets
	@$(BIN)/python -m benchmarks.dashboard.pages
	@$(BIN)/python -m benchmarks.timelines.interval_coverage
	@$(BIN)/python -m benchmarks.timelines.alarm_rates

audit: $(INSTALLED) ## look the locked dependencies up among known vulnerabilities; needs the network
	@$(BIN)/uv tool run pip-audit --requirement requirements.lock --require-hashes --disable-pip --strict

build: $(INSTALLED) ## build the distributions chainproof and chainproof-scan into dist/
	@$(BIN)/uv build --quiet --out-dir dist .
	@$(BIN)/uv build --quiet --out-dir dist packaging/scan

lock: $(INSTALLED) ## resolve the dependencies anew into requirements.lock
	@$(BIN)/uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --quiet \
		--python-version 3.11 --all-extras --group dev pyproject.toml --output-file requirements.lock

clean: ## remove what was installed and cached
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Chainproof needs Python 3.11 or newer; say which with make PYTHON=python3.x")'
	@echo "1/4 Making the environment .venv"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "2/4 Installing uv, which installs the rest"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@echo "3/4 Installing $$(grep -c '^[a-z].*==' requirements.lock) libraries; the first time they are downloaded"
	@$(BIN)/uv pip sync --compile-bytecode requirements.lock
	@$(BIN)/uv pip install --quiet --no-deps --editable .
	@echo "4/4 Compiling the programs"
	@$(BIN)/python -m compileall -q backend chainproof dashboard
	@touch $@
