"""Extract the text of documents: HTML, PDF, Office, OpenDocument, EPUB, RTF, e-mails, notebooks.

The content of a document decides its kind. Form feeds separate pages, slides, sheets and chapters.
Slides and sheets start with their names, and ` | ` separates the cells of tables. Text that is not
in the flow of the document has a mark: `[^1]: …` for a footnote, and `[comment 1 by Ann]: …`,
`[Header: …]`, `[Text box: …]`, `[Chart: …]` and so on.

Nothing is lost without a word: each reader compares the text that it gives with all text of the
document. If something is missing, the last line says what: `[Missing here: 2 pictures without
text]`.

Documents are untrusted, so all sizes and times are limited (`limits`). A document is read in a
separate process, except a small HTML page. The process is killed if it needs too much time or
memory.

- `reading` reads a document of any kind, and `kinds` recognizes the kind.
- `word`, `slides`, `sheets`, `open_document`, `book`, `web_page`, `pdf`, `rich_text`, `mail` and
  `notebook` read one family of formats each.
- `office_text` and `office_parts` read what Word, PowerPoint and Excel have in common.
- `pdf_fonts` reads the text of PDF pages, without fonts that do not say what their glyphs are.
- `word_styles` and `open_lists` count the items of lists in Word and in OpenDocument.
- `archives` opens packed documents, and `layout` lays out rows and notes.
"""

from lton.documents.kinds import kind_of
from lton.documents.limits import DocumentError
from lton.documents.reading import read, text_of

__all__ = ["DocumentError", "kind_of", "read", "text_of"]
