"""Test that thoughts in examples fit the examples, and are separated from calls."""

import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lton.engines.llamacpp import LlamaEngine
from lton_bench import bfcl
from lton_bench.study import answers, tasks, thoughts
from lton_bench.study.answers import Sample
from lton_bench.study.runner import Batch, Samples, unanswered
from lton_bench.study.thinking import CONDITIONS, STYLES, TRIED, Thinking

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
SIMPLE = tasks.development()["simple_python"]


@pytest.mark.parametrize("category", tasks.REPORTED)
@pytest.mark.parametrize("style", STYLES)
def test_every_example_thinks(category: str, style: str) -> None:
    """Every example has a thought that names a value of its call, and quotes no case that is
    asked.
    """
    for shot in tasks.shots(2, answers._SHOTS.get(category, answers._ONE_CALL)):
        said = STYLES[style](shot)
        assert bool(said) is bool(style)
        if shot.category == "irrelevance":
            assert not style or said.endswith("No tool fits.")
        elif style:
            values = [value for _, arguments in bfcl.gold(shot) for value in arguments.values()]
            assert any(str(value) in said for value in values)


@pytest.mark.parametrize("conditions", [CONDITIONS, TRIED])
def test_conditions_are_compared_with_one_that_differs_in_the_thought_alone(
    conditions: tuple[Thinking, ...],
) -> None:
    by_name = {each.name: each for each in conditions}
    assert len(by_name) == len(conditions)
    for each in conditions:
        assert (each.marks is None) is (each.most == 0)
        if each.beside:
            base = by_name[each.beside]
            assert (base.form, base.scaffold) == (each.form, each.scaffold)
            differs = {key for key, value in asdict(each).items() if value != asdict(base)[key]}
            thinks = {"name", "beside", "marks", "most", "style"}
            assert differs <= ({"name", "beside", "is_free"} if each.is_free else thinks)
        else:
            assert each.marks is None


def test_rounds_hold_all_conditions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A round covers all conditions, so a stopped run has asked each condition the same."""
    pool = {"simple_python": SIMPLE, "parallel": tasks.development()["parallel"]}
    batches = [*thoughts.plan(["m"], TRIED, pool, 5)]
    first = batches[: 2 * len(TRIED)]
    assert {(each.condition.name, case.id) for each in first for case in each.cases} == {
        (condition.name, case.id)
        for condition in TRIED
        for some in pool.values()
        for case in some[:3]
    }
    assert [len(each.cases) for each in batches[2 * len(TRIED) :]] == 2 * len(TRIED) * [2]
    monkeypatch.setattr(thoughts, "version", lambda _: "1")
    samples = Samples(tmp_path / "s.jsonl", thoughts.settings(TRIED))
    again = Samples(tmp_path / "s.jsonl", thoughts.settings(TRIED))
    assert unanswered(batches, samples) == unanswered(batches, again) == batches


def test_the_results_are_what_the_answers_say() -> None:
    """The results agree with the stored answers, and the questions are those of a run."""
    found = json.loads((RESULTS / "thoughts.json").read_text("utf-8"))
    answers = RESULTS / "study" / "thoughts.jsonl"
    samples = Samples(answers, found["settings"])
    conditions = json.loads(json.dumps([asdict(each) for each in CONDITIONS]))
    assert found["settings"]["conditions"] == conditions
    kept = [*samples.found.values()]
    assert found["models"] == json.loads(json.dumps(thoughts.summary(kept, CONDITIONS)))
    assert (RESULTS / "thoughts.md").read_text("utf-8") == thoughts.markdown(found["models"])
    reported = {case.id for some in tasks.reported().values() for case in some}
    assert {id_ for _, _, id_ in samples.found} <= reported


def sample(case: int, condition: str, failure: str = "", **values: Any) -> Sample:
    found: dict[str, Any] = {
        "model": "m", "condition": condition, "category": "simple_python", "id": f"c{case}",
        "text": "", "calls": [], "failure": failure, "prompt": 100, "prefilled": 0, "sampled": 20,
        "seconds": 2.0, "writing": 1.0, "thought": "", "thinking": 0, "calling": 1.0,
    }  # fmt: skip
    return {**found, **values}  # type: ignore[typeddict-item]


def test_the_table() -> None:
    """The table covers cases that every condition answered, and compares with the one without a
    thought.
    """
    conditions = (
        Thinking(name="a", form="json"),
        Thinking(name="b", form="json", marks=("(*", "*)"), most=9, style="rule", beside="a"),
    )
    thinks: Mapping[str, Any] = {"sampled": 30, "thinking": 10, "calling": 0.5}
    samples = [
        *(sample(case, "a", "" if case else "wrong value") for case in range(4)),
        sample(0, "b", **thinks),
        sample(1, "b", **thinks),
        sample(2, "b", "cut off", calls=None, **thinks),
    ]
    found = thoughts.summary(samples, conditions)["m"]
    assert found["a"]["cases"] == found["b"]["cases"] == 3
    assert found["b"]["difference"]["difference"]["value"] == 0
    assert (found["b"]["a_token"], found["b"]["no_call"]) == (0.025, 1)
    lines = thoughts.markdown({"m": found}).strip().splitlines()
    assert lines[0] == "## m, 3 cases"
    assert lines[-2].startswith("| a | 0.667 [0.208, 0.939] |  |  | 2 | 0 | 20.0 | 0.0 | 2.00 s |")
    assert lines[-1].startswith("| b | 0.667 [0.208, 0.939] | a | 0.000 [")
    assert lines[-1].endswith("| 2 | 1 | 30.0 | 10.0 | 2.00 s | 0.50 s | 25 ms |")
    assert thoughts.summary(samples[:4], conditions) == {}


@pytest.mark.parametrize("is_free", [False, True])
def test_a_thought_is_told_apart_from_the_call(
    is_free: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thought is separated from the call, with a grammar or without, and read before the next
    token.
    """
    read: list[Any] = []
    tokens, under = [*b"so*)\nx ", 0], list[str | None]()
    space = b"" if is_free else b"\n"

    def sampled(_: Any, grammar: str) -> bytes | None:
        under.append(grammar)
        token = tokens.pop(0)
        return bytes([token]) if token else None

    def advance(self: Any) -> None:
        read.extend([] if self.pending is None else [self.pending])

    methods: dict[str, Callable[..., Any]] = {
        "__init__": lambda self, llm: setattr(self, "llm", llm),
        "constrain": lambda _, gbnf: nullcontext(gbnf),
        "sample": sampled,
        "advance": advance,
        "_logits": lambda _, at: SimpleNamespace(argmax=lambda: tokens.pop(0)),
        "piece": lambda _, token: bytes([token]),
    }
    for name, value in methods.items():
        monkeypatch.setattr(LlamaEngine, name, value)
    condition = Thinking(name="a", marks=("(*", "*)"), most=9, is_free=is_free)
    llama = LlamaEngine(SimpleNamespace(n_tokens=7))
    engine = answers._Thinking(llama, condition)
    ends = SimpleNamespace(llama_vocab_is_eog=lambda _, token: token == 0)
    vars(llama).update(library=ends, vocabulary=None, pending=None)
    for gbnf, wanted in (
        ("thought", [b"s", b"o", b"*", b")"]),
        ("call", [space, b"x", b" ", None]),
    ):
        with engine.constrain(gbnf) as grammar:
            assert [engine.sample(grammar) for _ in wanted] == wanted
    assert (engine.thought, engine.thinking, engine.samples) == (b"so*)", 4, 8)
    assert engine.thought_at > 0
    assert under == ([] if is_free else ["thought"] * 4 + ["call"] * 4)
    assert read == ([*b"so*)\nx "] if is_free else [])
    silent = answers._Thinking(LlamaEngine(SimpleNamespace()), Thinking(name="b"))
    with silent.constrain("call"):
        pass
    assert silent.thought_at == silent.thinking == 0


def test_results_are_of_what_was_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Choices use development cases, whose answers are stored separately, and any run can be
    continued.
    """
    asked: list[str] = []

    def run(
        batches: list[Batch], samples: Samples, told: Callable[[Sample], None], *, processes: int
    ) -> None:
        assert processes == 1
        for batch in batches:
            for case in batch.cases:
                asked.append(case.id)
                found = sample(0, batch.condition.name)
                samples.add({**found, "model": batch.model, "id": case.id})

    monkeypatch.setattr(thoughts, "run", run)
    monkeypatch.setattr(thoughts, "version", lambda _: "1")
    options = ["--out", str(tmp_path), "--cases", "1", "--model", "gemma3"]
    for name, pool, conditions in (
        ("thoughts", tasks.reported(), CONDITIONS),
        ("thoughts-development", tasks.development(), TRIED),
    ):
        thoughts.main([*options, *["--development"] * (conditions is TRIED)])
        assert set(asked) == {some[0].id for some in pool.values()}
        assert len(asked) == len(pool) * len(conditions)
        thoughts.main([*options, *["--development"] * (conditions is TRIED)])
        assert len(asked) == len(pool) * len(conditions)
        asked.clear()
        results = json.loads((tmp_path / f"{name}.json").read_text())
        assert [*results["models"]["gemma3"]] == [each.name for each in conditions]
        assert (tmp_path / f"{name}.md").read_text() == thoughts.markdown(results["models"])


@pytest.mark.model
@pytest.mark.parametrize("is_free", [False, True])
def test_a_real_model_thinks(is_free: bool, llm: Any) -> None:
    """The tokens of a real model's thought are counted separately, and the call follows."""
    how: dict[str, Any] = {
        "form": "json",
        "marks": ("<think>", "</think>"),
        "most": 8,
        "style": "hand",
    }
    condition = Thinking(name="a", is_free=is_free, **how)
    engine = answers.counted(LlamaEngine(llm))
    found = answers.answer(engine, "smollm2", condition, SIMPLE[0])
    assert 1 <= found["thinking"] <= 8
    assert found["thought"]
    assert found["sampled"] > found["thinking"]
    assert found["seconds"] > found["writing"] > found["calling"] > 0
    assert is_free or found["calls"]
