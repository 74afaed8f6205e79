"""Compare the newest version of an agent with the pinned one.

    python -m tests.extra.agents.versions

`make test-agents` installs both. A difference means that LTON was not tested with the newest
version: read the difference, mend LTON if it is needed, and pin the newest version.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.extra.agents.agents import FOLDERS, Agent, Version
from tests.extra.agents.compared import messages_of
from tests.extra.agents.runs import Run

PACKAGES = {
    "claude": "@anthropic-ai/claude-code",
    "codex": "@openai/codex",
    "qwen": "@qwen-code/qwen-code",
    "opencode": "opencode-ai",
    "aider": "aider-chat",
}
"""The package of each program."""


def installed_version(program: str, version: Version) -> str:
    """Return the installed version of a program. Raises `LookupError` if there is none."""
    npm_folder, aider_folder = FOLDERS[version]
    manifest = npm_folder.parent / PACKAGES[program] / "package.json"
    if manifest.is_file():
        return str(json.loads(manifest.read_text())["version"])
    for path in aider_folder.parent.glob("lib/python*/site-packages/aider_chat-*.dist-info"):
        return path.name.removeprefix("aider_chat-").removesuffix(".dist-info")
    raise LookupError(f"the {version} version of {program} is not installed: make test-agents")


def node_version(version: Version) -> str:
    """Return the version of the node that runs the agents of npm."""
    node = FOLDERS[version][0] / "node"
    return subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout


def differences(pinned: Run, newest: Run) -> list[str]:
    """Return how the newest version differs, in sentences; none if both do the same."""
    sentences = list[str]()
    if newest.status != pinned.status:
        sentences.append(f"it ends with status {newest.status} instead of {pinned.status}")
    for name in sorted({*pinned.folder, *newest.folder}):
        if pinned.folder.get(name) != newest.folder.get(name):
            sentences.append(f"it leaves another content in {name}")
    if len(newest.bodies) != len(pinned.bodies):
        sentences.append(f"it sends {len(newest.bodies)} requests instead of {len(pinned.bodies)}")
    was, now = _features_of(pinned.bodies), _features_of(newest.bodies)
    sentences += [f"it no longer sends {feature}" for feature in sorted(was - now)]
    sentences += [f"it also sends {feature}" for feature in sorted(now - was)]
    return sentences


def _features_of(bodies: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the fields, tools, roles and kinds of parts in requests."""
    return {feature for body in bodies for feature in _features_in(body)}


def _features_in(body: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"the field {key}" for key in body)
    for tool in body.get("tools") or ():
        function = tool.get("function", tool)
        yield f"the tool {function.get('name', tool.get('type'))}"
        yield from (f"the field {key} of tools" for key in {**tool, **function})
    for message in messages_of(body):
        kind = message.get("role") or message.get("type")
        yield f"messages of {kind}"
        yield from (f"the field {key} in messages of {kind}" for key in message)
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            yield f"parts of type {part.get('type')}"
            yield from (f"the field {key} in parts of type {part.get('type')}" for key in part)


def installed_versions(agent: Agent) -> tuple[str, str]:
    """Return the pinned and the newest version of an agent."""
    program = Path(agent.command[0]).name
    return installed_version(program, "pinned"), installed_version(program, "newest")


def describe(agent: Agent) -> str:
    """Return the versions of an agent that are compared."""
    pinned, newest = installed_versions(agent)
    return f"{agent.name} {newest} (newest), compared with {pinned} (pinned)"


def main() -> None:
    """Print the installed versions."""
    for program in PACKAGES:
        for version in FOLDERS:
            print(program, version, installed_version(program, version))
    print("node", node_version("pinned"), node_version("newest"))


if __name__ == "__main__":
    main()
