"""The gateway's metrics for Prometheus."""

import os
from dataclasses import asdict

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from lton.gateway.bills import DefinitionUse, RequestBill

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder in which processes share their metrics."""
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


class Metrics:
    """The metrics of one gateway, which `/metrics` returns by `text()`.

    >>> metrics = Metrics()
    >>> metrics.requests.labels("chat", "200").inc()
    >>> 'lton_requests_total{endpoint="chat",status="200"} 1.0' in metrics.text().decode()
    True
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.definitions = DefinitionUse()
        name = "lton_"

        def counter(what: str, says: str, *labels: str) -> Counter:
            return Counter(name + what, says, labels, registry=self.registry)

        def seconds(what: str, says: str) -> Histogram:
            return Histogram(
                name + what, says, ("endpoint",), registry=self.registry, buckets=_SECONDS
            )

        self.requests = counter("requests", "Requests, by their answer", "endpoint", "status")
        self.left = counter("clients_left", "Clients that left before the answer ended", "endpoint")
        self.tokens = counter(
            "tokens",
            "Tokens as they were sent (kind: prompt, completion), and as JSON would have cost",
            "kind",
            "notation",
        )
        self.reported = counter(
            "reported_tokens",
            "Tokens that the provider's usage reports, by how it bills them",
            "kind",
        )
        self.billed = counter(
            "billed_tokens",
            "Billed tokens of prompts: as reported (the provider's usage), and by estimates with a "
            "cache of what was sent (estimated_sent) and what the client asked (estimated_asked)",
            "by",
        )
        self.calls = counter("calls", "Calls that clients were given")
        self.repairs = counter("repairs", "Repairs of lenient reading, by their code", "code")
        self.retries = counter("retries", "Answers asked for again, with the error")
        self.unread = counter("unread_answers", "Answers that held no call that could be read")
        self.left_out = counter(
            "left_out", "What answers hold and clients were not given as it is, by its code", "code"
        )
        self.rescued = counter(
            "rescued_calls", "Calls that were read out of a text, where calls are native"
        )
        self.checked = counter(
            "checked_calls",
            "Calls that models made natively, by how they fit: fits, or why not",
            "fit",
        )
        self.strict = counter(
            "strict_requests",
            "Requests whose tools were made strict by default: taken or refused",
            "answer",
        )
        self.mode = Gauge(
            "lton_calls_mode",
            "How calls are written, and why",
            ("mode", "why"),
            registry=self.registry,
            multiprocess_mode="livemax",
        )
        self.server = Gauge(
            "lton_server",
            "The server that was found, and its --engine",
            ("server", "engine"),
            registry=self.registry,
            multiprocess_mode="livemax",
        )
        self.first_byte = seconds("time_to_first_byte_seconds", "Until the first byte was sent")
        self.duration = seconds("request_duration_seconds", "Until the answer ended")
        self.running = Gauge(
            "lton_requests_running",
            "Requests being answered",
            registry=self.registry,
            multiprocess_mode="livesum",
        )

    def take(self, bill: RequestBill) -> None:
        if bill.reported:
            for kind, tokens in asdict(bill.reported.prompt).items():
                self.reported.labels(kind).inc(tokens)
            self.reported.labels("output").inc(bill.reported.output)
            self.billed.labels("reported").inc(bill.prices.billed(bill.reported.prompt))
        self.billed.labels("estimated_sent").inc(bill.prices.billed(bill.sent))
        self.billed.labels("estimated_asked").inc(bill.prices.billed(bill.asked))

    def text(self) -> bytes:
        registry = self.registry
        if folder := os.environ.get(SHARED):
            registry = CollectorRegistry()
            MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
