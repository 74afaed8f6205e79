"""Define the Prometheus metrics of the gateway."""

import os
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from lton.gateway.bills import DefinitionUse, RequestBill
from lton.tokens.billing import Prices
from lton.tokens.usage import ReportedUsage

SHARED = "PROMETHEUS_MULTIPROC_DIR"  # names the folder in which processes share their metrics
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


class Metrics:
    """The metrics of one gateway. `write_exposition()` is the content of `/metrics`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.definitions = DefinitionUse()

        def make_counter(what: str, says: str, *labels: str) -> Counter:
            return Counter(f"lton_{what}", says, labels, registry=self.registry)

        def make_gauge(what: str, says: str, *labels: str, mode: Any) -> Gauge:
            how = {"registry": self.registry, "multiprocess_mode": mode}
            return Gauge(f"lton_{what}", says, labels, **how)

        def make_histogram(what: str, says: str) -> Histogram:
            labels = ("endpoint",)
            where = self.registry
            return Histogram(f"lton_{what}", says, labels, registry=where, buckets=_SECONDS)

        self.requests = make_counter("requests", "Requests by their status", "endpoint", "status")
        self.left = make_counter(
            "clients_left", "Clients that left before the answer ended", "endpoint"
        )
        words = "Tokens as they were sent (of a prompt or completion), and as JSON"
        self.tokens = make_counter("tokens", words, "kind", "notation")
        words = "Tokens that the provider's usage reports, by how it bills them"
        self.reported = make_counter("reported_tokens", words, "kind")
        words = (
            "Billed tokens of prompts: as reported (the provider's usage), and by estimates with a "
            "cache of what was sent (estimated_sent) and what the client asked (estimated_asked)"
        )
        self.billed = make_counter("billed_tokens", words, "by")
        self.calls = make_counter("calls", "Calls sent to clients")
        self.repairs = make_counter("repairs", "Repairs of lenient reading by their code", "code")
        self.retries = make_counter("retries", "Answers that were requested again")
        words = "Requests that the gateway sent in addition to the clients' own"
        self.own_requests = make_counter("own_requests", words, "why")
        self.failed = make_counter("failed_answers", "Answers that were counted, but not delivered")
        self.unread = make_counter("unread_answers", "Answers with a call that could not be read")
        self.left_out = make_counter(
            "left_out", "Notes about answers, such as omitted parts, by code", "code"
        )
        self.rescued = make_counter(
            "rescued_calls", "Calls that were read from text, with native calls"
        )
        self.mended = make_counter(
            "mended_calls", "Native calls that were mended to fit their schemas"
        )
        words = "Native calls: fits, or why a call does not fit its schema"
        self.checked = make_counter("checked_calls", words, "fit")
        words = "Requests whose tools were made strict by default: taken or refused"
        self.strict = make_counter("strict_requests", words, "answer")
        words = "The call format, and the reason"
        self.mode = make_gauge("calls_mode", words, "mode", "why", mode="livemax")
        words = "The detected server, and its --engine"
        self.server = make_gauge("server", words, "server", "engine", mode="livemax")
        self.first_byte = make_histogram("time_to_first_byte_seconds", "Time until the first byte")
        self.duration = make_histogram("request_duration_seconds", "Time until the answer ended")
        self.running = make_gauge("requests_running", "Requests being answered", mode="livesum")

    def count_bill(self, bill: RequestBill) -> None:
        if bill.reported:
            self.count_usage(bill.reported, bill.prices)
        self.billed.labels("estimated_sent").inc(bill.prices.price_of(bill.sent))
        self.billed.labels("estimated_asked").inc(bill.prices.price_of(bill.asked))

    def count_usage(self, reported: ReportedUsage, prices: Prices) -> None:
        """Count what a provider reports about a request without an estimate."""
        for kind, tokens in reported.prompt.by_kind().items():
            self.reported.labels(kind).inc(tokens)
        self.reported.labels("output").inc(reported.output)
        self.billed.labels("reported").inc(prices.price_of(reported.prompt))

    def write_exposition(self) -> bytes:
        registry = self.registry
        if folder := os.environ.get(SHARED):
            registry = CollectorRegistry()
            MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
