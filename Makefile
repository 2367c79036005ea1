# make demo          show the whole thing at work, until Ctrl-C (make demo ONCE=1: one round)
# make test          every check and every test
# make check         ruff, mypy, and who may import whom
# make requirements  pin what pyproject.toml asks for (UPGRADE=1: the newest of everything)
# make clean         remove what the others made
#
# Each makes the virtual environment it needs, once, with the pinned packages of requirements/.

.DELETE_ON_ERROR:
unexport PYTHONDONTWRITEBYTECODE  # or each of the tests' processes compiles everything again
.PHONY: demo test check requirements clean

# The first that runs and will do: a shim may be on the path and lead nowhere.
PYTHON = $(shell for python in python3 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
	2>/dev/null && echo "$$python" && break; done)
NO_PYTHON = this needs Python 3.11 or newer with its venv module: \
	install python3 and python3-venv, or name one with `make PYTHON=/path/to/python3`
PIP = install --quiet --quiet --disable-pip-version-check --no-input
PINNED = -m piptools compile --quiet --generate-hashes --strip-extras --allow-unsafe \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
	--build-deps-for editable $(if $(UPGRADE),--upgrade)

demo: .venv-demo/ready
	@.venv-demo/bin/python -m terrarium_mcp demo $(if $(ONCE),--once)

test: check
	.venv/bin/python -m pytest -n auto

check: .venv/ready
	.venv/bin/python -m ruff check
	.venv/bin/python -m ruff format --check
	.venv/bin/python -m mypy
	.venv/bin/python -m pytest -q tests/test_layers.py

# Only the ordinary index counts here, whatever else this machine's pip is set to.
requirements: export PIP_CONFIG_FILE = /dev/null
requirements: export PIP_FIND_LINKS =
requirements: export PIP_EXTRA_INDEX_URL =
requirements: export CUSTOM_COMPILE_COMMAND = make requirements
requirements: .venv/ready
	.venv/bin/python $(PINNED) --extra demo --output-file requirements/demo.txt pyproject.toml
	.venv/bin/python $(PINNED) --extra dev --output-file requirements/dev.txt pyproject.toml

clean:
	rm -rf .venv .venv-demo .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist

# Two stamps: the packages, which take a while, and this project itself, which does not.
.venv/packages: requirements/dev.txt
.venv-demo/packages: requirements/demo.txt
.venv/ready: .venv/packages
.venv-demo/ready: .venv-demo/packages

.venv/packages .venv-demo/packages:
	$(if $(PYTHON),,$(error $(NO_PYTHON)))
	@echo "Installing the packages of $< into $(@D) ..."
	@$(PYTHON) -m venv --clear $(@D)
	@$(@D)/bin/python -m pip $(PIP) --require-hashes -r $<
	@touch $@

.venv/ready .venv-demo/ready: pyproject.toml
	@$(@D)/bin/python -m pip $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@
