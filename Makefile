# Every command works on a machine with Python 3.11+ and nothing else prepared.

PYTHON ?= python3
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export REFLEX_USE_NPM := 1
export REFLEX_TELEMETRY_ENABLED := false
export REFLEX_CHECK_LATEST_VERSION := false
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONDONTWRITEBYTECODE  # each start of the site would compile it again
# A file's tests share what is dear to make, such as a demo, so one process runs them.
PARALLEL := -n logical --maxprocesses 4 --max-worker-restart 0 --dist loadfile --no-loadscope-reorder
PYTEST := $(BIN)/pytest $(PARALLEL)
# A test in the browser waits more than it computes.
WAITING := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
QUICK := -m "not database and not browser and not slow and not long"

.DEFAULT_GOAL := help
.PHONY: help run demo picture quick fix check test prove dev bench backup restore migration migrate build static style contracts types screens weaknesses compiled provided unit browser

help: ## This list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

run: build migrate ## Serve the production site (PORT=4000 make run for another port)
	@$(BIN)/python -m fuel_app serve

demo: .venv/runtime ## The open company on made-up data, with sign-ins to try; made anew by make demo FRESH=1
	@$(BIN)/python -m demo $(if $(FRESH),--fresh)

picture: provided build ## Draw the README's picture of the open company anew, from the demo
	@$(BIN)/python -m tests.readme_picture

quick: .venv/dev ## The inner loop: lint, and the tests that need no database
	@$(BIN)/ruff check -q .
	@$(PYTEST) $(QUICK)

fix: .venv/dev ## Format, and mend what ruff can
	@$(BIN)/ruff format -q .
	@$(BIN)/ruff check -q --fix .

check: .venv/dev ## Before each commit: format, types, import contracts, weaknesses, licences, a dry compile, quick tests
	@$(MAKE) --no-print-directory -j2 --output-sync=target static compiled quick

static: style contracts types screens weaknesses

style: .venv/dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

contracts: .venv/dev
	@$(BIN)/lint-imports

types: .venv/dev
	@$(BIN)/pyright

screens: .venv/dev
	@$(BIN)/pyright -p pyrightconfig.screens.json

weaknesses: .venv/dev
	@$(BIN)/python -m tests.audit
	@$(BIN)/python -m tests.licences

compiled: .venv/dev
	@$(BIN)/reflex compile --dry

test: unit browser ## The tests: rules, SQLite, PostgreSQL where it can differ, attacks, browser

prove: provided build ## Before a release: the other database tests on PostgreSQL, the long proofs of faults, races and loads
	@$(BIN)/python -m tests.osrm_provision
	@$(PYTEST) tests/flows -m long
	@$(PYTEST) --ignore tests/flows -m "long or hypothesis" --hypothesis-profile=prove
	@$(BIN)/python -m tests.faults

dev: .venv/runtime migrate ## Hot reload: pages on PORT, events on the port after it
	@$(BIN)/python -m fuel_app dev

bench: provided build ## Every benchmark, one table
	@$(BIN)/python -m bench

backup: .venv/runtime ## Copy the whole database to data/backups, or to FILE=..., while the site serves on
	@$(BIN)/python -m fuel_app backup $(FILE)

restore: .venv/runtime ## Bring a backup into an empty database: make restore FILE=...
	@test -n "$(FILE)" || { echo 'Say which: make restore FILE=data/backups/...'; exit 2; }
	@$(BIN)/python -m fuel_app restore $(FILE)

migration: .venv/runtime migrate ## Write a migration from the models: make migration NAME="what it does"
	@test -n "$(NAME)" || { echo 'Say what it does: make migration NAME="add fuel grades"'; exit 2; }
	@$(BIN)/alembic revision --autogenerate -m "$(NAME)"

migrate: .venv/runtime
	@$(BIN)/python -m fuel_app migrate

build: .venv/runtime
	@$(BIN)/python -m fuel_app build

# The gate is a command of its own: in the run, --fail-under would report without the workers.
unit: provided
	@$(BIN)/slipcover --json --out .coverage -m pytest $(PARALLEL) --ignore tests/flows -m "not browser and not long"
	@$(BIN)/slipcover --merge .coverage --out .coverage --fail-under 100

browser: provided build
	@$(PYTEST) tests/flows -n $(WAITING) -m "browser and not long"

provided: .venv/dev # the browser and the servers that tests need
	@$(BIN)/python -m tests.provision

# pip installs uv alone, which does the rest in a tenth of pip's time.
.venv/runtime: requirements.txt constraints.txt install.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed.")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || { echo "Python's venv module is missing (Debian: apt install python3-venv)."; exit 1; }
	@echo "Installing what the site runs on ..."
	@$(BIN)/pip install -q uv -c constraints.txt
	@$(BIN)/python install.py requirements.txt
	@touch $@

.venv/dev: .venv/runtime requirements-dev.txt
	@echo "Installing what the tests need ..."
	@$(BIN)/python install.py requirements-dev.txt
	@touch $@
