"""Test the rules that every engine must follow."""

from lton.engines import Engine


def check_characters_of_several_tokens(engine: Engine, text: str = "😀é") -> None:
    """Sample text with more tokens than characters: each token counts, and no byte is lost."""
    engine.feed(engine.prompt([{"role": "user", "content": "?"}]))
    pieces = []
    with engine.constrain(f'root ::= "{text}"') as grammar:
        while (token := engine.sample(grammar)) is not None:
            pieces.append(token)
    assert b"".join(pieces).decode() == text
    assert len(pieces) >= len(engine.tokenize(text)) > 2
