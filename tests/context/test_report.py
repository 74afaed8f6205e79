"""Test the report of an image, in which no content of a document runs, also in a browser."""

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from lton.context import Document
from lton.context.image import Image
from lton.context.ingest import plan_image
from lton.context.report import to_html
from lton.tokens import counter
from tests.context.documents import NOTES

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&</pre></title>"


def image_of(*documents: Document, **options: Any) -> Image:
    return plan_image(
        documents, budget=options.pop("budget", 400), counter=counter("bytes"), **options
    )


def sample() -> Image:
    """Return an image with core, a pin, and compressed, small and omitted documents."""
    pinned = f":::pwo:pin\nStay below 7 m.\n:::\n{NOTES}"
    return image_of(
        Document("core/rules.md", "Answer from the notes.\nNever guess.", "core"),
        Document("skills/read/SKILL.md", NOTES.replace("gauge", "meter"), "skills"),
        Document("docs/a-name-that-is-long/" * 4 + "notes.md", pinned),
        Document("docs/short.md", "It rained.\n"),
        Document("docs/last.md", NOTES.replace("gauge", "clock"), priority=1),
        query="What did the gauge read on day 9?",
        budget=330,
    )


class Elements(HTMLParser):
    """Collect the elements of a page, their ids, and the targets of links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name == "id":
                self.ids.append(value or "")
            if name == "href":
                self.links.append((value or "").removeprefix("#"))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_each_part_leads_to_its_place() -> None:
    """Every link has exactly one target, and the report contains all parts."""
    image = sample()
    page = Elements(to_html(image, "Gauges"))
    assert len(set(page.ids)) == len(page.ids) > len(image.pages)
    assert set(page.links) == set(page.ids)
    report_text = "".join(page.texts)
    for document in (page.document for page in image.pages):
        assert document.text in report_text
    assert f"{image.tokens:,} of 330 tokens by bytes:" in report_text
    sizes = {**image.classes, "heads": image.tokens - sum(image.classes.values())}
    assert ", ".join(f"\xa0{name} {size}" for name, size in sizes.items()) in report_text
    assert "Question: What did the gauge read on day 9?" in report_text
    assert {"h1", "h2", "h3", "mark", "section"} <= set(page.tags)


def test_kept_and_not_kept_are_marked() -> None:
    """Shown and omitted text have different marks."""
    image = image_of(Document("a.md", NOTES), budget=120)
    raw = to_html(image).partition("What it was made of")[2]
    marked = re.findall(r"<mark id=[^>]*>([^<]*)</mark>", raw)
    assert marked == [NOTES[start:end] for start, end, _ in image.pages[0].spans]
    assert "On day" in raw.partition('class="cut">O')[0] or 'class="cut">On day' in raw


def test_nothing_of_a_document_runs() -> None:
    """Text, names, references and the query are escaped, and the policy of the page forbids
    scripts.
    """
    image = image_of(
        Document(HOSTILE, HOSTILE, ref='r1" onclick="x'),
        Document("k", HOSTILE, "core", ref="<b>"),
        query=HOSTILE,
    )
    text = to_html(image, HOSTILE)
    page = Elements(text)
    assert not {"script", "img", "b onclick"} & set(page.tags)
    assert page.attributes <= set(
        "aria-label charset class content href http-equiv id lang name role style title".split()
    )
    assert "".join(page.texts).count("<script>alert(1)</script>") >= 5
    assert "default-src 'none'" in text
    assert "http:" not in text.replace("http-equiv", "")
    assert "https:" not in text


def test_an_estimate_is_said_to_be_one() -> None:
    """If the counter estimates, the report says so."""
    assert "<p>about " in to_html(sample())


@pytest.mark.browser
@pytest.mark.parametrize(("name", "width"), [("desktop", 1280), ("phone", 375)])
def test_in_a_browser(name: str, width: int, tmp_path: Path) -> None:
    """In a browser, links work, and nothing runs, is fetched or is too wide."""
    playwright = pytest.importorskip("playwright.sync_api")
    file = tmp_path / "report.html"
    image = sample()
    hostile = image_of(Document("a", f"{HOSTILE}\n{NOTES}", "core"), budget=2000)
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": width, "height": 800})
        urls: list[str] = []
        problems: list[str] = []
        page.on("request", lambda request: urls.append(request.url))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.on("console", lambda message: problems.append(message.text))
        file.write_text(to_html(hostile), "utf-8")
        page.goto(file.as_uri())
        file.write_text(to_html(image), "utf-8")
        page.goto(file.as_uri())
        assert (urls, problems) == ([file.as_uri()] * 2, [])
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        link = page.locator("section a").last
        target = link.get_attribute("href") or ""
        link.click()
        page.wait_for_function("document.querySelector(':target') !== null")
        link_target = page.locator(target)
        assert link_target.inner_text() == link.inner_text()
        box = link_target.bounding_box()
        assert box is not None
        assert 0 <= box["y"] < 800
        axe = pytest.importorskip("axe_playwright_python.sync_playwright")
        report = axe.Axe().run(page)
        assert report.violations_count == 0, report.generate_report()
        page.goto(file.as_uri())
        page.screenshot(path=str(tmp_path / f"{name}.png"), full_page=True)
        browser.close()
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000
