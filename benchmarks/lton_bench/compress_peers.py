"""What LLMLingua and LongLLMLingua make of the same texts, with a model that is here.

    python -m lton_bench.compress_peers --model FOLDER --texts FILE --hotpot FILE OUTPUT

The folder is a causal model as transformers has it. Each answer is a line of the output, with its
seconds of processor time, so a run that is stopped is not lost, and one begun again goes on.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lton_bench.compress_data import Question, read_questions, read_texts, unseen

RATES = (0.2, 0.5)
LONG = {  # the settings that LongLLMLingua's documentation gives
    "rank_method": "longllmlingua",
    "condition_in_question": "after_condition",
    "reorder_context": "sort",
    "dynamic_context_compression_ratio": 0.3,
    "condition_compare": True,
    "context_budget": "+100",
}


def cases(texts: Path, hotpot: Path, most: int) -> Iterator[dict[str, Any]]:
    """Get what is asked: the texts without a question, then questions over their documents."""
    for name, text in read_texts(texts):
        for rate in RATES:
            yield {"case": name, "rate": rate, "context": [text], "question": ""}
    questions: list[Question] = [each for each in read_questions(hotpot) if unseen(each.id)]
    for each in questions[:most]:
        for rate in RATES:
            yield {
                "case": each.id,
                "rate": rate,
                "context": [text for _, text in each.documents],
                "question": each.question,
            }


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, and write what came."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--hotpot", type=Path, required=True)
    parser.add_argument("--most", type=int, default=25, help="questions")
    parser.add_argument("output", type=Path)
    options = parser.parse_args(arguments)

    import tiktoken  # noqa: PLC0415
    from llmlingua import PromptCompressor  # noqa: PLC0415

    from lton.tokens.families import cl100k  # noqa: PLC0415

    class Offline:
        """OpenAI's vocabulary without the network, which LLMLingua only reports with."""

        def encode(self, text: str) -> list[bytes]:
            return cl100k().split(text)

    tiktoken.encoding_for_model = lambda name: Offline()
    compressor = PromptCompressor(str(options.model), device_map="cpu")
    known = options.output.read_text().splitlines() if options.output.exists() else []
    done = {(each["case"], each["rate"], each["engine"]) for each in map(json.loads, known)}
    with options.output.open("a") as output:
        for case in cases(options.texts, options.hotpot, options.most):
            for engine in ("llmlingua", "longllmlingua") if case["question"] else ("llmlingua",):
                if (case["case"], case["rate"], engine) in done:
                    continue
                begun = time.process_time()
                found = compressor.compress_prompt(
                    case["context"],
                    question=case["question"],
                    rate=case["rate"],
                    concate_question=False,
                    **(LONG if engine == "longllmlingua" else {}),
                )
                line = {
                    "case": case["case"],
                    "rate": case["rate"],
                    "engine": engine,
                    "text": found["compressed_prompt"],
                    "seconds": round(time.process_time() - begun, 2),
                }
                output.write(json.dumps(line, ensure_ascii=False) + "\n")
                output.flush()


if __name__ == "__main__":
    main()
