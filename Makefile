# make demo          show the whole thing at work, until Ctrl-C (make demo ONCE=1: one round)
# make test          every check and every test
# make bench         measure the store and the server: LINES=1000000, ONLY=reading,searching, KEEP=FOLDER
# make compare       reading and searching here and at another revision, WITH=REV, in turn
# make soak          the long scenes: a hundred kills, processes for MINUTES=10, LINES=1000000,
#                    exact search of LOGS=500 random logs, HISTORIES=300 under random views,
#                    a polite client among hostile ones, a guest behind ZNC and on a network that
#                    flaps, KILLS=50 of an import, and EXAMPLES=1000 of every property
# make real-endpoint compile llama.cpp (ten minutes, once), and ask a real server with a toy model
# make mutants       what the tests do not notice: ROOM=chat COUNT=300 SEED=7 (docs/mutants.md)
# make matrix        the suite in short form on each Python from 3.11 to 3.14 that is found
#                    (NEWEST=1: only on the newest, unless make test runs on it)
# make release-check build the sdist and the wheel, and start them in an empty environment
# make picture       draw docs/demo.svg, the demo's output, for the README
# make check         make lint, and who may import whom
# make lint          ruff, and mypy (also as on Windows)
# make schema        write schema.sql to be read, and what a file of each version must have
# make requirements  pin what pyproject.toml asks for (UPGRADE=1: the newest of everything)
# make clean         remove what the others made
#
# Each makes the virtual environment it needs, once, with the pinned packages of requirements/.

.DELETE_ON_ERROR:
unexport PYTHONDONTWRITEBYTECODE  # or each of the tests' processes compiles everything again
.PHONY: demo test bench compare soak real-endpoint mutants matrix release-check picture check lint schema requirements clean

# The first that runs and will do: a shim may be on the path and lead nowhere.
PYTHON = $(shell for python in python3 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
	2>/dev/null && echo "$$python" && break; done)
NO_PYTHON = this needs Python 3.11 or newer with its venv module: \
	install python3 and python3-venv, or name one with `make PYTHON=/path/to/python3`
# What is imported is compiled then: a third of the time of an installation.
PIP = install --quiet --quiet --disable-pip-version-check --no-input --no-compile
PINNED = -m piptools compile --quiet --generate-hashes --strip-extras --allow-unsafe \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
	--build-deps-for editable $(if $(UPGRADE),--upgrade)

demo: .venv-demo/ready
	@.venv-demo/bin/python -m terrarium_mcp demo $(if $(ONCE),--once)

# The tests are compiled beside mypy, or each of the four processes that run them would do it first.
test: .venv/ready
	@.venv/bin/python -m pytest -qq --collect-only > /dev/null & \
		$(MAKE) --no-print-directory lint; checked=$$?; wait; exit $$checked
	.venv/bin/python -m pytest -n auto --dist worksteal

bench: LINES = 1000000
bench: .venv-bench/ready
	.venv-bench/bin/python -m bench $(LINES) $(if $(KEEP),--keep $(KEEP)) \
		$(if $(ONLY),--only $(ONLY)) $(if $(or $(RECORD),$(if $(ONLY),,yes)),--record $(or $(RECORD),bench/results/$(LINES).json))

compare: LINES = 1000000
compare: .venv-bench/ready
	.venv-bench/bin/python -m bench.compare $(WITH) $(LINES) $(if $(KEEP),--keep $(KEEP)) \
		$(if $(ONLY),--only "$(ONLY)") $(if $(RECORD),--record $(RECORD))

soak: .venv/ready
	MINUTES=$(or $(MINUTES),10) LINES=$(or $(LINES),1000000) \
		LOGS=$(or $(LOGS),500) HISTORIES=$(or $(HISTORIES),300) .venv/bin/python -m pytest -s \
		tests/soak/crashes.py tests/soak/processes.py tests/soak/crowd.py tests/soak/guest.py \
		tests/store/sqlite/search/test_exact.py tests/tools/test_view_twins.py
	KILLS=$(or $(KILLS),50) .venv/bin/python -m pytest tests/cli/test_import.py -k killed
	EXAMPLES=$(or $(EXAMPLES),1000) .venv/bin/python -m pytest -n auto -m hypothesis

real-endpoint: .venv/ready .venv-endpoint/ready
	ENDPOINT_PYTHON=.venv-endpoint/bin/python .venv/bin/python -m pytest -s -v \
		tests/soak/real_endpoint.py

# The record is only written of whole rooms, as they are drawn for this commit.
mutants: .venv/ready
	.venv/bin/python -m tests.mutants $(if $(COUNT),--count $(COUNT)) \
		$(if $(SEED),--seed $(SEED)) $(if $(ROOM),--room $(ROOM)) \
		$(if $(AGAIN),--again) $(if $(COUNT)$(SEED)$(AGAIN),,--report)

matrix: .venv/ready
	.venv/bin/python -m tests.matrix $(if $(NEWEST),--newest)

release-check: .venv/ready
	.venv/bin/python -m tests.release

picture: .venv/ready
	.venv/bin/python -m tests.picture

check: lint
	.venv/bin/python -m pytest -q tests/test_layers.py

# The two mypys run side by side: each takes one CPU.
lint: .venv/ready
	.venv/bin/python -m ruff check
	.venv/bin/python -m ruff format --check
	.venv/bin/python -m mypy --platform win32 --cache-dir .mypy_cache/win32 terrarium_mcp & \
		.venv/bin/python -m mypy; checked=$$?; wait $$! && exit $$checked

schema: .venv/ready
	.venv/bin/python -m terrarium_mcp.store.sqlite.schema.print_schema

# Only the ordinary index counts here, whatever else this machine's pip is set to.
requirements: export PIP_CONFIG_FILE = /dev/null
requirements: export PIP_FIND_LINKS =
requirements: export PIP_EXTRA_INDEX_URL =
requirements: export CUSTOM_COMPILE_COMMAND = make requirements
requirements: .venv/ready
	.venv/bin/python $(PINNED) --extra bench --output-file requirements/bench.txt pyproject.toml
	.venv/bin/python $(PINNED) --extra demo --output-file requirements/demo.txt pyproject.toml
	.venv/bin/python $(PINNED) --extra dev --output-file requirements/dev.txt pyproject.toml

clean:
	rm -rf .venv .venv-bench .venv-demo .venv-endpoint .venv-3.1? .hypothesis .mutants .mypy_cache .pytest_cache .ruff_cache build dist

# Two stamps: the packages, which take a while, and this project itself, which does not.
.venv/packages: requirements/dev.txt
.venv-bench/packages: requirements/bench.txt
.venv-demo/packages: requirements/demo.txt
.venv/ready: .venv/packages
.venv-bench/ready: .venv-bench/packages
.venv-demo/ready: .venv-demo/packages

.venv/packages .venv-bench/packages .venv-demo/packages:
	$(if $(PYTHON),,$(error $(NO_PYTHON)))
	@echo "Installing the packages of $< into $(@D) ..."
	@$(PYTHON) -m venv --clear $(@D)
	@$(@D)/bin/python -m pip $(PIP) --require-hashes -r $<
	@touch $@

.venv/ready .venv-bench/ready .venv-demo/ready: pyproject.toml
	@$(@D)/bin/python -m pip $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

# Apart from requirements/, which nothing of this is part of: llama.cpp is compiled here.
.venv-endpoint/ready:
	$(if $(PYTHON),,$(error $(NO_PYTHON)))
	@echo "Compiling llama.cpp into $(@D) ..."
	@$(PYTHON) -m venv --clear $(@D)
	@$(@D)/bin/python -m pip $(PIP) "llama-cpp-python[server]==0.3.36" gguf==0.19.0
	@touch $@
