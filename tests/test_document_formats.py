"""Test that each format arrives whole, or says what is missing."""

import io
import json
import zipfile
from collections.abc import Callable

import pytest

from lton.documents import DocumentError, kind_of, read
from lton.documents.layout import write_missing_note
from lton.documents.pdf_fonts import is_rubbish
from tests.cases import loop_over
from tests.context.documents import pdf
from tests.office import saved, slides, word, workbook

_OFFICE = "http://schemas.openxmlformats.org/"
_NAMESPACES = " ".join(
    f'xmlns:{prefix}="{_OFFICE}{path}"'
    for prefix, path in {
        "a": "drawingml/2006/main",
        "c": "drawingml/2006/chart",
        "m": "officeDocument/2006/math",
        "p": "presentationml/2006/main",
        "r": "officeDocument/2006/relationships",
        "w": "wordprocessingml/2006/main",
        "wp": "drawingml/2006/wordprocessingDrawing",
        "mc": "markup-compatibility/2006",
        "dgm": "drawingml/2006/diagram",
    }.items()
)
_CHART = (
    "<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Rain</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    "<c:ser><c:tx><c:strRef><c:pt idx='0'><c:v>mm</c:v></c:pt></c:strRef></c:tx>"
    "<c:cat><c:pt idx='1'><c:v>Feb</c:v></c:pt><c:pt idx='0'><c:v>Jan</c:v></c:pt></c:cat>"
    "<c:val><c:pt idx='0'><c:v>4</c:v></c:pt><c:pt idx='1'><c:v>5</c:v></c:pt></c:val></c:ser>"
    "<c:valAx><c:title><a:p><a:r><a:t>height</a:t></a:r></a:p></c:title></c:valAx></c:chart>"
)


def element(name: str, content: str, more: str = "") -> str:
    """Return the root element of a part."""
    return f"<{name} {_NAMESPACES} {more}>{content}</{name}>"


def with_parts(document: bytes, parts: dict[str, str], relations: dict[str, str], of: str) -> bytes:
    """Add parts to a document, and relations from one of its parts, by kind."""
    target = io.BytesIO()
    folder, _, name = of.rpartition("/")
    listing = f"{folder}/_rels/{name}.rels"
    links = "".join(
        f'<Relationship Id="x{kind}" Type="{_OFFICE}{kind}" Target="/{part}"/>'
        for kind, part in relations.items()
    )
    with zipfile.ZipFile(io.BytesIO(document)) as old, zipfile.ZipFile(target, "w") as new:
        for file in old.namelist():
            content = parts.get(file) or old.read(file).decode("latin-1")
            if file == listing:
                content = content.replace("</Relationships>", f"{links}</Relationships>")
            new.writestr(file, content.encode("latin-1" if file not in parts else "utf-8"))
        for file in parts.keys() - set(old.namelist()):
            new.writestr(file, parts[file])
    return target.getvalue()


def word_text(body: str, parts: dict[str, str] | None = None, **relations: str) -> str:
    """Return the text of a Word document with a body."""
    main = "word/document.xml"
    whole = element("w:document", f"<w:body>{body}</w:body>")
    return read(with_parts(word("x"), {main: whole, **(parts or {})}, relations, main), "docx")


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def paragraph(*content: str) -> str:
    return f"<w:p>{''.join(content)}</w:p>"


def cell(*content: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{''.join(content)}</w:tc>"


_WIDE = cell(paragraph(run("wide")), properties="<w:gridSpan w:val='2'/>")
_INNER = f"<w:tbl><w:tr>{cell(paragraph(run('a')))}{cell(paragraph(run('b')))}</w:tr></w:tbl>"
WORD = {
    "a price <w:ins>not 500</w:ins>": (
        paragraph(run("a price "), f"<w:ins>{run('not 500 but 900')}</w:ins>"),
        "a price not 500 but 900",
    ),
    "a deletion and what was moved": (
        paragraph(f"<w:del><w:r><w:delText>No</w:delText></w:r></w:del>{run('Yes')}")
        + paragraph(f"<w:moveFrom>{run('here')}</w:moveFrom><w:moveTo>{run('there')}</w:moveTo>"),
        "Yes\nthere",
    ),
    "smart tags": (
        paragraph(run("the king of "), f"<w:smartTag>{run('Egypt')}</w:smartTag>", run(" died")),
        "the king of Egypt died",
    ),
    "content controls around paragraphs, cells and rows": (
        f"<w:sdt><w:sdtPr/><w:sdtContent>{paragraph(run('Title'))}</w:sdtContent></w:sdt>"
        f"<w:tbl><w:sdt><w:sdtContent><w:tr>{cell(paragraph(run('1')))}<w:sdt><w:sdtContent>"
        f"{cell(paragraph(run('2')))}</w:sdtContent></w:sdt>{cell(paragraph(run('3')))}</w:tr>"
        "</w:sdtContent></w:sdt></w:tbl>",
        "Title\n1 | 2 | 3",
    ),
    "merged cells and a table in a cell": (
        f"<w:tbl><w:tr><w:trPr><w:gridBefore w:val='1'/></w:trPr>{_WIDE}{cell(_INNER)}</w:tr>"
        "</w:tbl>",
        " | wide |  | [Table: a | b]",
    ),
    "a deleted row and an alternative row": (
        f"<w:tbl><w:del><w:tr>{cell(paragraph(run('x')))}</w:tr></w:del><mc:AlternateContent>"
        f"<mc:Choice><w:tr>{cell(paragraph(run('y')))}</w:tr></mc:Choice></mc:AlternateContent>"
        "</w:tbl>",
        "y",
    ),
    "tabs, breaks, hyphens and symbols": (
        paragraph(
            "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t>"
            "<w:sym w:char='F0FE'/><w:sym w:char='x'/></w:r>"
        ),
        "a\tb\nc-d☒",
    ),
    "a text box, once": (
        paragraph(
            run("before"),
            "<mc:AlternateContent><mc:Choice><w:drawing><w:txbxContent>"
            f"{paragraph(run('inside'))}</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict>"
            f"<w:txbxContent>{paragraph(run('inside'))}</w:txbxContent></w:pict></mc:Fallback>"
            "</mc:AlternateContent>",
        )
        + "<mc:AlternateContent/>",
        "before\n[Text box: inside]",
    ),
    "a picture with and one without a text": (
        paragraph(
            "<w:drawing><wp:inline><wp:docPr descr='A moon'/><p:pic><p:cNvPr descr='moon.jpg'/>"
            "</p:pic></wp:inline></w:drawing><w:pict><p:shape><p:imagedata/></p:shape></w:pict>"
        ),
        "[Picture: A moon]\n[Missing here: 1 picture without text]",
    ),
    "a large first letter": (
        "<w:p><w:pPr><w:framePr w:dropCap='drop'/></w:pPr>" + run("D") + "</w:p>"
        + paragraph(run("rop")),
        "Drop",
    ),
    "mathematics and text outside a paragraph": (
        paragraph("<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>") + run("y"),
        "x\ny",
    ),
    "another document in it": (
        paragraph(run("a")) + "<w:altChunk r:id='x'/>",
        "a\n[Missing here: 1 embedded document]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WORD)
def test_all_text_of_a_word_document_is_read(name: str) -> None:
    """Whatever contains a text, it is in the result, once and in its place."""
    pytest.importorskip("docx")
    body, text = WORD[name]
    assert word_text(body) == text


def test_notes_comments_headers_and_lists_of_word_are_marked() -> None:
    """Text outside the flow of a document has a mark, and list items have their numbers."""
    pytest.importorskip("docx")
    body = (
        "<w:p><w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr></w:pPr>"
        f"{run('One')}<w:r><w:footnoteReference w:id='2'/><w:endnoteReference w:id='1'/>"
        "<w:commentReference w:id='0'/></w:r></w:p>"
        "<w:p><w:pPr><w:numPr><w:ilvl w:val='1'/><w:numId w:val='1'/></w:numPr></w:pPr>"
        f"{run('sub')}</w:p>"
        "<w:p><w:pPr><w:numPr><w:ilvl w:val='2'/><w:numId w:val='1'/></w:numPr></w:pPr>"
        f"{run('bullet')}</w:p>"
        "<w:p><w:pPr><w:numPr><w:ilvl w:val='3'/><w:numId w:val='1'/></w:numPr></w:pPr>"
        f"{run('none')}</w:p>"
        "<w:p><w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId w:val='2'/></w:numPr></w:pPr>"
        f"{run('Nine')}</w:p>"
        "<w:p><w:pPr><w:pStyle w:val='Listed'/></w:pPr>" + run("Ten") + "</w:p>"
        "<w:p><w:pPr><w:pStyle w:val='H'/></w:pPr>" + run("Title") + "</w:p>"
    )
    levels = "".join(
        f"<w:lvl w:ilvl='{level}'><w:start w:val='1'/><w:numFmt w:val='{form}'/>"
        f"<w:lvlText w:val='{text}'/></w:lvl>"
        for level, (form, text) in enumerate(
            [("upperRoman", "%1."), ("lowerLetter", "%1%2)"), ("bullet", "o"), ("none", "")]
        )
    )
    note = paragraph(run("a note"))
    parts = {
        "word/footnotes.xml": element(
            "w:footnotes",
            f"<w:footnote w:type='separator'>{paragraph(run('-'))}</w:footnote>"
            f"<w:footnote w:id='2'>{note}</w:footnote><w:footnote w:id='3'/>",
        ),
        "word/endnotes.xml": element("w:endnotes", f"<w:endnote w:id='1'>{note}</w:endnote>"),
        "word/comments.xml": element(
            "w:comments", f"<w:comment w:id='0' w:author='Ann'>{note}</w:comment>"
        ),
        "word/header1.xml": element("w:hdr", paragraph(run("Draft"))),
        "word/footer1.xml": element("w:ftr", paragraph(run("Page"))),
        "word/numbering.xml": element(
            "w:numbering",
            f"<w:abstractNum w:abstractNumId='7'>{levels}</w:abstractNum><w:num w:numId='1'>"
            "<w:abstractNumId w:val='7'/></w:num><w:num w:numId='2'><w:abstractNumId w:val='7'/>"
            "<w:lvlOverride w:ilvl='0'><w:startOverride w:val='9'/></w:lvlOverride></w:num>",
        ),
        "word/styles.xml": element(
            "w:styles",
            "<w:style w:styleId='Base'><w:name w:val='List'/><w:pPr><w:numPr><w:numId w:val='2'/>"
            "</w:numPr></w:pPr></w:style><w:style w:styleId='Listed'><w:name w:val='List 2'/>"
            "<w:basedOn w:val='Base'/></w:style>"
            "<w:style w:styleId='H'><w:name w:val='heading 2'/></w:style>",
        ),
    }
    kinds = {part.partition("/")[2].removesuffix(".xml").rstrip("1"): part for part in parts}
    kinds.pop("styles")
    kinds.pop("numbering")
    assert word_text(body, parts, **kinds) == (
        "[Header: Draft]\nI. One[^2][^e1][comment 0]\nIa) sub\n- bullet\nnone\nIX. Nine\nX. Ten\n"
        "## Title\n[Footer: Page]\n[^2]: a note\n[^e1]: a note\n[comment 0 by Ann]: a note"
    )


def test_items_of_word_without_text_are_counted() -> None:
    """Word shows the number of an item without text, but no bullet, and skips deleted items."""
    pytest.importorskip("docx")

    def item(text: str, number: int = 1, end: str = "") -> str:
        numbers = f"<w:numPr><w:ilvl w:val='0'/><w:numId w:val='{number}'/></w:numPr>"
        return f"<w:p><w:pPr>{numbers}<w:rPr>{end}</w:rPr></w:pPr>{run(text) if text else ''}</w:p>"

    level = (
        "<w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='{}'/><w:lvlText w:val='%1.'/>"
        "</w:lvl>"
    )
    lists = "".join(
        f"<w:abstractNum w:abstractNumId='{number}'>{level.format(form)}</w:abstractNum>"
        for number, form in ((1, "decimal"), (2, "bullet"))
    )
    lists += "".join(
        f"<w:num w:numId='{number}'><w:abstractNumId w:val='{number}'/></w:num>"
        for number in (1, 2)
    )
    parts = {"word/numbering.xml": element("w:numbering", lists)}
    body = item("One") + item("", end="<w:del/>") + item("", end="<w:vanish/>") + item("")
    body += item("", 2) + item("Three")
    text = word_text(body, parts, numbering="word/numbering.xml")
    assert text == "1. One\n2.\n3. Three"


def test_a_part_that_nobody_reads_is_named() -> None:
    """The count decides: the text of a part that the reader does not know is missing, and said."""
    pytest.importorskip("docx")
    parts = {
        "word/charts/chart1.xml": element("c:chartSpace", _CHART),
        "word/odd.xml": element("w:odd", run("odd")),
        "word/embeddings/a.docx": "x",
    }
    assert word_text(paragraph(run("a")), parts).splitlines()[-1] == (
        "[Missing here: 20 characters of charts, 1 embedded document, 3 characters of word/odd.xml]"
    )
    with pytest.raises(DocumentError, match=r"found none \[Missing here: 1 embedded document"):
        word_text("", {"word/embeddings/a.docx": "x"})


def slide_text(shapes: str, parts: dict[str, str] | None = None, **relations: str) -> str:
    """Return the text of a presentation with the given shapes on its only slide."""
    main = "ppt/slides/slide1.xml"
    tree = f"<p:cSld><p:spTree>{shapes}</p:spTree></p:cSld>"
    whole = element("p:sld", tree, more="show='0'")
    document = slides(("x", "x", ""))
    return read(with_parts(document, {main: whole, **(parts or {})}, relations, main), "pptx")


def shape(text: str, kind: str = "") -> str:
    placeholder = f"<p:nvSpPr><p:nvPr><p:ph type='{kind}'/></p:nvPr></p:nvSpPr>" if kind else ""
    return f"<p:sp>{placeholder}<p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"


def test_groups_charts_diagrams_and_comments_of_slides_are_read() -> None:
    """Shapes in groups, tables, charts as tables, diagrams and comments arrive."""
    pytest.importorskip("pptx")
    table = (
        "<a:tbl><a:tr><a:tc><a:p><a:r><a:t>1</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>2"
        "</a:t></a:r></a:p></a:tc></a:tr></a:tbl>"
    )
    shapes = (
        f"{shape('Plan', 'title')}<p:grpSp><p:grpSp>{shape('in a group')}</p:grpSp></p:grpSp>"
        f"{table}"
        "<c:chart r:id='xchart'/><dgm:relIds r:dm='xdiagramData'/><dgm:relIds r:dm='none'/>"
    )
    parts = {
        "ppt/charts/chart1.xml": element("c:chartSpace", _CHART),
        "ppt/diagrams/data1.xml": element(
            "dgm:dataModel",
            "<dgm:pt><dgm:t><a:p><a:r><a:t>step</a:t></a:r></a:p></dgm:t></dgm:pt>",
        ),
        "ppt/comments/comment1.xml": element("p:cmLst", "<p:cm><p:text>why?</p:text></p:cm>"),
    }
    text = slide_text(
        shapes,
        parts,
        chart="ppt/charts/chart1.xml",
        diagramData="ppt/diagrams/data1.xml",
        comments="ppt/comments/comment1.xml",
    )
    assert text == (
        "# Slide 1 (hidden): Plan\nin a group\n1 | 2\n[Chart: Rain]\n | mm\nJan | 4\nFeb | 5\n"
        "height\n[Diagram: step]\n[Comment: why?]"
    )


def test_what_is_around_notes_is_read_once() -> None:
    """Headers, footers and dates of pages of notes arrive once, and numbers of pages do not."""
    pytest.importorskip("pptx")
    around = (
        shape("Draft", "ftr") + shape("May", "dt") + shape("7", "sldNum") + shape("say", "body")
    )
    tree = f"<p:cSld><p:spTree>{around}</p:spTree></p:cSld>"
    notes = [f"ppt/notesSlides/notesSlide{number}.xml" for number in (1, 2)]
    document = slides(("A", "b", "x"), ("C", "d", "x"))
    parts = dict.fromkeys(notes, element("p:notes", tree))
    assert read(with_parts(document, parts, {}, notes[0]), "pptx") == (
        "# Slide 1: A\nb\nNotes: say\n\f# Slide 2: C\nd\nNotes: say\n"
        "[On notes: Draft]\n[On notes: May]"
    )


def test_text_of_a_layout_is_read_once() -> None:
    """Text that a layout or master shows on slides arrives, but not the text of placeholders."""
    pytest.importorskip("pptx")
    part = "ppt/slideLayouts/slideLayout2.xml"
    tree = f"<p:cSld><p:spTree>{shape('Secret')}{shape('Click', 'body')}</p:spTree></p:cSld>"
    document = with_parts(slides(("A", "b", ""), ("C", "d", "")), {
        part: element("p:sldLayout", tree)
    }, {}, part)  # fmt: skip
    assert read(document, "pptx").count("Secret") == 1
    assert read(document, "pptx").endswith("[On slides: Secret]")
    assert "Click" not in read(document, "pptx")


def test_sheets_say_that_they_are_hidden_and_show_formulas_without_values() -> None:
    """A hidden sheet is named as hidden, and a formula that nobody calculated is shown."""
    openpyxl = pytest.importorskip("openpyxl")
    comments = pytest.importorskip("openpyxl.comments")
    book = openpyxl.load_workbook(io.BytesIO(workbook(Rain=[[1, "=A1+1"]], Old=[["x"]])))
    book["Old"].sheet_state = "hidden"
    book["Rain"]["A1"].comment = comments.Comment("sure?", "Ann")
    assert read(saved(book), "xlsx") == (
        "# Sheet Rain\n1 | =A1+1\n[Comment on A1: sure?]\n\f# Sheet Old (hidden)\nx"
    )


def test_a_strict_workbook_is_read() -> None:
    """Strict Office documents have other namespaces, with which the library reads nothing."""
    document = workbook(Rain=[["mm", 1]])
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(document)) as old, zipfile.ZipFile(target, "w") as new:
        for file in old.namelist():
            content = old.read(file)
            for usual, strict in (
                (b"spreadsheetml/2006/main", b"spreadsheetml/main"),
                (b"officeDocument/2006/", b"officeDocument/"),
            ):
                content = content.replace(
                    b"http://schemas.openxmlformats.org/" + usual,
                    b"http://purl.oclc.org/ooxml/" + strict,
                )
            new.writestr(file, content)
    assert read(target.getvalue(), "xlsx") == "# Sheet Rain\nmm | 1"


PAGES = [
    b"<?xml version='1.0'?><!DOCTYPE html><html><p>x", b"<!-- saved --><html><p>x", b"<h1>x</h1>",
    b"<div>x", b"\xef\xbb\xbf<table><td>x", b"<?xml version='1.0'?>\n<html><p>x",
    "<html>x".encode("utf-16"),
]  # fmt: skip
NOT_PAGES = [b"<rss><p>x", b"<?xml version='1.0'?><title>x", b"<paper>", b"<!-- x -->", b"< p>"]


@loop_over(PAGES)
def test_pages_are_recognized_by_any_tag(page: bytes) -> None:
    """HTML is recognized after comments and an XML line, and by any of its tags."""
    pytest.importorskip("inscriptis")
    assert kind_of(page) == "html"
    assert read(page, "html").strip() == "x"


@loop_over(NOT_PAGES)
def test_other_markup_is_not_a_page(text: bytes) -> None:
    assert kind_of(text) is None


def test_the_name_and_the_type_of_a_page_help() -> None:
    """A name or a content type makes any text a page, but no text a PDF."""
    assert kind_of(b"x", name="a.HTM") == kind_of(b"x", content_type="text/html") == "html"
    assert kind_of(b"x", name="a.pdf", content_type="application/pdf") is None


def test_hidden_text_of_a_page_is_counted() -> None:
    """Text that a page hides is not shown, but counted; alternative texts of pictures are shown."""
    pytest.importorskip("inscriptis")
    page = b"<html><script>x()</script><p>a<img alt='moon'><p style='display:none'>hid</p>"
    assert read(page, "html").split() == [
        "a[moon]",
        "[Missing",
        "here:",
        "3",
        "hidden",
        "characters]",
    ]


def compound(name: str) -> bytes:
    return b"\xd0\xcf\x11\xe0" + name.encode("utf-16-le")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("EncryptedPackage", "without a password"),
        ("__substg1.0_0037", "MSG of Outlook; save the message as EML"),
        ("WordDocument", "than DOC, which is older than 2007; save it as DOCX"),
        ("Workbook", "save it as XLSX"),
        ("PowerPoint Document", "save it as PPTX"),
    ],
)
def test_an_old_format_is_named(name: str, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        kind_of(compound(name))


@loop_over(["*$5\x01\ue000 \uf8ff\x02", "\u0255\u0431\u03b3\u062f\u0b15\u30a2" * 4])
def test_glyph_numbers_are_not_text(text: str) -> None:
    """Text of a PDF without a table of characters is recognized as rubbish."""
    assert is_rubbish(text)


@loop_over(["Über 5 km", "Kilo \u03b1 und \u03b2", "ゾルゲの処刑記録CPU", "مرحبا", "x" * 30, ""])
def test_text_of_any_script_is_text(text: str) -> None:
    assert not is_rubbish(text)


def test_unreadable_pages_of_a_pdf_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page whose text cannot be read is named, and the error names it if it is the only one."""
    pypdf = pytest.importorskip("pypdf")
    texts: list[str | Exception] = ["good", "\x01\x02\x03", "", ValueError("x")]

    def extract(page: object, visitor_text: Callable[..., None]) -> str:
        text = texts[page.page_number]  # type: ignore[attr-defined]
        if isinstance(text, Exception):
            raise text
        visitor_text(text, None, None, None, None)
        return text

    monkeypatch.setattr(pypdf.PageObject, "extract_text", extract)
    assert read(pdf("1", "2", "3", "4"), "pdf").splitlines()[-3:] == [
        "[Missing here: page 2, with fonts that do not say which characters their glyphs are]",
        "[Missing here: page 3, without any text]",
        "[Missing here: page 4, with an invalid content (ValueError)]",
    ]
    texts[0] = "\x01"
    with pytest.raises(DocumentError, match="with fonts that do not say"):
        read(pdf("1"), "pdf")


def test_comments_and_fields_of_a_pdf_are_read() -> None:
    """Comments, values of form fields and attachments of a PDF do not get lost."""
    pypdf = pytest.importorskip("pypdf")
    generic = pytest.importorskip("pypdf.generic")
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf("Form")))
    name, text = generic.NameObject, generic.TextStringObject
    annotations = [
        {name("/Subtype"): name("/Text"), name("/Contents"): text("why?")},
        {name("/Subtype"): name("/Link"), name("/Contents"): text("link")},
        {name("/Subtype"): name("/Widget"), name("/T"): text("city"), name("/V"): text("Oslo")},
        {name("/Subtype"): name("/Widget"), name("/T"): text("box"), name("/V"): name("/Off")},
        {
            name("/Subtype"): name("/Widget"),
            name("/Parent"): generic.DictionaryObject(
                {name("/T"): text("unit"), name("/V"): name("/C")}
            ),
        },
    ]
    writer.pages[0][name("/Annots")] = generic.ArrayObject(
        generic.DictionaryObject(annotation) for annotation in annotations
    )
    writer.add_attachment("a.txt", b"x")
    target = io.BytesIO()
    writer.write(target)
    assert read(target.getvalue(), "pdf") == (
        "Form\n[Comment: why?]\n[Field city: Oslo]\n[Field unit: C]\n"
        "[Missing here: 1 attached file]"
    )


def pdf_of(content: str, *, fonts: str = "", over: str = "", objects: str = "") -> bytes:
    """Return a PDF of one page. Helvetica is `/F`; `over` are the objects of its annotations."""
    found = pdf("Text").replace(b"(Text) Tj", content.encode())
    font = b"/F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    found = found.replace(font, font + fonts.encode())
    found = found.replace(b"/MediaBox", f"/Annots[{over}]/MediaBox".encode())
    found = found.replace(b"xref\n", objects.encode() + b"xref\n", 1)
    return found[: found.index(b"xref\n")] + b"trailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF"


def stream(number: int, content: str, about: str = "") -> str:
    return f"{number} 0 obj\n<<{about}/Length {len(content)}>>stream\n{content}\nendstream endobj\n"


_COMPOSITE = (
    "/G<</Type/Font/Subtype/Type0/BaseFont/Unnamed/Encoding/Identity-H{table}"
    "/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/Unnamed"
    "/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 5>>/DW 500 /W[32[1000]]>>]>>"
)


def test_a_font_without_characters_does_not_take_its_page_with_it() -> None:
    """Text in a font that has only numbers of glyphs is left out, and the note says so."""
    pytest.importorskip("pypdf")
    fonts = _COMPOSITE.format(table="")
    assert read(pdf_of("(Five) Tj /G 12 Tf <00410042> Tj", fonts=fonts), "pdf") == (
        "Five\n[Missing here: page 1, in part, because of fonts that do not say which characters "
        "their glyphs are]"
    )


def test_gaps_between_words_are_blanks_if_a_font_has_no_space() -> None:
    """The width of the glyph 32 is not that of a space if the font has none."""
    pytest.importorskip("pypdf")
    table = "1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfchar\n"
    table += "<0020> <0071>\n<0041> <0061>\nendbfchar"
    content = pdf_of(
        "/G 12 Tf [<00410041> -380 <00410020>] TJ",
        fonts=_COMPOSITE.format(table="/ToUnicode 40 0 R"),
        objects=stream(40, table),
    )
    assert read(content, "pdf") == "aa aq"


def test_a_named_encoding_beats_that_of_the_font_program() -> None:
    """The characters of a font are those of its named encoding."""
    pytest.importorskip("pypdf")
    fonts = (
        "/G<</Type/Font/Subtype/Type1/BaseFont/Own/Encoding/WinAnsiEncoding"
        "/FontDescriptor<</Type/FontDescriptor/FontName/Own/Flags 32/FontFile 40 0 R>>>>"
    )
    program = "/Encoding 256 array\ndup 65 /B put\ndup 66 /C put\nreadonly def\neexec\n"
    content = pdf_of("/G 12 Tf (AB) Tj", fonts=fonts, objects=stream(40, program))
    assert read(content, "pdf") == "AB"


def test_text_over_a_page_of_a_pdf_is_read() -> None:
    """Stamps, buttons, and the choices of a list are text; the sign of a tick is not."""
    pytest.importorskip("pypdf")
    over = (
        "<</Subtype/Stamp/AP<</N 40 0 R>>>> <</Subtype/FreeText/Contents(PAID)/AP<</N 40 0 R>>>> "
        "<</Subtype/Widget/FT/Btn/T(Send)/Ff 65536/AP<</N 40 0 R>>>> "
        "<</Subtype/Widget/FT/Btn/T(Tick)/AP<</N 40 0 R>>>> "
        "<</Subtype/Widget/FT/Ch/T(City)/V(Oslo)/Opt[(Oslo)[(b)(Bergen)]]>>"
    )
    font = "/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    picture = stream(40, "BT /F 9 Tf (PAID) Tj ET", f"/Subtype/Form{font}")
    assert read(pdf_of("(Bill) Tj", over=over, objects=picture), "pdf").splitlines() == [
        "Bill",
        "[Stamp: PAID]",
        "[Comment: PAID]",
        "[Widget: PAID]",
        "[Field City: Oslo]",
        "[Choices of City: Oslo; Bergen]",
    ]


def archive(parts: dict[str, str]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as new:
        for name, content in parts.items():
            new.writestr(name, content)
    return target.getvalue()


def book(*chapters: str, order: str = "012") -> bytes:
    items = "".join(
        f"<item id='{number}' href='{number}.xhtml' media-type='application/xhtml+xml'/>"
        for number in range(len(chapters))
    )
    listed = "".join(f"<itemref idref='{number}'/>" for number in order)
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": "<c><rootfile full-path='in/b.opf'/></c>",
            "in/b.opf": f"<p><manifest>{items}</manifest><spine>{listed}</spine></p>",
            **{f"in/{number}.xhtml": text for number, text in enumerate(chapters)},
        }
    )


def test_a_book_is_read_in_order() -> None:
    """The chapters of an EPUB are pages in the order of reading; others are counted."""
    pytest.importorskip("inscriptis")
    content = book("<p>One", "<p>Two", "<p>Three", order="209")
    assert kind_of(content) == "epub"
    assert read(content, "epub") == (
        "Three\n\fOne\n\f[Missing here: 1 chapter, 1 page outside the order of reading]"
    )


def test_pictures_and_unlisted_pages_of_a_book_are_counted() -> None:
    """A page replaces a picture if the book names one. Pages that no list names are counted."""
    pytest.importorskip("inscriptis")
    package = (
        "<p><manifest><item id='a' href='a.png' media-type='image/png' fallback='b'/>"
        "<item id='b' href='b.jpg' media-type='image/jpeg' fallback='c'/>"
        "<item id='c' href='c.xml' media-type='application/xhtml+xml'/>"
        "<item id='d' href='d.png' media-type='image/png' fallback='d'/>"
        "<item id='e' href='e.xhtml' media-type='application/xhtml+xml'/></manifest>"
        "<spine><itemref idref='a'/><itemref idref='d'/><itemref idref='e'/></spine></p>"
    )
    parts = {
        "META-INF/container.xml": "<c><rootfile full-path='a.opf'/></c>",
        "a.opf": package,
        "c.xml": "<p>Tide",
        "other/e.HTML": "<p>Other",
    }
    assert read(archive(parts), "epub") == (
        "Tide\n\f[Missing here: 1 chapter, 1 picture without text, 1 page outside the order of "
        "reading]"
    )


def test_hidden_text_of_contents_is_counted() -> None:
    pytest.importorskip("inscriptis")
    contents = "<p>One<p style='display:none'>Two"
    item = "<item id='n' href='n.xhtml' properties='nav' media-type='application/xhtml+xml'/>"
    parts = {
        "META-INF/container.xml": "<c><rootfile full-path='a.opf'/></c>",
        "a.opf": f"<p><manifest>{item}</manifest><spine/></p>",
        "n.xhtml": contents,
    }
    assert read(archive(parts), "epub").split(maxsplit=1) == [
        "One",
        "[Missing here: 3 hidden characters]",
    ]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_with_two_parts_of_one_name_is_refused() -> None:
    """Programs read different ones of such parts. Two pictures of one name do no harm."""
    target = io.BytesIO(book("<p>One"))
    with zipfile.ZipFile(target, "a") as changed:
        changed.writestr("a.png", "x")
        changed.writestr("a.png", "y")
    assert kind_of(target.getvalue()) == "epub"
    with zipfile.ZipFile(target, "a") as changed:
        changed.writestr("in/0.xhtml", "<p>Two")
    with pytest.raises(DocumentError, match=r"different names, found 2 'in/0.xhtml'"):
        kind_of(target.getvalue())


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>a &amp;lt;b&amp;gt; &amp;amp; &lt;i&gt;</p>", "a &lt;b&gt; &amp; <i>"),
        ("<pre>&amp;#65;</pre>", "&#65;"),
        ("<p>a<img src=x alt='&amp;lt;'>&amp;copy; b", "a[&lt;]&copy; b"),
    ],
)
def test_a_reference_in_a_page_is_read_once(page: str, text: str) -> None:
    pytest.importorskip("inscriptis")
    assert read(page.encode(), "html").strip() == text


STARTS = {
    "<ol start='42'><li>a<li>b</ol>": ["42. a", "43. b"],
    "<ol start=' 7 '><li value='9'>a<li>b</ol>": ["9. a", "10. b"],
    "<ol start='-2'><li>a</ol>": ["1. a"],
    "<ol start='99999999999999'><li>a</ol>": ["999999999. a"],
    "<p>x</p><ol start='3'></ol>": ["x"],
}


@pytest.mark.parametrize("page", STARTS)
def test_lists_of_pages_begin_with_their_number(page: str) -> None:
    """The number of the first item is the item's own, or that of the list."""
    pytest.importorskip("inscriptis")
    text = read(page.encode(), "html")
    assert [line.strip() for line in text.splitlines() if line.strip()] == STARTS[page]


def open_document(body: str, styles: str = "", kind: str = "text", more: str = "") -> bytes:
    root = f"<d xmlns:x='urn:x'>{more}<body><{kind}>{body}</{kind}></body></d>"
    mimetype = f"application/vnd.oasis.opendocument.{kind}"
    parts = {"mimetype": mimetype, "content.xml": root}
    return archive(parts | ({"styles.xml": f"<s>{styles}</s>"} if styles else {}))


def test_an_open_document_is_read() -> None:
    """Notes, comments, text boxes, tables, headers and pictures of an ODT arrive; deletions not."""
    pytest.importorskip("lxml")
    body = (
        "<tracked-changes><p>deleted</p></tracked-changes><h outline-level='2'>Title</h>"
        "<p>One<s c='2'/>two<tab/>three<note note-class='footnote'><note-citation>1</note-citation>"
        "<note-body><p>a note</p></note-body></note><annotation><creator>Ann</creator><p>why?</p>"
        "</annotation> end<frame><text-box><p>box</p></text-box></frame><frame><image/></frame>"
        "<frame><image/><desc>moon</desc></frame><frame><object/></frame></p><p> </p>"
        "<table><table-row><table-cell number-columns-repeated='2'><p>a</p></table-cell>"
        "<table-cell><table><table-row><table-cell><p>b</p></table-cell></table-row></table>"
        "</table-cell></table-row></table>"
    )
    content = open_document(body, "<header><p>Draft</p></header>")
    assert kind_of(content) == "odt"
    assert read(content, "odt") == (
        "## Title\nOne  two\tthree[^1][comment 1] end\n[Text box: box]\n[Picture: moon]\n"
        "a | a | [Table: b]\n[Header: Draft]\n[^1]: a note\n[comment 1 by Ann]: why?\n"
        "[Missing here: 1 picture without text, 1 embedded object]"
    )


LEVELS = (
    "<list-level-style-number level='1' num-format='1' num-suffix='.'/>"
    "<list-level-style-number level='2' num-format='a' num-prefix='(' num-suffix=')'"
    " display-levels='2' start-value='3'/>"
    "<list-level-style-number level='3' num-format=''/><list-level-properties/>"
)


def items(*texts: str) -> str:
    return "".join(f"<list-item><p>{text}</p></list-item>" for text in texts)


OPEN_LISTS = {
    f"<list style-name='N'>{items('one', 'two')}</list>": "1. one\n2. two",
    f"<list style-name='B'>{items('one')}</list>": "- one",
    f"<list style-name='unknown'>{items('one')}</list>": "one",
    "<list style-name='N'><list-header><p>head</p></list-header><list-item><p> </p></list-item>"
    "<list-item start-value='7'><h outline-level='1'>one</h><p>more</p></list-item></list>":
        "head\n1.\n# 7. one\nmore",
    f"<list style-name='N'><list-item><p>one</p><list>{items('a', 'b')}</list></list-item>"
    f"<list-item><p>two</p><list>{items('c')}</list>"
    f"<list continue-numbering='true'>{items('d')}</list></list-item></list>":
        "1. one\n(1.c) a\n(1.d) b\n2. two\n(2.c) c\n(2.d) d",
    f"<list style-name='N'><list-item><list><list-item><list>{items('deep')}</list></list-item>"
    "</list></list-item></list>": "deep",
    f"<list style-name='N' id='x'>{items('one')}</list><p>text</p>"
    f"<list style-name='N' continue-numbering='true'>{items('two')}</list>"
    f"<list style-name='N'>{items('one')}</list>"
    f"<list style-name='N' continue-list='x'>{items('three')}</list>"
    f"<list style-name='N' continue-list='y'>{items('one')}</list>"
    f"<list style-name='B' continue-numbering='true'>{items('first')}</list>":
        "1. one\ntext\n2. two\n1. one\n3. three\n1. one\n- first",
}  # fmt: skip


@pytest.mark.parametrize("body", OPEN_LISTS)
def test_items_of_open_lists_have_their_numbers(body: str) -> None:
    """Items are counted by level and by list; an item without a paragraph is not counted."""
    pytest.importorskip("lxml")
    bullets = "<list-style name='B'><list-level-style-bullet level='1'/></list-style>"
    more = f"<list-style name='N'>{LEVELS}</list-style>"
    assert read(open_document(body, bullets, more=more), "odt") == OPEN_LISTS[body]


def test_open_sheets_and_slides_are_pages() -> None:
    """Sheets and slides are pages with names; a cell without text shows its value or formula."""
    pytest.importorskip("lxml")
    style = "<style name='h'><table-properties display='false'/></style>"
    row = "<table-row><table-cell value='5'/><table-cell formula='=A1'/></table-row>"
    sheet = f"<table name='Rain' style-name='h'>{row}<shapes><p>box</p></shapes></table>"
    content = open_document(sheet, kind="spreadsheet", more=style)
    assert kind_of(content) == "ods"
    assert read(content, "ods") == "# Sheet Rain (hidden)\n5 | =A1\nbox"
    box = "<frame><text-box><p>Hi</p></text-box></frame>"
    page = f"<page name='p'>{box}<notes><p>say</p></notes></page>"
    content = open_document(page, kind="presentation")
    assert kind_of(content) == "odp"
    assert read(content, "odp") == "# Slide 1: p\nHi\nNotes: say"


RICH = {
    rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}{\f1\fcharset204 Times;}}One \'e9 \f1 \'e9\par Two\par}":
        "One é й\nTwo",
    rb"{\rtf1\ansicpg1251 \'e9\u8364?\uc0\u8364 x\par}": "й€€x",
    rb"{\rtf1 a{\footnote note}{\*\annotation why}b\par{\header top}{\footer end}}":
        "[Header: top]\nab\n[Footer: end]",
    rb"{\rtf1\trowd a\cell\intbl b\par c\cell\row\pard d\~e\_f\line g\{\}\par}":
        "a | b c\nd\u00a0e-f\ng{}",
    rb"{\rtf1 a{\deleted gone}{\*\unknown lost}{\pict ff}{\*\shppict{\pict ff}}\par}":
        "a\n[Missing here: 4 characters of an unknown part, 2 pictures without text]",
    b"{\\rtf1 a{\\info{\\title t}}{\\bin3 }}}b\\ansicpg9\\mac\\par}}": "ab",
}  # fmt: skip


def test_rich_text_is_read() -> None:
    """RTF is read in its code pages, with notes, tables and headers; the rest is counted."""
    for content, text in RICH.items():
        expected = text
        if "ab" in text and b"footnote" in content:
            expected = text.replace("ab", "a[^1][comment 1]b") + "\n[^1]: note\n[comment 1]: why"
        assert kind_of(content) == "rtf"
        assert read(content, "rtf") == expected, content


MAIL = b"""From: Ann <ann@example.org>
To: Bo <bo@example.org>
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: multipart/alternative; boundary=c

--c
Content-Type: text/plain; charset=utf-8

Hello
--c
Content-Type: text/html

<p>Hello
--c--
--b
Content-Type: text/html; charset=odd

<p>Page<p style="display:none">hid
--b
Content-Type: text/html

--b
Content-Type: application/pdf
Content-Disposition: attachment; filename=a.pdf

x
--b
Content-Type: message/rfc822

From: Cy <cy@example.org>

Inner
--b--
"""


def test_mail_is_read() -> None:
    """An e-mail has its headers, its text once, the names of attachments, and e-mails inside."""
    pytest.importorskip("inscriptis")
    assert kind_of(MAIL) == "eml"
    assert kind_of(b"From: a\nNote: b\n") is None
    assert read(MAIL, "eml") == (
        "From: Ann <ann@example.org>\nTo: Bo <bo@example.org>\nSubject: Grüße\n"
        "[Attachment: a.pdf, application/pdf]\n\nHello\n\nPage\n\n\n"
        "[Missing here: 3 hidden characters]\n\fFrom: Cy <cy@example.org>\n\nInner"
    )


def test_a_notebook_is_read() -> None:
    """A notebook has its text, its code and the text of outputs; pictures are counted."""
    pytest.importorskip("inscriptis")
    outputs = [
        {"output_type": "stream", "text": ["1\n", "2\n"]},
        {"data": {"text/html": "<p>3", "image/png": "x"}},
        {"data": {"image/png": "x"}},
        {"output_type": "error", "traceback": ["Bad", "line"]},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# One\n", "two"]},
        {"cell_type": "raw", "source": ""},
        {"cell_type": "code", "source": "print()", "outputs": outputs},
    ]
    content = json.dumps({"cells": cells, "nbformat": 4}).encode()
    assert kind_of(content) == "ipynb"
    assert read(content, "ipynb").replace("\n\n", "\n").splitlines() == [
        "# One", "two", "```", "print()", "```", "1", "2", "3", "Bad", "line",
        "[Missing here: 1 output without text]",
    ]  # fmt: skip


def test_a_note_counts_in_words() -> None:
    """A note has the singular and the plural, with a comma in large numbers."""
    assert write_missing_note({}) == []
    assert write_missing_note({"page of notes": 1, "cell": 1200, "chapter": 0, "x": -1}) == [
        "[Missing here: 1 page of notes, 1,200 cells]"
    ]


@pytest.mark.parametrize(
    "make",
    [
        lambda: archive({"[Content_Types].xml": "", "xl/workbook.bin": ""}),
        lambda: archive({"META-INF/manifest.xml": "encryption-data"}),
    ],
)
def test_formats_that_cannot_be_read_are_named(make: Callable[[], bytes]) -> None:
    """A binary workbook and an encrypted document are refused with their names."""
    with pytest.raises(DocumentError, match=r"than XLSB|without a password"):
        read(make(), kind_of(make()) or "odt")


def alternatives(plain: str, page: str) -> bytes:
    return (
        "From: a@b.c\nTo: b@b.c\nSubject: Lunch\nMIME-Version: 1.0\n"
        "Content-Type: multipart/alternative; boundary=x\n\n"
        f"--x\nContent-Type: text/plain\n\n{plain}\n"
        f"--x\nContent-Type: text/html\n\n{page}\n--x--\n"
    ).encode()


@pytest.mark.parametrize(
    ("plain", "page", "lines"),
    [
        ("See you at noon", "<p>See you at <b>noon</b></p>", ["See you at noon"]),
        (
            "Use a better program",
            "<p>See you there at noon. Bye!</p>",
            [
                "See you there at noon. Bye!",
                "[Missing here: 4 words of another alternative]",
            ],
        ),
        (
            "Dear all, lunch at noon",
            "<p>Lunch now</p>",
            [
                "Dear all, lunch at noon",
                "[Missing here: 1 word of another alternative]",
            ],
        ),
    ],
)
def test_the_alternative_with_more_words_is_shown(plain: str, page: str, lines: list[str]) -> None:
    """Of two alternatives of an e-mail, one is shown, and the words of the other are counted."""
    shown = read(alternatives(plain, page), "eml").splitlines()[3:]
    assert [line for line in shown if line.strip()] == lines


def mail_of(kind: str, *parts: bytes, after: bytes = b"") -> bytes:
    """Return an e-mail with parts: of each, its headers, an empty line, and its content."""
    body = b"".join(b"--x\n" + part + b"\n" for part in parts)
    headers = f"Subject: Parts\nMIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary=x"
    return headers.encode() + b"\n\n" + body + b"--x--\n" + after


_TEXT = b"Content-Type: text/plain\n\nnoon"
_ATTACHED = b"Content-Disposition: attachment; filename=a.txt\nContent-Type: "
MAILS = {
    "an attached text is read": (
        mail_of("mixed", _ATTACHED + b"text/plain\n\ntide table", _TEXT),
        ["[Attachment: a.txt, text/plain]", "tide table", "noon"],
    ),
    "an attached file with marks of its own is named": (
        mail_of("mixed", _ATTACHED + b"text/rtf\n\n{\\rtf1 x}", _TEXT),
        ["[Attachment: a.txt, text/rtf]", "noon"],
    ),
    "alternatives of one kind, and marks of enriched text": (
        mail_of(
            "alternative",
            _TEXT,
            _TEXT + b" and later",
            b"Content-Type: text/enriched\n\n<bold>noon</bold> <<x<param>red</param>",
        ),
        ["noon and later", "[Missing here: 1 word of another alternative]"],
    ),
    "an alternative of several parts, and its files": (
        mail_of(
            "alternative",
            _TEXT,
            b"Content-Type: multipart/related; boundary=y\n\n--y\nContent-Type: text/html\n\n"
            b"<p>evening\n--y\nContent-Type: image/png; name=a.png\n\n--y--",
        ),
        ["[Attachment: a.png, image/png]", "noon", "[Missing here: 1 word of another alternative]"],
    ),
    "an entry of a calendar is no alternative": (
        mail_of("alternative", _TEXT, b"Content-Type: text/calendar\n\nBEGIN:VCALENDAR"),
        ["noon", "BEGIN:VCALENDAR"],
    ),
    "text after the last part": (
        mail_of("mixed", _TEXT, after=b"over\n"),
        ["noon", "[Missing here: 4 characters after the last part]"],
    ),
    "a part that cannot be divided": (
        b"Subject: Parts\nMIME-Version: 1.0\nContent-Type: multipart/mixed\n\nnoon",
        ["noon"],
    ),
    "encodings that are declared wrongly": (
        mail_of(
            "mixed",
            b"Content-Type: text/plain; charset=us-ascii\n\n\xe2\x80\x93 \xc3\xbc",
            b"Content-Type: text/plain; charset=iso-8859-1\n\n\x93\xfc\x94",
            b"Content-Type: text/plain; charset=gb2312\n\n\xa8\xbf",
            b"Content-Type: text/plain; charset=hex\n\n\xfc",
            b"Content-Type: text/plain; charset=shift_jis\n\n\xc3\xa9",
            b"Content-Type: text/plain; charset=cp932\n\n\x82\xa0 \x82",
        ),
        [
            *("\u2013 ü", "\u201cü\u201d", "\u01f9", "ü", "ﾃｩ", "あ \ufffd"),
            "[Missing here: 1 unreadable character]",
        ],
    ),
}


@pytest.mark.parametrize(("content", "lines"), MAILS.values(), ids=MAILS)
def test_the_parts_of_a_mail_are_read_or_named(content: bytes, lines: list[str]) -> None:
    pytest.importorskip("inscriptis")
    shown = read(content, "eml").splitlines()
    assert [line.strip() for line in shown if line.strip()] == ["Subject: Parts", *lines]


@loop_over(
    ["{\\listtext\\f1\\u-3913 ?\\tab}", "{\\pntext\\f1{\\'B7}\\tab}", "{\\listtext \\bullet}"]
)
def test_a_bullet_of_rich_text_is_a_dash(label: str) -> None:
    """The bullet of an item may be any sign of any font."""
    fonts = "{\\fonttbl{\\f1\\fcharset2 Symbol;}}"
    assert read(f"{{\\rtf1{fonts}{label}One\\par}}".encode(), "rtf") == "- One"


def test_a_number_of_rich_text_is_kept() -> None:
    assert read(b"{\\rtf1{\\listtext 2.\\tab}Two\\par}", "rtf") == "2. Two"


def test_entries_of_an_index_of_rich_text_are_counted() -> None:
    content = rb"{\rtf1 One{\xe two}{\tc{three}}{\*\odd four}}"
    assert read(content, "rtf") == (
        "One\n[Missing here: 8 characters of an entry of an index, 4 characters of an unknown part]"
    )


@pytest.mark.parametrize(
    ("data", "lines", "missing"),
    [
        ({"text/plain": "<object>", "text/html": "<p>tide table</p>"}, ["tide table"], "1 word"),
        ({"text/html": "<b>one</b>", "text/plain": "one"}, ["one"], ""),
        ({"text/plain": "x", "text/latex": "$\\frac x y$"}, ["$\\frac x y$"], ""),
        ({"latex": ["a"], "html": " "}, ["a"], ""),
        ({"application/vnd.a.b-view+json": {}, "text/plain": "HBox()"}, ["HBox()"], "drawn"),
        ({"application/vnd.a.b-view+json": {}}, [], "drawn"),
        ({"image/png": "x"}, [], "nothing"),
    ],
)
def test_the_form_of_an_output_with_more_words_is_shown(
    data: dict[str, object], lines: list[str], missing: str
) -> None:
    """Of the forms of an output of a notebook, one is shown, and what it lacks is counted."""
    pytest.importorskip("inscriptis")
    cell = {"cell_type": "code", "source": "x", "outputs": [{"data": data}]}
    shown = read(json.dumps({"nbformat": 4, "cells": [cell]}).encode(), "ipynb").splitlines()
    notes = {
        "": [],
        "1 word": ["[Missing here: 1 word of another form of an output]"],
        "drawn": ["[Missing here: 1 interactive output]"],
        "nothing": ["[Missing here: 1 output without text]"],
    }
    assert [line for line in shown[3:] if line.strip()] == [*lines, *notes[missing]]


def test_an_error_of_a_notebook_is_read_without_its_lines() -> None:
    """The name and the value of an error are read if no line of its traceback has them."""
    errors = [
        {"output_type": "error", "ename": "NameError", "evalue": "no x", "traceback": lines}
        for lines in ([], ["NameError: no x"])
    ]
    cell = {"cell_type": "code", "source": "x", "outputs": errors}
    content = json.dumps({"nbformat": 4, "cells": [cell]}).encode()
    assert read(content, "ipynb") == "```\nx\n```\nNameError: no x\nNameError: no x"


def test_contents_of_a_book_are_read_if_no_chapter_has_their_words() -> None:
    """A table of contents is left out only if the chapters have all of its words."""
    package = (
        "<package><manifest>"
        "<item id='0' href='0.xhtml' media-type='application/xhtml+xml'/>"
        "<item id='n' href='n.xhtml' properties='nav' media-type='application/xhtml+xml'/>"
        "</manifest><spine><itemref idref='0'/></spine></package>"
    )
    texts = []
    for contents in ("Rain", "Rain and snow"):
        parts = {
            "META-INF/container.xml": "<c><rootfile full-path='a.opf'/></c>",
            "a.opf": package,
            "0.xhtml": "<html><body>Rain fell</body></html>",
            "n.xhtml": f"<html><body>{contents}</body></html>",
        }
        texts.append(read(archive(parts), "epub").split())
    assert texts == [["Rain", "fell"], ["Rain", "fell", "Rain", "and", "snow"]]


def test_fields_of_an_open_document_are_text() -> None:
    """The title, the date and the author that a paragraph shows are read; those of comments not."""
    body = (
        "<p xmlns:f='urn:oasis:names:tc:opendocument:xmlns:text:1.0'><f:title>Plan</f:title> of"
        " <f:date>May</f:date> by <f:creator>Ann</f:creator><title>no</title></p>"
    )
    assert read(open_document(body), "odt") == "Plan of May by Ann"
