# `make NAME` runs a session of noxfile.py, and `make` lists them. A fresh machine needs Python 3.11
# and make: nox is installed in .nox/nox by the first of them. The last part of `make demo` needs a
# C++ compiler, and is left out where there is none.
PYTHON ?= python3
NOX := .nox/nox/bin/nox

# The options of a session: make study ARGS='--cases 5', make study MODEL=file.gguf
ARGS ?=
OPTIONS = $(if $(filter command%,$(origin MODEL)),--model '$(MODEL)') $(ARGS)

help: $(NOX)
	@$(NOX) --list

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
