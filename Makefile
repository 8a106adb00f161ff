# Everything runs in .venv, which the stamp files make and renew: a stamp is as old as the last install,
# so pip runs again only when a requirements file has changed.

PYTHON ?= python3
WORKERS ?= 3
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
MADE := $(VENV)/made.stamp
APP := $(VENV)/app.stamp
DEV := $(VENV)/dev.stamp

.DEFAULT_GOAL := help
.PHONY: run test links bench load screenshots lint format clean help

run: $(APP)  ## start the app (more options: make run ARGS="--server.port 8600")
	$(BIN)/python -m streamlit run streamlit_app.py $(ARGS)

test: $(DEV)  ## check style, then run every test, the browser's included
	$(BIN)/python -m tests.browser.chromium --install
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

links: $(DEV)  ## open 10,000 hostile links, watching time and memory (fewer: ARGS="--links 500")
	$(BIN)/python -m tests.browser.chromium --install
	$(BIN)/python -m tests.links $(ARGS)

bench: $(DEV)  ## measure the app (tests/benchmarks)
	$(BIN)/python -m tests.benchmarks $(ARGS)

load: $(DEV)  ## let many visitors in (tests/load; make load ARGS="--sessions 40 --seconds 30")
	$(BIN)/python -m tests.load $(ARGS)

screenshots: $(DEV)  ## draw docs/screenshots anew
	$(BIN)/python -m tests.browser.chromium --install
	$(BIN)/python -m tests.browser.screenshots $(ARGS)

lint: $(DEV)  ## check style only
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check

format: $(DEV)  ## mend style where ruff can
	$(BIN)/python -m ruff check --fix
	$(BIN)/python -m ruff format

clean:  ## remove .venv and every cache
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Old Pythons must be able to read the check, so it has no f-string. A stamp and not .venv/bin/python,
# which is there already when the rest of the environment could not be made.
$(MADE):
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; v >= (3, 11) or sys.exit("Python must be 3.11 or newer; got %d.%d. Try make PYTHON=python3.12" % v)'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(APP): requirements.txt | $(MADE)
	$(BIN)/python -m pip install --disable-pip-version-check -r requirements.txt
	touch $@

$(DEV): requirements-dev.txt requirements.txt | $(MADE)
	$(BIN)/python -m pip install --disable-pip-version-check -r requirements-dev.txt
	touch $@
