# ruff: noqa: E501 - a table is read by its columns
"""Record the answers of MCP servers to `tools/list`, as benchmarks/lton_bench/mcp/NAME.json.

    python -m lton_bench.mcp.record [NAME…]

Each server is installed from its registry into a temporary folder, without the scripts of its
packages, and started with variables that contain no secrets. No server needs the network to list
its tools. A recording is the unchanged listing. Servers from npm need npm.
"""

import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

from lton.errors import LTONError
from lton.integrations.mcp import list_tools

HERE = Path(__file__).parent
DIRECTORY = "DIRECTORY"
"""Stands for an empty directory in a command, which the server may use."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server: its package, its licence, and its command."""

    name: str
    registry: str
    package: str
    version: str
    licence: str
    command: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)


_MCP = "@modelcontextprotocol/server-"  # later versions point to a file that is not in the package
_AWS = {"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none"}
_ATLASSIAN = {
    "CONFLUENCE_URL": "https://example.atlassian.net/wiki",
    "CONFLUENCE_USERNAME": "none",
    "CONFLUENCE_API_TOKEN": "none",
    "JIRA_URL": "https://example.atlassian.net",
    "JIRA_USERNAME": "none",
    "JIRA_API_TOKEN": "none",
}
_SLACK = {"SLACK_BOT_TOKEN": "none", "SLACK_TEAM_ID": "none"}
# fmt: off
SERVERS = (
    Server("filesystem", "npm", _MCP + "filesystem", "2025.11.25", "MIT", ("mcp-server-filesystem", DIRECTORY)),
    Server("memory", "npm", _MCP + "memory", "2025.11.25", "MIT", ("mcp-server-memory",)),
    Server("everything", "npm", _MCP + "everything", "2025.11.25", "MIT", ("mcp-server-everything",)),
    Server("thinking", "npm", _MCP + "sequential-thinking", "2025.11.25", "MIT", ("mcp-server-sequential-thinking",)),
    Server("github", "npm", _MCP + "github", "2025.4.8", "MIT", ("mcp-server-github",), {"GITHUB_PERSONAL_ACCESS_TOKEN": "none"}),
    Server("slack", "npm", _MCP + "slack", "2025.4.25", "MIT", ("mcp-server-slack",), _SLACK),
    Server("puppeteer", "npm", _MCP + "puppeteer", "2025.5.12", "MIT", ("mcp-server-puppeteer",)),
    Server("postgres", "npm", _MCP + "postgres", "0.6.2", "MIT", ("mcp-server-postgres", "postgresql://localhost/db")),
    Server("playwright", "npm", "@playwright/mcp", "0.0.83", "Apache-2.0", ("playwright-mcp",)),
    Server("notion", "npm", "@notionhq/notion-mcp-server", "2.5.2", "MIT", ("notion-mcp-server",), {"NOTION_TOKEN": "none"}),
    Server("context7", "npm", "@upstash/context7-mcp", "4.1.1", "MIT", ("context7-mcp",)),
    Server("chrome-devtools", "npm", "chrome-devtools-mcp", "1.11.0", "Apache-2.0", ("chrome-devtools-mcp",)),
    Server("tavily", "npm", "tavily-mcp", "0.2.22", "MIT", ("tavily-mcp",), {"TAVILY_API_KEY": "none"}),
    Server("firecrawl", "npm", "firecrawl-mcp", "3.26.0", "MIT", ("firecrawl-mcp",), {"FIRECRAWL_API_KEY": "none"}),
    Server("mongodb", "npm", "mongodb-mcp-server", "3.0.4", "Apache-2.0", ("mongodb-mcp-server",)),
    Server("fetch", "pypi", "mcp-server-fetch", "2026.10.24", "MIT", ("mcp-server-fetch",)),
    Server("git", "pypi", "mcp-server-git", "2026.10.19", "MIT", ("mcp-server-git",)),
    Server("time", "pypi", "mcp-server-time", "2026.10.19", "MIT", ("mcp-server-time", "--local-timezone=UTC")),
    Server("atlassian", "pypi", "mcp-atlassian", "0.23.1", "MIT", ("mcp-atlassian",), _ATLASSIAN),
    Server("duckduckgo", "pypi", "duckduckgo-mcp-server", "0.7.0", "MIT", ("duckduckgo-mcp-server",)),
    Server("aws-documentation", "pypi", "awslabs.aws-documentation-mcp-server", "1.2.3", "Apache-2.0", ("awslabs.aws-documentation-mcp-server",)),
    Server("aws-dynamodb", "pypi", "awslabs.dynamodb-mcp-server", "2.1.8", "Apache-2.0", ("awslabs.dynamodb-mcp-server",), _AWS),
    Server("aws-cloudwatch", "pypi", "awslabs.cloudwatch-mcp-server", "0.3.1", "Apache-2.0", ("awslabs.cloudwatch-mcp-server",), _AWS),
    Server("arxiv", "pypi", "arxiv-mcp-server", "0.8.2", "Apache-2.0", ("arxiv-mcp-server",)),
)
# fmt: on


def record(server: Server) -> dict[str, Any]:
    """Install and start a server, and return its recording.

    Raises `ValueError` if the package states another licence, or if the recording contains paths of
    this machine, and `LTONError` if the server returns no listing. A recording can describe the
    machine in other words, such as mounted folders: read a new recording before you commit it.
    """
    with tempfile.TemporaryDirectory() as place:
        programs, stated = _INSTALL[server.registry](server, Path(place))
        if stated != server.licence:
            raise ValueError(f"expected the licence {server.licence}, found {stated}")
        directory = Path(place) / DIRECTORY.lower()
        directory.mkdir()
        program, *arguments = (
            str(directory) if word == DIRECTORY else word for word in server.command
        )
        env = {**server.env, "HOME": str(directory)}
        tools = list_tools([str(programs / program), *arguments], env=env, timeout_s=60).tools
        for private in (place, str(Path.home()), str(Path.cwd())):
            if private in json.dumps(tools, ensure_ascii=False):
                raise ValueError(f"expected nothing of this machine, found {private}")
    return {**asdict(server), "command": list(server.command), "tools": tools}


def _install_npm(server: Server, place: Path) -> tuple[Path, str]:
    options = ["--prefix", str(place), "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    _run("npm", "install", *options, f"{server.package}@{server.version}")
    modules = place / "node_modules"
    about = json.loads((modules / server.package / "package.json").read_text("utf-8"))
    return modules / ".bin", about["license"]


def _install_pypi(server: Server, place: Path) -> tuple[Path, str]:
    venv.create(place / "venv", with_pip=True)
    programs = place / "venv" / "bin"
    _run(str(programs / "pip"), "install", "-q", f"{server.package}=={server.version}")
    (site,) = (place / "venv" / "lib").glob("python*/site-packages")
    (found,) = distributions(name=server.package, path=[str(site)])
    about = found.metadata
    stated = [
        *about.get_all("License-Expression", []),
        *about.get_all("License", []),
        *map(_CLASSIFIERS.get, about.get_all("Classifier", [])),
        # The title of a licence file, where the rest says nothing.
        *(_TITLES.get(text.split("\n")[0].strip()) for text in _licence_files(found)),
    ]
    return programs, next(filter(None, stated), "")


def _licence_files(found: Distribution) -> Iterator[str]:
    for name in found.metadata.get_all("License-File", []):
        yield found.read_text(f"licenses/{name}") or ""


_CLASSIFIERS = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: MIT License": "MIT",
}
_TITLES = {"MIT License": "MIT", "The MIT License (MIT)": "MIT"}


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - of the table


_INSTALL = {"npm": _install_npm, "pypi": _install_pypi}


def main(names: list[str]) -> int:
    """Record the named servers, or all; return 1 if a server failed."""
    failed = False
    HERE.mkdir(exist_ok=True)
    for server in SERVERS:
        if names and server.name not in names:
            continue
        try:
            recording = record(server)
        except (LTONError, ValueError, subprocess.CalledProcessError) as error:
            failed = True
            print(f"{server.name}: {error}", file=sys.stderr)
            continue
        text = json.dumps(recording, ensure_ascii=False, separators=(",", ":"))
        (HERE / f"{server.name}.json").write_text(text + "\n", "utf-8")
        print(f"{server.name}: {len(recording['tools'])} tools")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
