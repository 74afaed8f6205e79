"""Judge calls with BFCL's own checker, without the clients of all vendors that it imports.

The checker imports the clients only to ask whether a model writes `_` for the dots of names. The
models here never do, so the import is removed.
"""

import ast
from collections.abc import Mapping, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any

from lton_bench import bfcl
from lton_bench.packages import folder
from lton_bench.study.tasks import Case

__all__ = ["documents", "is_right", "verdict"]

_CLIENTS = "bfcl_eval.constants.model_config"


@cache
def _names() -> dict[str, Any]:
    """Return the names that the checker's module defines."""
    path = folder("bfcl_eval") / "eval_checker" / "ast_eval" / "ast_checker.py"
    module = ast.parse(path.read_text("utf-8"))
    module.body = [node for node in module.body if getattr(node, "module", None) != _CLIENTS]
    names: dict[str, Any] = {
        "MODEL_CONFIG_MAPPING": {"any": SimpleNamespace(underscore_to_dot=False)}
    }
    exec(compile(module, str(path), "exec"), names)  # noqa: S102 - a package that we name
    return names


def verdict(
    case: Case, tools: Sequence[Any], calls: Sequence[Mapping[str, Mapping[str, Any]]]
) -> dict[str, Any]:
    """Return the checker's verdict on calls; the checker raises exceptions for some calls."""
    language, check = _names()["Language"].PYTHON, _names()["ast_checker"]
    result: dict[str, Any] = check(tools, calls, case.answers, language, case.category, "any")
    return result


@cache
def documents(category: str) -> dict[str, list[dict[str, Any]]]:
    """Return the tools of each case, as the checker expects them."""
    return {entry["id"]: entry["function"] for entry in bfcl._lines(f"BFCL_v4_{category}.json")}


def is_right(case: Case, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> bool:
    """Return whether calls are right; without acceptable answers, whether there are none.

    Calls on which the checker fails are wrong.
    """
    if not case.answers:
        return not calls
    tools = documents(case.category)[case.id]
    try:
        return bool(verdict(case, tools, [{name: arguments} for name, arguments in calls])["valid"])
    except (AttributeError, KeyError, OverflowError, TypeError):
        return False
