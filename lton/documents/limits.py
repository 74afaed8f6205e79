"""The limits on documents, and the error for a document that exceeds one or cannot be read."""

MOST_UNPACKED = 50_000_000  # unpacked bytes of a document
MOST_PARTS = 10_000  # files inside a packed document
MOST_PAGES = 5_000  # pages, slides or sheets
MOST_ATTRIBUTES = 1_000  # attributes of an HTML tag
MOST_TEXT = 20_000_000  # characters of extracted text
MOST_SECONDS = 60  # seconds (both elapsed and of processor time) for reading a document
MOST_MEMORY = 2_000_000_000  # bytes of memory of a process that reads a document
SMALL = 50_000  # bytes of an HTML page that is read without a separate process


class DocumentError(ValueError):
    """Raised if a document cannot be read or exceeds a limit."""
