"""A buffer for text that arrives in chunks.

A frame is kept from its beginning, so that an error can show it. Text before the frame is only
counted.
"""

from collections import deque

from lton.codec._stops import Open


class Buffer:
    """The received text; at most `most` + 1 characters of a frame are held.

    The extra character shows that the frame is too long.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.chunks: list[str] = []  # chunks that were fed but not taken
        self.rest: deque[str] = deque()  # text beyond the frame's room, taken before `chunks`
        self.text = ""  # the text being read; the frame starts or resumes at `begin`
        self.begin = 0
        self.aside: list[str] = []  # text after `text` that decides nothing
        self.before: list[str] = []  # text of the frame before `text`
        self.before_size = 0
        self.size = 0  # characters of the frame, and after it, that have arrived
        self.frame_at = 0  # the frame's position in the whole text, with its line and column
        self.line = self.column = 1

    def take(self) -> str:
        """Return the next piece: all fed text, or only as much as the frame may still hold."""
        chunks = self.chunks
        if self.rest:
            piece = self.rest.popleft()
        elif len(chunks) == 1:
            piece = chunks.pop()
        else:
            piece = "".join(chunks)
            chunks.clear()
        self.size += len(piece)
        return piece

    def extend(self, piece: str) -> None:
        """Append a piece, and the text put aside before it, to the text being read."""
        if self.size > self.most + 1:
            piece = self._cut(piece)
        self.text = Open(self.joined() + piece)

    def _cut(self, piece: str) -> str:
        """Return the part of a piece that the frame has room for, and queue the rest."""
        most = self.most + 1
        room = len(piece) - (self.size - most)
        rest = range(room, len(piece), most)
        self.rest.extendleft(piece[i : i + most] for i in reversed(rest))
        self.size = most
        return piece[:room]

    def joined(self) -> str:
        if not (aside := self.aside):
            return self.text
        text = "".join((self.text, *aside))
        aside.clear()
        return text

    def end(self) -> None:
        self.text = str(self.joined())

    def go_on_at(self, pos: int) -> None:
        text, begin = self.text, self.begin
        if pos > begin:
            self.before.append(text[begin:pos])
            self.before_size += pos - begin
        self.text = text[pos:]
        self.begin = 0

    def drop(self, pos: int) -> None:
        text, begin = self.text, self.begin
        self.line += text.count("\n", begin, pos)
        self.frame_at += self.before_size + pos - begin
        for part in self.before:
            self.line += part.count("\n")
        self.before.clear()
        self.before_size = 0
        self.size = len(text) - pos
        self.begin = pos
        self.column = 1
        if not self.size:
            self.text = ""
            self.begin = 0

    def clear(self) -> None:
        self.chunks.clear()
        self.rest.clear()

    @property
    def frame(self) -> str:
        return "".join((*self.before, self.text[self.begin :], *self.aside))
