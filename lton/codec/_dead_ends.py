"""The error of a stream (R-803): that of the first character that no continuation makes right.

What a reader finds wrong it may find late: there was more text than that character needs. So the
shortest beginning of the frame that nothing makes right is searched for, near where the error
seems to be, and what is wrong is what reading that beginning says.
"""

from collections.abc import Callable

from lton.codec._frames import Frame
from lton.codec._stops import More, Open, Wrong, excerpt
from lton.errors import Code, DecodeError


def earliest(
    frame: Callable[[], Frame], doc: str, most: int, *, alive: int, guess: int
) -> DecodeError:
    """Get the error of a frame that is wrong, or longer than `most`.

    Its first `alive` characters can go on, and the error seems to be at the guess.
    """

    def death(size: int) -> More | Wrong | None:
        """Say why no continuation of a part of the frame is right; None if one is."""
        src = Open(doc[:size])
        src.stop = most
        try:
            frame().run(src, 0)
        except More as more:
            return None if more.is_alive(src) else more.with_traceback(None)
        except Wrong as wrong:
            return wrong.with_traceback(None)
        return None

    if alive == len(doc) and not death(alive):
        return _error(frame, doc, None)
    end = _shortest(death, alive, len(doc), guess)
    why = death(end) if end <= most + 1 else None
    return _error(frame, doc[:end], why) if why else too_long(doc, most)


def too_long(doc: str, most: int) -> DecodeError:
    """Make the error for a frame that is longer than it may be (R-1104)."""
    msg = f"a call of more than {most} characters"
    return DecodeError(Code.CALL_SIZE, msg, doc=doc[: most + 1], pos=0)


def _shortest(death: Callable[[int], object], alive: int, dead: int, guess: int) -> int:
    """Get the least size that is dead, between one that is alive and one that is dead."""
    step, size = 1, max(guess, alive) + 1
    while size < dead and not death(size):
        alive, size, step = size, size + step, 2 * step
    dead = min(size, dead)
    size, step = dead - 1, 1
    while size > alive and death(size):
        dead, size, step = size, size - step, 2 * step
    alive = max(alive, size)
    while dead - alive > 1:
        middle = (dead + alive) // 2
        if death(middle):
            dead = middle
        else:
            alive = middle
    return dead


def _error(frame: Callable[[], Frame], doc: str, why: More | Wrong | None) -> DecodeError:
    """Get what `decode` says of a text; why nothing makes it right if it only ends too early."""
    if isinstance(why, Wrong) and why.code == Code.CALL_SIZE:
        return DecodeError(why.code, why.msg, doc=doc, pos=0)
    try:
        frame().run(doc, 0)
    except Wrong as wrong:
        error = wrong.error(doc)
    if error.code != Code.INCOMPLETE or why is None:
        return error
    msg = why.msg if isinstance(why, Wrong) else _unfit(doc, why)
    return DecodeError(Code.SYNTAX, msg, doc=doc, pos=len(doc) - 1, path=error.path)


def _unfit(doc: str, why: More) -> str:
    """Say what would go on, and what is there."""
    return f"expected {why.expected}, found {excerpt(doc, why.part, len(doc))!r}"
