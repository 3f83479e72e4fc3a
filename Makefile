# make serve   install what is needed, index the samples at the first start and serve on 127.0.0.1:1416
# make test    install what is needed and run linters, type checker and tests

PYTHON := $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin
BIN3 := .venv-3x/bin
PIP := -m pip --disable-pip-version-check --quiet
comma := ,

.PHONY: help install serve test test-3x test-tools lint bench lock clean

help:  ## Say what each target does
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):[^#]*## /\1\t/' | expand -t 12

install: .venv/installed  ## Install into .venv what searching and serving need

serve: .venv/installed  ## Serve REST, MCP and API docs on 127.0.0.1:1416
	$(BIN)/tansaku serve

test: lint test-tools  ## Run linters, type checker and all tests
	$(BIN)/python -m pytest

# What depends on a server doesn't depend on Haystack's version.
test-3x: .venv-3x/installed test-tools  ## Run the unit tests on Haystack 3
	$(BIN3)/python -m pytest -k 'not elasticsearch and not opensearch'

test-tools:  ## Install what tests need beside Python: Chromium, Java, Maven, PostgreSQL (apt-get, as root or by sudo)
	tests/install_chromium.sh
	tests/servers/install_java.sh
	tests/servers/install_postgresql.sh

lint: .venv/installed-dev  ## Run linters and type checker
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: .venv/installed-dev  ## Measure speed and quality; takes minutes
	$(BIN)/python -m benchmarks

lock: $(BIN)/python  ## Write constraints.txt anew from pyproject.toml
	echo 'haystack-ai<3' | $(BIN)/uv pip compile pyproject.toml - --output-file constraints.txt --universal --upgrade \
		--python-version 3.11 --extra dev --extra cluster --extra models --extra tracing \
		--no-annotate --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" --quiet

clean:  ## Remove environments and caches; indexes and models stay
	rm -rf .venv .venv-3x .mypy_cache .ruff_cache .pytest_cache build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An old pip takes ten minutes to find versions that go together. uv takes seconds, but knows nothing of a package index
# that only pip's configuration names: then a new pip does it.
$(BIN)/python $(BIN3)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed" >&2; exit 1; }
	$(PYTHON) -m venv $(@D:/bin=) || { echo "On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	$@ $(PIP) install --upgrade pip uv

define pip_install
$(1)/uv pip install --quiet --python $(1)/python $(2) || $(1)/python $(PIP) install $(2)
endef

.venv/installed: pyproject.toml constraints.txt | $(BIN)/python
	$(call pip_install,$(BIN),--constraint constraints.txt --editable .)
	touch $@

.venv/installed-dev: .venv/installed
	$(call pip_install,$(BIN),--constraint constraints.txt --editable '.[dev]')
	touch $@

.venv-3x/installed: pyproject.toml constraints.txt | $(BIN3)/python
	grep -vE '^haystack-(ai|experimental)==' constraints.txt > .venv-3x/constraints.txt
	$(call pip_install,$(BIN3),--constraint .venv-3x/constraints.txt --editable '.[dev]' 'haystack-ai>=3$(comma)<4')
	touch $@
