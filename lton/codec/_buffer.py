"""Store text that arrives in chunks.

The current frame is kept from its start, so that an error can show it. Of earlier text, only the
length and the number of lines are kept.
"""

from collections import deque

from lton.codec._stops import Open


class Buffer:
    """Stores the received text of a frame, up to a limit."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.chunks: list[str] = []  # received chunks that were not taken yet
        self.rest: deque[str] = deque()  # text that did not fit in the frame; taken first
        self.text = ""  # the text being read; the frame starts or resumes at `begin`
        self.begin = 0
        self.aside: list[str] = []  # text after `text` that continues the same lexeme
        self.before: list[str] = []  # text of the frame before `text`
        self.before_size = 0
        self.size = 0  # the number of received characters from the start of the frame
        self.frame_at = 0  # the frame's position in the whole text; its line and column follow
        self.line = self.column = 1

    def take_piece(self) -> str:
        """Remove the next piece of unread text and return it."""
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
        """Append a piece to the text that is being read."""
        if self.size > self.most + 1:
            piece = self._cut_to_frame(piece)
        self.text = Open(self.join_pieces() + piece)

    def _cut_to_frame(self, piece: str) -> str:
        """Return the part of a piece that fits in the frame, and store the rest for later."""
        most = self.most + 1
        room = len(piece) - (self.size - most)
        starts = range(room, len(piece), most)
        self.rest.extendleft(piece[i : i + most] for i in reversed(starts))
        self.size = most
        return piece[:room]

    def join_pieces(self) -> str:
        if not (aside := self.aside):
            return self.text
        text = "".join((self.text, *aside))
        aside.clear()
        return text

    def end_text(self) -> None:
        self.text = str(self.join_pieces())

    def continue_at(self, pos: int) -> None:
        text = self.text
        begin = self.begin
        if pos > begin:
            self.before.append(text[begin:pos])
            self.before_size += pos - begin
        self.text = text[pos:]
        self.begin = 0

    def drop_before(self, pos: int) -> None:
        text = self.text
        begin = self.begin
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
