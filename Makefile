# Glassbox: `make run` installs what is missing and opens the page. `make help` lists the rest.
# Works with GNU make 3.81 and any POSIX sh.

PYTHON  ?= python3
PORT     = 8501
ADDRESS  = 127.0.0.1
# More arguments for pytest, such as: make test ARGS="-k launch"
ARGS     =

VENV := .venv
BIN  := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
ROOMS := settings language models store ingest retrievers chains evaluation ui benchmarks
CHECKED := $(foreach room,$(ROOMS),$(patsubst %/__init__.py,%,$(wildcard $(room)/__init__.py))) $(wildcard streamlit_app.py) tests

# pip has nothing to say that a person must read unless it fails, and then it says why.
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes

.DEFAULT_GOAL := help
.PHONY: help python install install-dev run test lint bench lock clean

help: ## list these commands
	@echo "Glassbox. Commands:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'
	@echo "Variables: PYTHON=python3.12 (make the environment with another Python), PORT=8600 and ADDRESS=0.0.0.0 (make run)"

python:
	@command -v "$(PYTHON)" >/dev/null 2>&1 || { \
		echo "Glassbox needs Python 3.11 or newer, and there is no '$(PYTHON)' here."; \
		echo "Install Python 3.12 (https://www.python.org/downloads/), or name the one you have: make run PYTHON=/path/to/python3.12"; \
		exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Glassbox needs Python 3.11 or newer; '$(PYTHON)' is $$("$(PYTHON)" --version 2>&1)."; \
		echo "Install Python 3.12 (https://www.python.org/downloads/), or name a newer one that you have: make run PYTHON=python3.12"; \
		exit 1; }

# The virtual environment; made anew when it is half made, was moved away from its Python, or is too old.
$(VENV): python
	@"$(BIN)/python" -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 || { \
		"$(PYTHON)" -c 'import ensurepip, venv' >/dev/null 2>&1 || { \
			echo "'$(PYTHON)' has no venv module, which makes the environment that Glassbox is installed into."; \
			echo "On Debian and Ubuntu: apt-get install python3-venv; then try again."; \
			exit 1; }; \
		echo "Making $(VENV) with $$("$(PYTHON)" --version 2>&1)"; \
		rm -rf "$(VENV)" && "$(PYTHON)" -m venv "$(VENV)"; }
.PHONY: $(VENV)

# Beside what it installed, the environment keeps a copy of the lock it was installed from: another lock, another installation. The
# development lock holds all of the app's, so either will do for `install`. Without byte code beforehand: tests import a fraction.
install: $(VENV) ## put the app's dependencies into .venv, exactly as locked
	@cmp -s requirements.lock "$(VENV)/installed.lock" || { \
		echo "Installing the dependencies (a few minutes, about 1.2 GB)"; \
		rm -f "$(VENV)/installed-dev.lock"; \
		$(PIP_INSTALL) -r requirements.lock && cp requirements.lock "$(VENV)/installed.lock"; }

install-dev: $(VENV) ## the same, and what tests and lint need
	@cmp -s requirements-dev.lock "$(VENV)/installed-dev.lock" || { \
		echo "Installing the dependencies and the development tools (a few minutes, about 1.7 GB)"; \
		$(PIP_INSTALL) --no-compile -r requirements-dev.lock && cp requirements-dev.lock "$(VENV)/installed-dev.lock" && cp requirements.lock "$(VENV)/installed.lock"; }

run: install ## open the page; PORT=8600 for another port
	@$(BIN)/python -m ui.launch --port "$(PORT)" --address "$(ADDRESS)"

# A worker more than processors, since tests wait a fifth of their time. tests/conftest.py says which tests begin early, and which
# share a worker.
test: install-dev ## run the tests; gets Chromium where it is missing
	@$(BIN)/python -m tests.browser.chromium --install
	$(BIN)/python -m pytest -n "$$($(BIN)/python -c 'import os; print(1 + (os.cpu_count() or 1))')" --no-loadscope-reorder $(ARGS)

lint: install-dev ## ruff, mypy, and the rules of which package may import which
	@status=0; \
	for check in "ruff check ." "ruff format --check ." "mypy $(CHECKED)" "lint-imports --no-cache --no-logo"; do \
		echo "$$check"; "$(BIN)"/$$check || status=1; \
	done; \
	exit $$status

bench: install-dev ## list the benchmarks and run those that need no data
	@set -e; for file in benchmarks/*.py; do \
		test -f "$$file" || { echo "There are no benchmarks yet."; break; }; \
		case "$$file" in */_*) continue ;; esac; \
		echo; echo "$$file: $$(sed -n '1s/^"""//; 1s/"""$$//; 1p' "$$file")"; \
		name=$$(basename "$$file" .py); \
		if grep -q 'required=True\|_beir import' "$$file"; then echo "  needs data: $(BIN)/python -m benchmarks.$$name --help"; \
		else $(BIN)/python -m "benchmarks.$$name"; fi; \
	done

# uv keeps the versions that are locked already where they still fit; delete a lock first to move all of them.
lock: install-dev ## resolve requirements*.txt anew into the two locks
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header \
		--quiet requirements.txt -o requirements.lock
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header \
		--quiet requirements-dev.txt -o requirements-dev.lock

clean: ## remove .venv and all caches; your documents (store.dir) stay
	rm -rf "$(VENV)" .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
