"""Measure the cost of a gateway for many clients that stream at once from a scripted upstream.

    python -m lton_bench.gateway.load [--clients 200] [--seconds 60] [--workers 1 2]
        [--litellm PROGRAM]
    python -m lton_bench.gateway.load --requests 20000

Each client asks again and again until the time ends. The upstream sends prose and a call in ten
chunks per second, with the client's number in both. An answer is *refused* if it is an error or
ends with one, *lost* if it does not end, *crossed* if it has the number of another client, and
*garbled* if it is wrong in another way. Reasons are printed on standard error. The same load goes
to the upstream itself, to a proxy that only forwards (`bare_proxy`), to `lton serve` with native
calls and with calls in LTON, and to LiteLLM's proxy if its program is given, one after the other.
Times are from the request to the first byte of content. Each server is a process, whose resident
memory is measured after a second and at the end. With `--workers`, `lton serve --calls lton` runs
with each of these numbers of workers. All processes share the same cores. So the processor time per
answer is printed for the server, the upstream and the clients. If their sum is near the time of a
core, they wait for each other.

With `--requests`, this number of requests goes through `lton serve` as fast as possible. Each
request has new tools, so caches do not help. Requests alternate between streamed chat, chat, and
responses. The memory is printed after each tenth. Caches fill in the first half, so only the growth
in the second half counts.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

from lton_bench.gateway.clients import load, soak
from lton_bench.gateway.processes import free_port, processor_s, resident, run_server

MOST_GROWTH = 8.0
"""The largest growth in the second half, in megabytes; a leak of 1 kB per request would be 10."""


def race(
    name: str, url: str, process: int, source: int, options: argparse.Namespace
) -> list[float]:
    """Put a server under load, print the results, and return four figures.

    The figures are the median and the 99th percentile of times, the processor time per answer (all
    in milliseconds), and the number of wrong answers. `source` is the process of the upstream.
    """
    asyncio.run(load(url, min(options.clients, 10), 1))
    before = resident(process)
    processor_ms = [-seconds for seconds in _processor_seconds(process, source)]
    counts, times = asyncio.run(load(url, options.clients, options.seconds))
    processor_ms = [
        1000 * (now + then) / sum(counts.values())
        for now, then in zip(_processor_seconds(process, source), processor_ms, strict=True)
    ]
    after = resident(process)
    first = sorted(1000 * seconds for seconds in times)
    p50, p99 = median(first), quantiles(first, n=100)[98]
    wrong = ", ".join(
        f"{counts[what]} {what}" for what in ("refused", "lost", "crossed", "garbled")
    )
    print(
        f"{name:11} {sum(counts.values()):6} answers, {wrong}; first byte p50 {p50:.1f} ms,"
        f" p99 {p99:.1f} ms; memory {before:.0f} -> {after:.0f} MB; processor an answer:"
        f" {processor_ms[0]:.1f} ms, upstream {processor_ms[1]:.1f}, clients {processor_ms[2]:.1f}",
        flush=True,
    )
    return [p50, p99, processor_ms[0], sum(counts.values()) - counts["right"]]


def _processor_seconds(process: int, source: int) -> list[float]:
    """Return the processor seconds of the server, the upstream, and the clients."""
    return [processor_s(process), processor_s(source), time.process_time()]


def main() -> None:
    """Run the benchmark; the exit status is 1 if an answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--workers", type=int, nargs="+", default=[1], help="of lton serve")
    parser.add_argument("--litellm", metavar="PROGRAM", help="the program of litellm[proxy]")
    parser.add_argument("--requests", type=int, help="so many, and what memory grows by")
    options = parser.parse_args()
    if options.requests:
        sys.exit(_soak(max(options.requests, 10)))
    ports = [free_port() for _ in range(4)]
    urls = [f"http://127.0.0.1:{port}" for port in ports]
    here = [sys.executable, "-m"]
    bare_proxy = [*here, "lton_bench.gateway.bare_proxy", str(ports[3]), urls[0]]
    print(f"{options.clients} clients for {options.seconds:g} s each", flush=True)
    with run_server([*here, "lton_bench.gateway.scripted", str(ports[0])], urls[0]) as up:
        direct = race("upstream", urls[0], up.pid, up.pid, options)
        with run_server(bare_proxy, urls[3]) as process:
            bare = race("bare proxy", urls[3], process.pid, up.pid, options)
        serve = [*here, "lton", "serve", "--upstream", urls[0], "--port", str(ports[1])]
        serve += ["--engine", "vllm", "--calls"]
        ways = {"native": ["native"]}
        for workers in options.workers:
            name = "lton" if workers == 1 else f"{workers} workers"
            ways[name] = ["lton", "--set", f"workers={workers}"]
        figures = {"bare proxy": bare}
        for name, way in ways.items():
            with run_server([*serve, *way], urls[1]) as process:
                figures[name] = race(name, urls[1], process.pid, up.pid, options)
        wrong = direct[-1] + sum(row[-1] for row in figures.values())
        if options.litellm:
            figures["litellm"] = _litellm(options, urls[0], ports[2], urls[2], up.pid)
    for name, (p50, p99, processor_ms, _) in figures.items():
        print(
            f"{name:11} adds p50 {p50 - direct[0]:.1f} ms, p99 {p99 - direct[1]:.1f} ms;"
            f" processor an answer: {processor_ms / bare[2]:.2f} of the bare proxy's"
        )
    sys.exit(bool(wrong))


def _soak(requests: int) -> int:
    """Print the growth of memory, and return whether it is too much."""
    ports = [free_port() for _ in range(2)]
    urls = [f"http://127.0.0.1:{port}" for port in ports]
    here = [sys.executable, "-m"]
    source = [*here, "lton_bench.gateway.scripted", str(ports[0]), "--pause", "0"]
    serve = [*here, "lton", "serve", "--upstream", urls[0], "--port", str(ports[1])]
    with (
        run_server(source, urls[0]),
        run_server([*serve, "--calls", "lton", "--engine", "vllm"], urls[1]) as process,
    ):
        sizes = asyncio.run(soak(urls[1], process.pid, requests))
    half = len(sizes) // 2
    growth = sizes[-1] - sizes[half]
    print(
        f"{requests} requests: {sizes[0]:.1f} MB before, {sizes[half]:.1f} after half,"
        f" {sizes[-1]:.1f} at the end: {growth:+.1f} MB in the second half"
    )
    return growth > MOST_GROWTH


def _litellm(
    options: argparse.Namespace, upstream_url: str, port: int, url: str, source: int
) -> list[float]:
    parameters = {"model": "openai/m", "api_base": f"{upstream_url}/v1", "api_key": "none"}
    config = {
        "model_list": [{"model_name": "m", "litellm_params": parameters}],
        "litellm_settings": {"callbacks": [], "num_retries": 0},
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "config.yaml"
        file.write_text(json.dumps(config))  # JSON is YAML
        command = [
            options.litellm,
            "--config",
            str(file),
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
        ]
        # It refuses to start without a key; nobody but this program can reach it.
        weak = "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY"
        variables = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", weak: "true"}
        with run_server(command, url, **variables) as process:
            return race("litellm", url, process.pid, source, options)


if __name__ == "__main__":
    main()
