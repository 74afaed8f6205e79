"""Make documents for tests: pages of a PDF, and files of every kind in a folder."""

from pathlib import Path

NOTES = "".join(f"On day {day} the gauge read {day} mm.\n\n" for day in range(60))


def pdf(*pages: str) -> bytes:
    """Return a PDF with one line on each page."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b""]
    font = b"<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    kids = []
    for page in pages:
        number = len(objects) + 1
        kids.append(b"%d 0 R" % number)
        stream = b"BT /F 12 Tf 50 700 Td (%s) Tj ET" % page.encode()
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources %s/Contents %d 0 R>>"
            % (font, number + 1)
        )
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(pages), b" ".join(kids))
    body, places = b"%PDF-1.4\n", []
    for number, object_body in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, object_body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in places)
    size = len(objects) + 1
    trailer = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (size, table, trailer)


def fill(folder: Path) -> Path:
    """Write files of three classes into a folder, a file that is not text, and a hidden file."""
    files = {
        "core/rules.md": b"Answer from the notes.\r\n",
        "skills/read/SKILL.md": b"---\nname: read\npwo-priority: 600\n---\nRead the gauge.\n",
        "docs/notes.md": NOTES.encode(),
        "docs/data.json": b'{"gauge": [1, 2, 3]}\n',
        "docs/late.md": b"---\npwo-class: core\npwo-ratio: 0.5\n---\nNever guess.\n",
        "docs/picture.bin": b"\x89\xff\x00",
        ".hidden/secret.md": b"Not for you.\n",
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder
