# `make NAME` runs a session of noxfile.py, and `make` lists them. A fresh machine needs Python 3.11
# and make: nox is installed in .nox/nox by the first of them. Only
# `make demo ARGS=engines` needs a C++ compiler.
PYTHON ?= python3
NOX := .nox/nox/bin/nox

# The options of a session: make study ARGS='--cases 5', make study MODEL=file.gguf
ARGS ?=
OPTIONS = $(if $(filter command%,$(origin MODEL)),--model '$(MODEL)') $(ARGS)

help: $(NOX)
	@echo 'First:'
	@echo '  make demo        which calls of a model arrive, with and without LTON (0.5 GB to download)'
	@echo '  make test        is this checkout sound? (12 minutes; 110 MB to download)'
	@echo '  make docs        the pages, as a site in build/site (a minute)'
	@echo '  make serve-demo  a stock agent, the gateway and a llama.cpp server (250 MB)'
	@echo '  make study       what models get right: MODEL=file.gguf for your own (it says how long it takes)'
	@echo 'All sessions; options go into ARGS:'
	@$(NOX) --list | grep '^[*-]' | sed 's/^[*-]/ /'

clean:
	rm -rf .nox build mutants *.egg-info

# Whatever else is asked for is a session.
%: $(NOX) FORCE
	@$(NOX) --session $@ -- $(OPTIONS)

$(NOX):
	@echo '==> making .nox/nox: nox, which makes the other environments'
	@$(PYTHON) -m venv --upgrade-deps .nox/nox
	@.nox/nox/bin/python -m pip install -q --disable-pip-version-check --group nox

Makefile: ;
FORCE:
.PHONY: help clean FORCE
