"""What has come of a text in chunks: of the frame that is read, and after it.

A frame is kept from its beginning, for its error; what was before it is only counted.
"""

from collections import deque

from lton.codec._stops import Open


class Buffer:
    """The chunks of a text. Of a frame at most `most` + 1 characters are at hand.

    The one more shows that the frame is too long.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.chunks: list[str] = []
        """What has come, and is not taken."""
        self.rest: deque[str] = deque()
        """What the frame has no room for, and is to be taken before those."""
        self.text = ""
        """What is at hand; the frame begins, or goes on, at `begin`."""
        self.begin = 0
        self.aside: list[str] = []
        """What has come after that and decides nothing."""
        self.before: list[str] = []
        """What the frame has before the text at hand."""
        self.before_size = 0
        self.size = 0
        """How much has come of the frame, and after it."""
        self.frame_at = 0
        """Where the frame begins in the whole text, and in which line and column."""
        self.line = self.column = 1

    def take(self) -> str:
        """Get what comes next: all that was fed, or a part that the frame has room for."""
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
        """Put what was taken, and what was put aside before it, to the text at hand."""
        if self.size > self.most + 1:
            piece = self._cut(piece)
        self.text = Open(self.joined() + piece)

    def _cut(self, piece: str) -> str:
        """Get as much of a piece as is read of a frame at most; the rest waits."""
        most = self.most + 1
        room = len(piece) - (self.size - most)
        rest = range(room, len(piece), most)
        self.rest.extendleft(piece[i : i + most] for i in reversed(rest))
        self.size = most
        return piece[:room]

    def joined(self) -> str:
        """Get the text at hand, with what was put aside."""
        if not (aside := self.aside):
            return self.text
        text = "".join((self.text, *aside))
        aside.clear()
        return text

    def end(self) -> None:
        """Let the text at hand be all that there is."""
        self.text = str(self.joined())

    def go_on_at(self, pos: int) -> None:
        """Let the text at hand begin at a position in the frame."""
        text, begin = self.text, self.begin
        if pos > begin:
            self.before.append(text[begin:pos])
            self.before_size += pos - begin
        self.text = text[pos:]
        self.begin = 0

    def drop(self, pos: int) -> None:
        """Drop the frame, which ends before a position."""
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
        """Drop what has come and is not taken: nothing is read after an error."""
        self.chunks.clear()
        self.rest.clear()

    @property
    def frame(self) -> str:
        """What has come of the frame, and after it."""
        return "".join((*self.before, self.text[self.begin :], *self.aside))
