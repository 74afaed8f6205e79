"""Run a model on a llama.cpp server.

Each value and each choice is a request with a streamed answer. The engine closes the stream at the
end of the value, but the server stops a little later: in 20 answers of SmolLM2, it sampled 36
surplus tokens in 39 requests, in addition to 110 used tokens. Each request sends the text so far as
tokens. The server reads only the tokens that its slot does not have yet.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any, ClassVar, Unpack

from lton._http import Asker, NoAnswerError, Why, run
from lton.engines._forcing import ForcedRun, split_runs
from lton.engines._link import Link
from lton.engines._sampled_stream import SampledStream
from lton.engines._server_tokens import ServerTokenizer
from lton.engines.engine import Chat, FrozenPair, Pair, count_common_start
from lton.engines.generation import Generation, Spent, read_generation
from lton.engines.scoring import CachingScorer
from lton.errors import Code, GrammarError
from lton.grammar.build import Options
from lton.grammar.requests import request
from lton.schema.toolset import ToolSet

TIMEOUT_S = 600.0
"""The timeout in seconds for an answer or event, as for a native answer in the gateway.

A server may first read a long prompt. On a busy processor, a model of 1.5 billion parameters reads
900 tokens in more than a minute."""
LIMIT = 1024
_ANY_SLOT = -1
"""The server chooses slots, which may be several at a time.

Then each slot keeps the context that it has read. With four slots, this took 12 % to 48 % less
processor time for an answer to a repeated question than one slot for all contexts."""
_FORCED = 1e6
"""The bias that forces a token. The server reports the token's probability without the bias."""


def constraint(tools: ToolSet, **options: Unpack[Options]) -> dict[str, Any]:
    r"""Return the request fields that let the model write only a call to one of the tools.

    The options are those of `lton.grammar.to_gbnf`; the default form works best with models.
    `lton.grammar.request` supports other servers.

    >>> constraint(ToolSet.from_prompt("stop"))
    {'grammar': 'root ::= "stop" "(" ")"\n'}
    """
    return request(tools, "llama-server", **options)


def check_grammar(gbnf: str, engine: "ServerEngine") -> None:
    """Raise `GrammarError` if the server cannot sample a token under a grammar."""
    if not gbnf.strip() or "\0" in gbnf:
        raise GrammarError(Code.GRAMMAR, "the grammar constrains nothing in llama.cpp")
    engine.feed(engine.tokenize("?"))
    with engine.constrain(gbnf) as grammar:
        engine.sample(grammar)


def complete(
    engine: "ServerEngine",
    messages: Sequence[Mapping[str, str]],
    tools: ToolSet,
    *,
    max_tokens: int = 256,
    **options: Unpack[Options],
) -> Generation:
    """Send a chat to a server and return the tool calls in the model's answer.

    The engine decides the temperature and the seed. Raises `GrammarError` before sampling if the
    server refuses the grammar, `DecodeError` for errors that the grammar cannot prevent,
    `IncompleteError` at `max_tokens`, and the other errors of `ServerEngine`.
    """
    prompt = engine.prompt(messages)
    pieces = list[bytes | None]()
    engine.feed(prompt)
    with engine.constrain(constraint(tools, **options)["grammar"]) as grammar:
        while pieces[-1:] != [None] and len(pieces) < max_tokens:
            pieces.append(engine.sample(grammar))
    text = b"".join(filter(None, pieces)).decode("utf-8", "replace")
    spent = Spent(prompt=len(prompt), sampled=len(pieces))
    return read_generation(text, tools, spent, cut=pieces[-1:] != [None], **options)


class ServerEngine(CachingScorer):
    """An engine for a llama.cpp server. Temperature 0 is greedy; otherwise the seed decides.

    A text is scored by a grammar that forces its tokens: one request scores the text after several
    contexts. A server that refuses such a grammar, because it is older, gets a request for each
    token. The results for a seed, and for nearly equal scores, may differ with another build of
    llama.cpp or with another state of its cache.

    `url` is the address of the server, with or without `/v1`. `slot` is a slot that no other client
    uses meanwhile; a text after several contexts is scored in any free slots. `limit` is the
    maximum number of tokens per request, in case the server does not notice that its stream was
    closed. `key` is the server's API key. `client` is as in `lton.tokens.server.ServerCounter`.

    Only used tokens count as sampled tokens. The number of read tokens is an upper bound, because
    the slot may also have surplus sampled tokens.

    Raises `ServerError` if the server cannot be reached, or its answer is invalid or late. Raises
    `GrammarError` if it refuses the grammar, and `ContextFullError` at the end of the context or at
    the limit.
    """

    path = "/completion"
    kind = "llama.cpp"
    read = 0
    stream: ClassVar[type[SampledStream]] = SampledStream

    def __init__(
        self,
        url: str,
        *,
        temperature: float = 0.0,
        seed: int = 0,
        slot: int = 0,
        limit: int = LIMIT,
        timeout_s: float = TIMEOUT_S,
        client: Any = None,
        key: str | None = None,
    ) -> None:
        super().__init__()
        self.temperature = temperature
        self.base = url.strip().rstrip("/").removesuffix("/v1").rstrip("/")
        self.asker = Asker(client, timeout_s, key)
        self.link = Link(self.base, self.kind, self.asker)
        self.limit = limit
        self.options = {
            "cache_prompt": True,
            "id_slot": slot,
            "n_predict": limit,
            "return_tokens": True,
            "samplers": ["temperature"],  # instead of the server's defaults
            "stream": True,
            "temperature": temperature,
        }
        self.random = Random(seed)  # noqa: S311 - no secret; each request gets a seed of its own
        self.slot_tokens: list[int] = []
        """The tokens that the server's slot is known to have."""
        self.prompt_tokens: list[int] = []
        self.tokenizer: ServerTokenizer = ServerTokenizer(self.link)
        self.can_force_texts = True
        """Whether the server is thought to accept grammars of tokens."""

    def set_sampling(self, *, temperature: float, seed: int) -> "ServerEngine":
        """Set the temperature and the seed for another answer, without clearing any cache."""
        self.temperature = self.options["temperature"] = temperature
        self.random = Random(seed)  # noqa: S311 - as above
        return self

    def prompt(self, messages: Chat) -> list[int]:
        return self.tokenizer.prompt(messages)

    def tokenize(self, text: str) -> list[int]:
        return list(self.tokenizer.tokens(text))

    def prefetch(self, chats: Sequence[Chat], texts: Sequence[str]) -> None:
        self.tokenizer.prefetch(chats, texts)

    def feed(self, tokens: Sequence[int]) -> int:
        self.prompt_tokens = list(tokens)
        # The server reads the last token again.
        return len(tokens) - count_common_start(self.slot_tokens, self.prompt_tokens[:-1])

    # --- the likelihood of texts ------------------------------------------------------------------

    def compute_likelihoods(self, pairs: Sequence[Pair]) -> list[float]:
        contexts_of: dict[tuple[int, ...], list[Sequence[int]]] = {}
        for context, text in pairs:
            contexts_of.setdefault(tuple(text), []).append(context)
        scores: dict[FrozenPair, float] = {}
        has_pieces = self.tokenizer.try_learn_pieces(
            [token for text in contexts_of for token in text]
        )
        for text, contexts in contexts_of.items():
            if has_pieces:
                likelihoods = self._score_text(contexts, text)
            else:
                likelihoods = self._score_each_token(contexts, text, text)
            for context, likelihood in zip(contexts, likelihoods, strict=True):
                scores[tuple(context), text] = likelihood
        return [scores[tuple(context), tuple(text)] for context, text in pairs]

    def _score_text(
        self, contexts: Sequence[Sequence[int]], text: Sequence[int]
    ) -> Sequence[float]:
        """Return the log-likelihood of a text after each context."""
        pieces = [(token, self.tokenizer.pieces[token]) for token in text]
        total = [0.0] * len(contexts)
        scored: list[int] = []
        for tokens_run in split_runs(pieces):
            longer_contexts = [[*context, *scored] for context in contexts]
            total = _sum_vectors(total, self._score_run(longer_contexts, tokens_run))
            scored += tokens_run.tokens
        return total

    def _score_run(
        self, contexts: Sequence[Sequence[int]], tokens_run: ForcedRun
    ) -> Sequence[float]:
        tokens = tokens_run.tokens
        scored = tokens_run.scored_tokens
        if not scored:
            return [0.0] * len(contexts)
        if not self.can_force_texts or not tokens_run.fits_grammars:
            return self._score_each_token(contexts, tokens, scored)
        forcing = {
            "grammar": tokens_run.to_gbnf(),
            "logit_bias": [[token, _FORCED] for token in tokens_run.biased_tokens],
            "n_predict": len(tokens),
        }
        try:
            entries = self._ask_for_entries(contexts, forcing)
        except NoAnswerError as refusal:
            if refusal.why is Why.AWAY:
                raise
            scores = self._score_each_token(contexts, tokens, scored)
            self.can_force_texts = refusal.why is not Why.NOT_THIS
            return scores
        return [self._sum_of(listed, scored) for listed in entries]

    def _score_each_token(
        self,
        contexts: Sequence[Sequence[int]],
        tokens: Sequence[int],
        scored: Collection[int],
    ) -> Sequence[float]:
        """Return the log-likelihood of the `scored` tokens, with a request for each of them."""
        total = [0.0] * len(contexts)
        for rank, token in enumerate(tokens):
            if token in scored:
                grown = [[*context, *tokens[:rank]] for context in contexts]
                forcing = {"logit_bias": [[token, _FORCED]], "n_predict": 1}
                entries = self._ask_for_entries(grown, forcing)
                total = _sum_vectors(total, [self._sum_of(listed, [token]) for listed in entries])
        return total

    def _ask_for_entries(
        self, contexts: Sequence[Sequence[int]], forcing: Mapping[str, Any]
    ) -> list[Any]:
        """Sample after each context. Return the entries of the sampled tokens with probabilities.

        The entries are None if no token had a probability.
        """
        prompts = [list(context) for context in contexts]
        is_batch = len(prompts) > 1
        body = {
            **self.options,
            "id_slot": _ANY_SLOT if is_batch else self.options["id_slot"],
            "n_probs": 1,
            "prompt": prompts if is_batch else prompts[0],
            "response_fields": ["completion_probabilities", "index", "timings"],
            "return_tokens": False,
            "stream": False,
            "temperature": 0,
            **forcing,
        }
        reply = self.link.post_json(self.path, **body)
        replies = reply if isinstance(reply, list) else [reply]
        try:
            replies = sorted(replies, key=lambda answer: int(answer.get("index", 0)))
            self.read += sum(int(answer["timings"]["prompt_n"]) for answer in replies)
            entries = [answer.get("completion_probabilities") for answer in replies]
        except (LookupError, TypeError, ValueError, AttributeError):
            raise self.link.make_error("no probabilities of tokens") from None
        if len(entries) != len(prompts):
            raise self.link.make_error("another number of answers than of prompts")
        self.slot_tokens = [] if is_batch else prompts[0]
        return entries

    def _sum_of(self, entries: Any, tokens: Sequence[int]) -> float:
        """Return the sum of the tokens' log-probabilities, which are listed in their order."""
        total = 0.0
        try:
            listed = iter(entries or ())
            for token in tokens:
                entry = next(candidate for candidate in listed if candidate["id"] == token)
                total += float(entry["logprob"])
        except (StopIteration, LookupError, TypeError, ValueError):
            raise self.link.make_error("no probabilities of tokens") from None
        return total

    # --- sampling ---------------------------------------------------------------------------------

    def request_body(self, gbnf: str, seed: int) -> dict[str, Any]:
        """Return the body of a request for sampling under a grammar."""
        return {**self.options, "prompt": self.prompt_tokens, "grammar": gbnf, "seed": seed}

    @contextmanager
    def constrain(self, gbnf: str) -> Iterator["SampledStream"]:
        stream = self.stream(self, gbnf)
        try:
            yield stream
        finally:
            stream.close()

    def sample(self, grammar: "SampledStream") -> bytes | None:
        return grammar.sample()

    def close(self) -> None:
        """Close the pooled connections. Later requests open new connections."""
        run(self.asker.close())


def _sum_vectors(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [first + second for first, second in zip(one, other, strict=True)]


load = ServerEngine
