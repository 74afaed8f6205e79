"""The sessions: what `make NAME` runs, or `nox -s NAME -- OPTIONS`; options go to its last command.

Sessions share environments, which lie in `.nox`. One is made when a session first needs it, and
brought up to date when its requirements have changed. Versions are written in pyproject.toml.
"""

import json
import os
import resource
import shlex
import shutil
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["test"]

LIBRARY = tomllib.loads(Path("pyproject.toml").read_text())
BENCHMARKS = tomllib.loads(Path("benchmarks/pyproject.toml").read_text())


# --- the environments ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Environment:
    """Packages that some sessions need, as lines of arguments for pip, or `LLAMA`."""

    name: str
    about: str
    installs: tuple[str, ...]


def pinned(extra: str) -> str:
    """Get the one package of an extra that is pinned, to be installed without its dependencies."""
    (found,) = (each for each in LIBRARY["project"]["optional-dependencies"][extra] if "==" in each)
    return f"--no-deps {found}"


LLAMA = "llama_wheel.py"
"""What installs llama-cpp-python, as we build it: before what depends on it."""
OURS = "-e . -e ./benchmarks --group test"
BFCL = "--no-deps -r benchmarks/requirements.txt"
# The model comes without its dependencies: one of them would be built from source.
SMOLLM = "--no-deps --group smollm"
ENGINE_LIBRARIES = "-e .[llamacpp,outlines,tokens]"

TEST = Environment(
    "test",
    "the tests, BFCL as their data, and vocabularies (110 MB to download)",
    (f"{OURS} --group lint", BFCL, "--no-deps -r tests/vocabularies.txt"),
)
MODELS = Environment(
    "models",
    "llama.cpp, Outlines and SmolLM2 (190 MB to download)",
    (LLAMA, SMOLLM, f"{OURS} {ENGINE_LIBRARIES}", BFCL),
)
ENGINES = Environment(
    "engines",
    "llama.cpp, llguidance, and xgrammar with PyTorch (a large download)",
    (LLAMA, SMOLLM, f"{OURS} {ENGINE_LIBRARIES} --group engines", BFCL),
)
# hypothesis-jsonschema needs a hypothesis that is older than the one of the tests.
COVERAGE = Environment(
    "coverage", "hypothesis-jsonschema", ("-e . -e ./benchmarks --group coverage", BFCL)
)
DOCS = Environment("docs", "Zensical and mkdocstrings", ("-e . --group docs",))
PAGE = Environment("page", "playwright and axe", (f"{OURS} -e .[tokens] --group page", BFCL))
RAY = Environment("ray", "Ray Data (a large download)", (f"{OURS} -e .[ray]", BFCL))
FINETUNE = Environment(
    "finetune",
    "PyTorch, transformers, peft and SmolLM2 (a large download)",
    (f"{OURS} --group finetune", BFCL, SMOLLM),
)
SERVERS = Environment(
    "servers",
    "the server of llama.cpp, and SmolLM2 (130 MB to download)",
    (f"{OURS} -e .[server] --group server", SMOLLM),
)

# Their own dependencies are kernels for GPUs, many gigabytes: they get only what they import here.
VLLM = Environment(
    "vllm",
    "vLLM without its dependencies, and what it imports (a large download)",
    ("-e . --group vllm-imports", "--no-deps --group vllm"),
)
SGLANG = Environment(
    "sglang",
    "SGLang without its dependencies, and what it imports (a large download)",
    ("-e . --group sglang-imports", "--no-deps --group sglang"),
)

FRAMEWORKS = Environment(
    "frameworks", "four agent frameworks (100 MB to download)", (f"{OURS} --group frameworks",)
)
GATEWAY = Environment(
    "gateway",
    "stock clients and agents, the server of llama.cpp, and SmolLM2 (250 MB to download)",
    (f"{OURS} --group gateway-clients", SMOLLM),
)
CONTEXTS = Environment(
    "contexts",
    "LangChain, deepagents and cendor-contextkit (100 MB to download)",
    ("-e .[tokens] -e ./benchmarks --group context-peers",),
)
DEMO = Environment("demo", "lton, and what counts tokens", ("-e . --group tables",))
RELEASE = Environment("release", "build, twine and cyclonedx-bom", ("--group release",))
LITELLM = Environment(
    "litellm", "LiteLLM (50 MB to download)", (f"{OURS} --group gateway-litellm",)
)


def adding(environment: Environment, about: str, installs: str) -> Environment:
    """Get an environment with more packages: it is the same place."""
    return replace(environment, about=about, installs=(*environment.installs, installs))


def make(session: nox.Session, environment: Environment) -> Path:
    """Make an environment, or what of it is missing; get the folder of its programs."""
    place = Path(".nox", environment.name).absolute()
    python = str(place / "bin" / "python")
    record = place / "made.json"
    made = json.loads(record.read_text()) if record.exists() else {}
    wanted = {line: requirements(line) for line in environment.installs}
    if missing := [line for line in wanted if made.get(line) != wanted[line]]:
        session.log(f"making .nox/{environment.name}: {environment.about}")
        if not made:
            install(session, sys.executable, "-m", "virtualenv", "-q", "--clear", str(place))
        for line in missing:
            program = [line] if line == LLAMA else ["-m", "pip", "install", "-q"]
            install(session, python, *program, *(() if line == LLAMA else shlex.split(line)))
        record.write_text(json.dumps({**made, **wanted}, indent=1))
    return place / "bin"


def install(session: nox.Session, *command: str) -> None:
    """Run what makes an environment."""
    session.run(*command, external=True, env={"PIP_DISABLE_PIP_VERSION_CHECK": "1"})


def requirements(line: str) -> str:
    """Get what tells whether what a line asks for has changed: a digest of the files it names."""
    asked = line.split()
    said: list[object] = [Path(word).read_text() for word in asked if word.endswith(".txt")]
    if "--group" in asked:
        said += [LIBRARY["project"], LIBRARY["dependency-groups"], BENCHMARKS["project"]]
    return sha256(json.dumps(said).encode()).hexdigest()


def run(
    session: nox.Session,
    environment: Environment,
    *commands: str,
    options: Sequence[str] = (),
    **variables: str,
) -> None:
    """Run commands of an environment; the options go to the last."""
    programs = make(session, environment)
    variables["PATH"] = f"{programs}:{os.environ['PATH']}"
    for number, command in enumerate(commands, 1):
        program, *words = shlex.split(command)
        added = options if number == len(commands) else ()
        session.run(str(programs / program), *words, *added, external=True, env=variables)


# --- what has sessions of its own ----------------------------------------------------------------

LINT = ("ruff format --check -q", "ruff check -q", "mypy", "lint-imports --no-logo")
COST = Path("build/test-cost.json")
"""What the last `make test` took; `make figures` prints it."""


def processor_minutes() -> float:
    """Get the processor time of all programs that were run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) / 60


@nox.session
def lint(session: nox.Session) -> None:
    """Ruff, mypy in strict mode, the import contracts."""
    run(session, TEST, *LINT)


@nox.session
def test(session: nox.Session) -> None:
    """Lint, and the tests that need no model and little time (5 minutes on two cores)."""
    make(session, TEST)
    if session.posargs:  # some tests: what they cover says nothing
        run(session, TEST, "python -m pytest -q", options=session.posargs)
        return
    begin, used = time.monotonic(), processor_minutes()
    tests = "python -m pytest -q -n auto --cov --cov-report= --cov-fail-under=0"
    run(session, TEST, *LINT, tests, "coverage report")
    cost = {"minutes": (time.monotonic() - begin) / 60, "cpu_minutes": processor_minutes() - used}
    session.log("took {minutes:.1f} minutes, {cpu_minutes:.1f} of a processor".format(**cost))
    COST.parent.mkdir(exist_ok=True)
    COST.write_text(json.dumps(cost))


DEEP = {
    "oracle": 5,
    "test-js": 2,
    "test-engines": 5,
    "proof": 25,
    "fuzz": 2,
    "mutate": 20,
    "scale": 5,
    "mutants": 70,
}
"""The steps of the deep tier, and the minutes that each takes on two quiet cores, about."""


@nox.session(name="test-deep")
def test_deep(session: nox.Session) -> None:
    """All that takes long: the oracle matrix, engines, proofs, fuzzing, planted faults."""
    session.log(f"this takes about {sum(DEEP.values()) / 60:.1f} hours on two quiet cores:")
    for step, minutes in DEEP.items():
        session.log(f"    {step}: about {minutes} minutes")
        session.notify(step, posargs=())


@nox.session(name="bench-coverage")
def bench_coverage(session: nox.Session) -> None:
    """Whose schemas can be laid out: BFCL, 24 MCP servers, JSON Schema itself."""
    suite, source = Path("build/json-schema-test-suite"), "jsonschema==4.26.0"
    programs = make(session, COVERAGE)
    if not suite.exists():
        session.log(f"the JSON-Schema-Test-Suite (MIT), as the source of {source} carries it")
        download = ("-m", "pip", "download", "-q", "--no-deps", "--no-binary", "jsonschema")
        install(session, str(programs / "python"), *download, "-d", "build", source)
        shutil.unpack_archive(f"build/{source.replace('==', '-')}.tar.gz", "build", filter="data")
        shutil.move(f"build/{source.replace('==', '-')}/json", suite)
    run(session, COVERAGE, f"python -m lton_bench.coverage {suite}", options=session.posargs)


@nox.session
def demo(session: nox.Session) -> None:
    """The whole path, with a real model; what has to be built comes last, and may be left out."""
    run(session, DEMO, "lton demo tables")
    model = adding(DEMO, "a llama.cpp server and SmolLM2 (130 MB to download)", "-e .[demo]")
    model = adding(model, model.about, SMOLLM)
    run(session, model, "lton demo model")
    reason = session.run(sys.executable, LLAMA, "--why-not", silent=True, external=True)
    if reason:
        session.log(f"not shown: {reason}")
    else:
        session.log("the same in this process; what was shown above needs none of this")
        engines = adding(model, "llama-cpp-python, built here once, and Outlines", LLAMA)
        run(session, adding(engines, engines.about, ENGINE_LIBRARIES), "lton demo engines")
    run(session, DEMO, "lton demo next")
    session.log("lton is in .nox/demo/bin; an agent with the gateway: make serve-demo")


@nox.session(name="test-gateway")
def test_gateway(session: nox.Session) -> None:
    """Stock clients and agents, the gateway, and a real llama.cpp server."""
    # The frameworks leave connections open for the garbage collector to close.
    tests = "pytest -q -W ignore::pytest.PytestUnraisableExceptionWarning tests/gateway"
    run(session, LITELLM, f"{tests}/test_clients.py -m clients -k litellm")
    run(
        session,
        GATEWAY,
        f"{tests} -m 'clients or server' -k 'not litellm'",
        options=session.posargs,
    )


@nox.session(name="test-page")
def test_page(session: nox.Session) -> None:
    """The page that shows benchmarks, the report of a context, in Chromium, and modules in node."""
    for program in ("chromium", "node"):
        if shutil.which(program) is None:
            session.error(f"needs {program}: apt-get install chromium nodejs")
    tests = "python -m pytest -q -m browser tests/bench tests/context"
    run(session, PAGE, tests, options=session.posargs)


@nox.session(name="test-editors")
def test_editors(session: nox.Session) -> None:
    """What editors show of the conformance suite: TextMate's grammar, and tree-sitter's."""
    for program in ("node", "npm", "cc"):
        if shutil.which(program) is None:
            session.error(f"needs {program}: apt-get install npm gcc libc6-dev")
    options = ("--prefix", "build/npm-editors", "--no-audit", "--no-fund", "--silent")
    install(session, "npm", "install", *options, "vscode-textmate@9.3.2", "vscode-oniguruma@2.0.1")
    environment = adding(TEST, "tree-sitter", "--group editors")
    tests = "pytest -q -rP -m editors tests/editors"
    run(session, environment, tests, options=session.posargs)
    if shutil.which("chromium") and not session.posargs:
        run(session, environment, "python -m tests.editors.pictures")


@nox.session(name="test-js")
def test_js(session: nox.Session) -> None:
    """The package in TypeScript: the suite, beside the library, its size and speed (needs npm)."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            session.error(f"needs {program}: apt-get install nodejs npm")
    python = str(make(session, TEST) / "python")
    with session.chdir("js"):
        install(session, "npm", "install", "--no-audit", "--no-fund", "--silent")
        for script in ("build", "test", "page", "size", "speed", "scale"):
            variables = {"LTON_PYTHON": python}  # the gateway before which clients are tested
            session.run("npm", "run", "--silent", script, external=True, env=variables)
    options = session.posargs or ("--count", "20000")
    suite = ("spec/conformance/run.py", "node", "js/test/conformance.mjs")
    session.run(python, *suite, external=True)
    session.run(python, "-m", "fuzz.javascript", *options, external=True)


@nox.session(name="test-postgres")
def test_postgres(session: nox.Session) -> None:
    """Conversations in PostgreSQL: a real server, killed and shared."""
    if not shutil.which("initdb") and not any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        session.error("needs a server of PostgreSQL: apt-get install postgresql")
    environment = adding(TEST, "psycopg", "-e .[postgres]")
    tests = "pytest -q -m postgres tests/context/test_stores.py"
    run(session, environment, tests, options=session.posargs)


@nox.session(name="test-mcp")
def test_mcp(session: nox.Session) -> None:
    """The MCP proxy before published servers, over both transports (needs npm)."""
    if shutil.which("npm") is None:
        session.error("needs npm: apt-get install npm")
    servers = [
        f"@modelcontextprotocol/server-{name}@2025.11.25" for name in ("filesystem", "memory")
    ]
    options = ("--prefix", "build/npm", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
    install(session, "npm", "install", *options, *servers)
    environment = adding(TEST, "published MCP servers", "--group mcp-servers")
    run(session, environment, "pytest -q -m mcp tests/mcp_proxy", options=session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site of docs/ into build/site; a dead link is an error (a minute)."""
    commands = ("python -m docs.site.assemble", "zensical build --strict --clean")
    run(session, DOCS, *commands, options=session.posargs)


@nox.session
def proof(session: nox.Session) -> None:
    """That grammars and decoder have one language, on 5 engines (a share: --share 1/20)."""
    for engine in ("llguidance", "llguidance-o200k", "python-lark", "llama.cpp", "xgrammar"):
        command = f"python -m tests.grammar.proof --engine {engine} --share 1/20"
        run(session, ENGINES, command, options=session.posargs)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Coverage-guided fuzzing, a minute (longer: -max_total_time=600)."""
    Path("build/fuzz").mkdir(parents=True, exist_ok=True)
    run(
        session,
        adding(TEST, "atheris", "--group fuzz"),
        "python -m fuzz.seeds build/seeds",
        "python -m fuzz.fuzz_decode build/fuzz build/seeds -dict=fuzz/lton.dict -max_len=1000 "
        "-artifact_prefix=build/ -max_total_time=60 -print_final_stats=1",
        options=session.posargs,
    )
    inputs = {"lenient": "build/seeds -dict=fuzz/lton.dict -max_len=600"}
    inputs |= {"schema": "-max_len=2000", "prompt": "-max_len=2000"}
    for target, options in inputs.items():
        Path(f"build/fuzz-{target}").mkdir(exist_ok=True)
        command = f"python -m fuzz.fuzz_{target} build/fuzz-{target} {options}"
        limits = " -artifact_prefix=build/ -max_total_time=60 -print_final_stats=1"
        fuzzing = adding(TEST, "atheris", "--group fuzz")
        run(session, fuzzing, command + limits, options=session.posargs)


@nox.session
def mutants(session: nox.Session) -> None:
    """Mutation testing: which changes of the code does no test notice?"""
    mutation = adding(TEST, "mutmut", "--group mutation")
    # mutmut makes the mutants, sees which tests reach which function, and tries one.
    run(session, mutation, "mutmut run lton.schema.shown.signature.x_signature__mutmut_1")
    python = str(make(session, mutation) / "python")
    with session.chdir("mutants"):
        session.run(python, "-m", "tests.mutants", *session.posargs, external=True)


# --- what is one command -------------------------------------------------------------------------


def add(name: str, where: Environment, command: str, about: str, **variables: str) -> None:
    """Add a session that runs a command."""

    def session_of_one(session: nox.Session) -> None:
        run(session, where, command, options=session.posargs, **variables)

    session_of_one.__doc__ = about
    nox.session(name=name)(session_of_one)


STUDY = adding(MODELS, "Gemma 3 270M (230 MB to download)", "--no-deps -r benchmarks/models.txt")
BESIDE = adding(
    STUDY, "the server of llama.cpp", "-e .[gateway] --group server --group study-gateway"
)
GEMMA = adding(TEST, "the vocabulary of Gemma (57 MB to download)", pinned("gemma"))
RESULTS = "--out benchmarks/results --into docs/results"
SHORT = "--readme README.md"
SAMPLES = "--samples benchmarks/results/study/samples.jsonl"
ANSWERS = "--samples benchmarks/results/study/gateway.jsonl"
SERVED = "tests/test_demo.py tests/chat tests/tokens tests/engines/test_server.py"
PLUGINS = "tests/integrations"
SLOW = (
    "(deep or hypothesis)"
    " and not (browser or engines or model or postgres or server or vocabularies)"
)
TAU = "tests/chat/tau-airline.jsonl.gz"
HOTPOT = "--hotpot tests/context/compressed/hotpot.jsonl.gz"
LINGUA = "--texts tests/context/compressed/llmlingua.jsonl.gz"
PEERS = "--peers benchmarks/results/compress-peers.jsonl"
LEFT = "--answers benchmarks/results/compress-answers.jsonl --out benchmarks/results"
TUNED = (
    "--examples 328 --max-tokens 256 --cases 60 --forms json python wire"
    " --conditions 'base, grammar' tuned 'tuned, grammar'"
)
# fmt: off
add("test-models", MODELS, "pytest -q -m model", "What needs the model.")
add("test-engines", ENGINES, "pytest -q -m engines", "What needs xgrammar, or OpenAI's client.")
add("test-finetune", FINETUNE, "pytest -q -m finetune tests/finetune", "What needs PyTorch.")
add("test-transformers", FINETUNE, f"pytest -q -m transformers {PLUGINS}/test_transformers.py",
    "generate() of transformers, kept to calls of SmolLM2's.")
add("test-vllm", VLLM, f"pytest -q -m vllm {PLUGINS}/test_vllm.py",
    "The plug-in in vLLM's own classes.")
add("test-sglang", SGLANG, f"pytest -q -m sglang {PLUGINS}/test_sglang.py",
    "The plug-in in SGLang's own classes.")
add("test-frameworks", FRAMEWORKS, "pytest -q -m frameworks tests/frameworks",
    "Tools of agent frameworks as definitions.")
add("test-servers", SERVERS, f"pytest -q -m server {SERVED}", "What needs a llama.cpp server.")
add("serve-demo", GATEWAY, "python -m tests.gateway.demo",
    "A stock agent, the gateway and a llama.cpp server, and what it saves.")
add("context-demo", GATEWAY, "python -m tests.gateway.long_demo",
    "An agent of 60 turns, with a model whose window has room for a few.")
add("test-ray", RAY, "pytest -q -m ray tests/convert tests/context", "What needs Ray Data.")
add("test-vocabularies", GEMMA, "pytest -q -m vocabularies", "What needs Gemma's vocabulary.")
add("oracle", TEST, f"pytest -q -n auto -m '{SLOW}'",
    "The deep tier: examples in every other way, and many made-up ones.", HYPOTHESIS_PROFILE="deep")
add("mutate", TEST, "python -m fuzz.mutate", "A million mutated texts (fewer: --count 10000).")
add("scale", TEST, "python -m fuzz.scale", "Texts of up to 100 MB: is the time linear?")
add("scale-megabyte", TEST, "python -m fuzz.scale_megabyte",
    "Texts of a megabyte, by every reader: is the time linear?")
add("odd-schemas", TEST, "python -m fuzz.odd_schemas",
    "Odd schemas through everything that takes tools: only an LTONError may be raised.")
add("odd-grammars", TEST, "python -m fuzz.grammars",
    "Grammars of hostile definitions: do they have just the calls?")
add("examples", TEST, "python -m tests.examples --write",
    "Write what the examples of README.md and docs/ print anew.")
add("release", RELEASE, "python release.py",
    "All that a release consists of, in build/release; uploads nothing.")
add("grammars", TEST, "python -m grammars", "Write grammars/ again.")
add("editors", TEST, "python -m editors", "Write what editors take from the terminals again.")
add("figures", TEST, "python -m tests.figures", "The project in figures.")
add("finetune", FINETUNE, f"python -m lton_bench.finetune --save {TUNED}",
    "LoRA on JSON, Python and LTON, base against tuned (40 minutes; goes on where it was).")
add("study", STUDY, "python -m lton_bench.study",
    "What models get right in every form, a slice of it (10 to 40 minutes).")
add("study-full", STUDY,
    f"python -m lton_bench.study --cases 100 {RESULTS}/models.md {SHORT} {SAMPLES}",
    "All of it; writes benchmarks/results/study.* (2 to 8 hours; goes on where it was).")
add("study-gateway", BESIDE, f"python -m lton_bench.study.gateway {RESULTS}/gateway.md {ANSWERS}",
    "A stock client before llama-server, the gateway, and a guided model (2 hours; goes on).")
add("study-context", STUDY,
    "python -m lton_bench.study.follow --model smollm2 --model gemma3 --out benchmarks/results",
    "Do models follow pointers and files to what is not shown? (1 hour; goes on where it was.)")
add("study-readings", STUDY,
    "python -m lton_bench.study.readings --model smollm2 --model gemma3 --out benchmarks/results",
    "Do models read answers in LTON as well as in JSON? (1 hour; goes on where it was.)")
add("study-staying", BESIDE,
    "python -m lton_bench.study.staying --model smollm2 --model gemma3 --out benchmarks/results",
    "20 tools that stay and 100 questions, on each engine (hours; --time 20: times alone).")
add("study-columns", STUDY,
    "python -m lton_bench.study.readings --about columns --sets 24 --model smollm2 --model gemma3"
    " --out benchmarks/results",
    "Does the order of columns decide how well rows are read? (20 minutes; goes on where it was.)")
add("study-thoughts", STUDY, "python -m lton_bench.study.thoughts --out benchmarks/results",
    "Does a thought before a call help models? (1 hour; goes on where it was.)")
add("study-fences", STUDY, "python -m lton_bench.study.fences --model smollm2 --model gemma3",
    "Which newlines models write at the end of a fence (20 minutes).")
add("bench-tokens", GEMMA, f"lton bench tokens {RESULTS}/tokens.md",
    "What calls cost in every format and tokenizer; writes benchmarks/results (10 minutes).")
add("bench-mcp", TEST, "python -m lton_bench.mcp_proxy --out benchmarks/results",
    "What the MCP proxy saves in each mode, and what it gives up (2 minutes).")
add("bench-gateway", TEST, "python -m lton_bench.gateway_load",
    "200 clients that stream for a minute: what the gateway adds (2 minutes).")
add("test-gateway-memory", TEST, "python -m lton_bench.gateway_load --requests 20000",
    "20,000 requests through the gateway: what its memory grows by (5 to 15 minutes).")
add("bench-context", TEST, f"python -m lton_bench.context --data {TAU}",
    "What pointers and LTON save of long conversations (2 minutes).")
add("bench-context-peers", CONTEXTS,
    f"python -m lton_bench.context_peers --data {TAU} --out benchmarks/results",
    "The same of other libraries; writes benchmarks/results/context-peers.* (2 minutes).")
add("bench-compress", TEST, f"python -m lton_bench.compress {HOTPOT} {LINGUA} {PEERS} {LEFT}",
    "What is left of texts made short, beside LLMLingua (2 minutes; LoCoMo: --locomo FILE).")
add("bench-layouts", TEST, "python -m lton_bench.layouts",
    "How long it takes to lay out a context, beside counting it.")
add("bench-lenient", TEST, "python -m tests.lenient.scoreboard --write",
    "How many texts that others judged are read as they judged.")
add("bench-roundtrip", TEST, "python -m lton_bench.roundtrip", "BFCL's gold calls in every form.")
add("bench-signatures", TEST, "python -m lton_bench.signatures",
    "What it costs to show tools to a model, beside JSON and TypeScript.")
add("bench-speed", TEST, "python -m lton_bench.speed",
    "How fast it writes and reads, beside JSON and others (4 minutes).")
add("bench-grammar", ENGINES, "python -m lton_bench.grammars --into docs/results/grammars.md",
    "What grammars cost, beside the JSON Schema of the same engine (10 minutes).")
