# Each of these targets sets up what it needs.
#   make play     the virtual table, in the browser (MODE=solo, MODE=referee or MODE=board for another mode)
#   make test     all tests, linters and types (TESTS=tests/check: those tests only)
#   make environments    make test as on other machines (clocks, locales, streams, settings of others, …), before a
#                 release; WHAT=LANG: those; FULL=1: every test in each, and on fresh Debian systems (as root)
#   make soak     soak test: whole games with faults everywhere at once, some minutes (GAMES=20, SEED=7: other
#                 ones; GAME=7: the game of that seed alone; ALONE=20: games against the table, cut in every line)
#   make diskfaults  every system call of the disk's path fails, then waits, in whole runs under strace: an hour
#                 (SHORT=1: some minutes; WHAT=resume: that run only; JOBS=8: so many side by side)
#   make fuzz     fuzzing, as in `make test` but for some minutes: EXAMPLES=2000 of each kind; SEED=7: the same again;
#                 WHAT=config: those tests only
#   make mutants  does any chosen change escape the tests of its fault? Some minutes (WHAT=U3: those of that fault;
#                 ROOM=engine N=40 SEED=1: random changes in that room instead)
#   make setup    only .venv, with the command `tacocat` in it
#   make bench    benchmarks
#   make values   the values by which the table replaces and duels, fitted anew: some minutes (SEED=2: from other hands)
#   make gallery  the pictures of docs/
#   make docs     these, and the sheets of rules: one A4 in each language
#   make words    the catalogues: find the texts, add what is new, compile
#   sudo make install, sudo make uninstall    on the device (Raspberry Pi OS)
PYTHON ?= python3
MODE ?= play
EXAMPLES ?= 2000
VENV := .venv
BIN := $(VENV)/bin

# What others have set for Python and pytest is theirs (PYTHONPATH, PYTHONWARNINGS, PYTEST_ADDOPTS, …); of pip's settings
# only the sources of packages count, see systemd/pip_install.py.
unexport $(filter PYTHON% PYTEST% VIRTUAL_ENV,$(.VARIABLES))
# Where commands of .venv are run by their module: a script's first line does not bear every name of a folder.
RUN := $(BIN)/python -m
PIP := $(BIN)/python -I systemd/pip_install.py --quiet --no-deps

.PHONY: play test soak diskfaults fuzz mutants environments setup bench values gallery docs words install uninstall clean

# -P: nothing is imported from here because one stands here
play: setup
	@$(BIN)/python -P -m firmware $(MODE) --virtual

test: setup
	@PLAYWRIGHT=$(BIN)/python sh tests/get_tools.sh chromium libatomic1 systemd-analyze strace
	$(RUN) ruff format --check .
	$(RUN) ruff check .
	$(RUN) mypy 2>&1 # it and pytest fail where there is no standard error
	$(RUN) pytest $(TESTS) 2>&1

soak: setup
	$(BIN)/python -m tests.soak $(if $(ALONE),--alone $(ALONE)) $(if $(GAMES),--games $(GAMES)) $(if $(SEED),--seed $(SEED)) $(if $(GAME),--game $(GAME))

# SHORT=1: every system call with one errno each. A failure names its scenario, which can be given: WHAT="settings changed".
diskfaults: setup
	sh tests/get_tools.sh strace
	$(RUN) tests.faults $(if $(SHORT),--short) $(if $(JOBS),--jobs $(JOBS)) $(if $(WHAT),"$(WHAT)")
	$(RUN) tests.faults --stalls $(if $(SHORT),--calls fsync) $(if $(JOBS),--jobs $(JOBS)) $(if $(WHAT),"$(WHAT)")

# A failure says how it is repeated: SEED finds it again; then its input becomes a test of its own.
fuzz: setup
	@seed=$(SEED); seed=$${seed:-$$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}; \
	echo "This run again: make fuzz SEED=$$seed EXAMPLES=$(EXAMPLES)"; \
	EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest tests/fuzz --hypothesis-profile=fuzz --hypothesis-seed=$$seed \
	  $(if $(WHAT),-k $(WHAT))

mutants: setup
	$(BIN)/python -m tests.mutants $(if $(ROOM),--room $(ROOM) $(if $(N),--count $(N)) $(if $(SEED),--seed $(SEED)),$(WHAT))

environments: setup
	$(BIN)/python -m tests.environments $(if $(FULL),--full) $(OPTIONS) $(WHAT)

bench: setup
	$(BIN)/python -m benchmarks

values: setup
	$(BIN)/python -m benchmarks.values $(if $(SEED),--seed $(SEED))

# The pictures of docs/, drawn from the product's own code.
gallery: setup
	$(BIN)/python -m docs.gallery
	$(BIN)/python -m docs.strips

# The sheets of rules: docs/rules.<language>.md, their pictures, and a PDF of each in docs/rules/.
docs: gallery
	$(BIN)/python -m docs.sheets

# Fails while a language has no words for a text.
words: setup
	$(BIN)/python -m docs.catalogues

setup: $(VENV)/.made-from

# Made anew when the lock or the project file changes; half-made is not made.
$(VENV)/.made-from: requirements.txt pyproject.toml
	@$(PYTHON) -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Try: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -I -c 'import venv, ensurepip' 2>/dev/null || sh tests/get_tools.sh python3-venv \
	  || { echo "Python's venv module is missing: sudo apt install python3-venv" >&2; exit 1; }
	@echo "Setting up $(VENV): about a minute."
	@rm -rf $(VENV)
	@$(PYTHON) -I -m venv $(VENV)
	@$(PIP) -r requirements.txt
	@$(PIP) --no-build-isolation -e .
	@cat requirements.txt pyproject.toml > $@

# Not in .venv but in /opt/tacocat, as a service; may be run again, also to upgrade.
install uninstall:
	sh systemd/install.sh $@

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache
