"""What every engine keeps."""

from lton.engines import Engine


def check_characters_of_several_tokens(engine: Engine) -> None:
    """Sample what has more tokens than characters: each of them counts, and no byte is lost."""
    engine.feed(engine.prompt([{"role": "user", "content": "?"}]))
    pieces = []
    with engine.constrain('root ::= "😀é"') as grammar:
        while (found := engine.sample(grammar)) is not None:
            pieces.append(found)
    assert b"".join(pieces).decode() == "😀é"
    assert len(pieces) >= len(engine.tokenize("😀é")) > 2
