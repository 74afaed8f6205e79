"""Test that separate pieces never read as one sentence, in any language or kind.

The ends of the sentences in these texts are known. Each shown piece must begin and end at such an
end, and a mark must be at each gap.
"""

import gzip
import json
import random
import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lton.context import Section, lay_out
from lton.context.compress import compress, compress_all
from lton.context.compress.kinds import split_into_units
from lton.context.compress.units import UnitList
from lton.context.cuts import word_ends
from lton.context.image import Document, Policy
from lton.context.ingest import plan_image
from lton.context.marks import make_unused_mark
from lton.tokens import counter

O200K, BYTES = counter("o200k"), counter("bytes")
SENTENCES = {
    "en": [
        "Dr. J. R. Hart paid 1.2 million dollars on Sept. 3, i.e. too much.",
        "It must not open before 5 p.m. on weekdays.",
        "He said \"Nobody. Not one of us.\" and left.",
        "Is it true?",
        "See fig. 3 and pp. 12-14 of vol. 2 for more.",
        "The U.S. Army came at 10:30 a.m. and stayed.",
    ],
    "de": [
        "Der Vertrag beginnt am 3. Mai 2026.",
        "Der Mieter zahlt bis zum 1. Januar 2027 keine Kaution.",
        "Nach § 5 Abs. 2 S. 1 Nr. 7 gilt das nicht.",
        "Das gilt z. B. für Hunde, d. h. nicht für Katzen.",
        "Prof. Dr. med. Müller zahlt zzgl. MwSt. Dreizehn Euro.",
        "Im 19. Jahrhundert regierte Ludwig XIV. nicht mehr.",
        "Frau Dr. Müller wohnt in der Goethestr. 5 in Bonn.",
        "Am 1. 2. 2024 kam er, bzw. am Tag danach.",
        "Er sagte: „Komm nicht. Bleib hier!“ und ging.",
        "Die Miete beträgt ca. 900 Euro, vgl. Art. 3 Ziff. 4 des Vertrags.",
        "Ist das wahr?",
    ],
    "fr": [
        "M. Dupont habite au 3, av. de la République.",
        "Mme Curie est née le 7 nov. 1867 à Varsovie.",
        "L'art. 12, al. 3 ne vaut pas avant le 1er janv. 2027.",
        "Il a dit : « Non. Jamais. » et il est parti.",
        "Jules César mourut en 44 av. J.-C. à Rome, cf. chap. 3.",
        "Est-ce vrai ?",
        "Le prix est de 2 000,50 euros.",
    ],
    "es": [
        "El Sr. García vive en la Avda. Mayor, núm. 5.",
        "¿Es verdad que no abre antes del lunes?",
        "¡Claro que no!",
        "La Sra. Pérez pagó 1.250,50 euros.",
        "EE. UU. firmó el tratado, véase el art. 5 y la pág. 12.",
        "Ud. no puede entrar antes del 3 de mayo.",
    ],
    "ru": [
        "Договор действует до 3 января 2027 г. и не дольше.",
        "В 1999 г. Иванов переехал в г. Москву.",
        "Он живёт на ул. Ленина, д. 5, кв. 12.",
        "Это стоит 5 тыс. руб. и не более.",
        "А. С. Пушкин родился не здесь.",
        "Он сказал: «Нет. Никогда.» и ушёл.",
        "Это правда?",
    ],
    "el": [
        "Ο κ. Παπαδόπουλος δεν ήρθε στις 3 Ιαν. 2027.",
        "Πού είναι το κλειδί;",
        "Ο ν. 123/2020, αρ. 5, δεν ισχύει, βλ. σελ. 7.",
        "Πήρε μήλα, π.χ. Στάρκιν, αχλάδια κ.λπ. από την αγορά.",
        "Δεν ανοίγει πριν από τη Δευτέρα!",
    ],
    "ja": [
        "契約は2027年1月3日に始まります。",
        "「行くな。待て。」と彼は言った。",
        "月曜日の前には開きません。",
        "本当ですか？",
        "円周率は約3.14です。",
    ],
    "zh": [
        "合同从2027年1月3日开始。",
        "他说：“不要走。等一下。”然后离开了。",
        "星期一之前不开门！",
        "这是真的吗？",
        "价格是1,250.50元。",
    ],
    "ar": [
        "يبدأ العقد في 3 يناير 2027.",
        "قال د. أحمد إنه لا يفتح قبل يوم الاثنين.",
        "هل هذا صحيح؟",
        "السعر 1.250 دولار، ولا يزيد.",
    ],
    "hi": [
        "अनुबंध 3 जनवरी 2027 से शुरू होता है।",
        "डॉ. शर्मा सोमवार से पहले नहीं आएंगे।",
        "क्या यह सच है?",
        "इसकी कीमत 1.5 लाख रुपये नहीं है।",
    ],
    "ko": [
        "계약은 2027년 1월 3일에 시작됩니다.",
        "우리는 2024. 3. 5. 서울에서 만나지 않았다.",
        "월요일 전에는 열지 않습니다.",
        "정말입니까?",
        "원주율은 약 3.14입니다.",
    ],
    "pl": [
        "Dotyczy to m.in. Warszawy, tzn. Polska nie płaci.",
        "Na ul. Marszałkowskiej nie wolno, np. Kowalskiemu.",
        "Zgodnie z ust. 2 pkt. 3 umowa nie wchodzi w życie 3. Maja.",
        "Szkoła im. Mickiewicza w woj. Mazowieckim nie płaci.",
        "Czy to prawda?",
    ],
    "cs": [
        "Podle odst. Druhého a čl. Pátého nájem neplatí.",
        "Smlouva nezačíná 3. Května, např. Praha ano.",
        "JUDr. Novák bydlí na nám. Míru a neplatí.",
        "Je to pravda?",
    ],
    "tr": [
        "Örn. Ankara dahil değildir, bkz. Madde beş.",
        "Doç. Dr. Yılmaz Atatürk Cad. No. 5 adresinde oturmaz.",
        "Sözleşme 3. Mayıs tarihinde başlamaz.",
        "Bu doğru mu?",
    ],
    "sv": ["Bl.a. Stockholm betalar inte, t.ex. Solna.", "Enl. Kap. Fem gäller det inte.", "Ja!"],
    "da": ["F.eks. København betaler ikke, jf. Kapitel fem.", "Den 3. Maj er det ikke.", "Ja!"],
    "hu": ["Pl. Budapest nem fizet, ill. Pécs sem.", "A szerződés nem 3. Május napján kezdődik."],
    "pt": ["Os Srs. Silva da Cia. Lusa não pagam.", "A Exma. Juíza não veio.", "É verdade?"],
    "it": ["La Soc. Rossi non paga.", "Il Geom. Verdi, per es. Oggi, ha torto."],
    "uk": ["Вул. Шевченка не входить, напр. Київ.", "Це не 5 тис. Гривень.", "Це правда?"],
}  # fmt: skip
BETWEEN = {"ja": "", "zh": ""}
LANGUAGES = sorted(SENTENCES)


def texts_in(language: str, seed: int, most: int = 24) -> tuple[str, list[str]]:
    """Return sentences in random order, and the text of paragraphs that they form."""
    draw = random.Random(f"{language} {seed}")
    parts = draw.choices(SENTENCES[language], k=draw.randint(3, most))
    space = BETWEEN.get(language, " ")
    text = parts[0]
    for part in parts[1:]:
        text += draw.choice([space] * 5 + ["\n\n"]) + part
    return text, parts


def spans_of(text: str, parts: Iterable[str]) -> list[tuple[int, int]]:
    """Return the spans of consecutive parts of a text."""
    spans, at = [], 0
    for part in parts:
        start = text.index(part, at)
        at = start + len(part)
        spans.append((start, at))
    return spans


def check_marks(text: str, excerpt: str, spans: Sequence[tuple[int, int]]) -> None:
    """Check that the shown text consists of the spans, with a mark at each gap."""
    mark, at, end = make_unused_mark(text), 0, 0
    for start, stop in [*spans, (len(text), len(text))]:
        missing = text[end:start]
        if missing.strip():
            marked = re.compile(rf"\s*{re.escape(mark[:-1])}(?: (\d+) lines?(?: alike)?)?\]").match(
                excerpt, at
            )
            assert marked
            assert not marked[1] or int(marked[1]) == sum(
                map(bool, map(str.strip, missing.split("\n")))
            )
            at = marked.end()
        between = excerpt.index(text[start:stop], at) if start < stop else len(excerpt)
        assert not excerpt[at:between].strip()
        at, end = between + stop - start, stop


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_end_where_they_do(language: str) -> None:
    """No sentence is cut, whichever sentence precedes it; only after numbers are some joined."""
    parts = SENTENCES[language]
    for space in (BETWEEN.get(language, " "), "\n", "\n\n"):
        for turn in range(len(parts)):
            order = [*parts[turn:], *parts[:turn], *reversed(parts)]
            text = space.join(order)
            unit_ends = [unit.end for unit in split_into_units(UnitList(text), "prose")]
            ends = [end for _, end in spans_of(text, order)]
            assert set(unit_ends) <= set(ends)
            together = [end for end in ends if end not in unit_ends]
            assert all(text[end - 2].isdigit() for end in together)
            assert len(together) <= len(order) / 3


@given(st.sampled_from(LANGUAGES), st.integers(0, 10_000), st.integers(4, 160), st.booleans())
def test_what_is_compressed_is_sentences_and_marks(
    language: str, seed: int, budget: int, has_query: bool
) -> None:
    text, parts = texts_in(language, seed)
    excerpt = compress(text, budget=budget, counter=O200K, query=parts[-1] if has_query else None)
    if excerpt.text:
        check_marks(text, excerpt.text, excerpt.spans)
    ends = spans_of(text, parts)
    is_begun = all(O200K.count(f"[…] {part} […]").tokens > budget for part in parts)
    for start, end in excerpt.spans:
        assert start in {start for start, _ in ends}
        assert end in {end for _, end in ends} or is_begun


@given(st.sampled_from(LANGUAGES), st.integers(0, 10_000), st.integers(4, 160))
def test_what_is_laid_out_is_sentences_and_marks(language: str, seed: int, budget: int) -> None:
    text, parts = texts_in(language, seed)
    layout = lay_out([Section("a", text, shrink=1)], budget=budget, counter=O200K)
    visible_text = layout.text.removesuffix(" […]")
    if visible_text:
        check_marks(text, layout.text, [(0, len(visible_text))])
    first = split_into_units(UnitList(text), None)[
        0
    ].text  # two sentences, where one ends in a number
    is_begun = O200K.count(f"{first} […]").tokens > budget
    assert is_begun or len(visible_text) in {end for _, end in spans_of(text, parts)}


@given(
    st.lists(st.tuples(st.sampled_from(LANGUAGES), st.integers(0, 10_000)), max_size=5),
    st.integers(20, 400),
    st.booleans(),
)
def test_an_image_shows_sentences_and_marks(
    which: list[tuple[str, int]], budget: int, has_query: bool
) -> None:
    documents = [texts_in(*arguments) for arguments in which]
    image = plan_image(
        [Document(f"{number}.txt", text) for number, (text, _) in enumerate(documents)],
        budget=budget,
        counter=O200K,
        query=documents[0][1][0] if has_query and documents else None,
        policy=Policy(least=8),
    )
    assert image.tokens <= budget
    for page, (text, parts) in zip(image.pages, documents, strict=True):
        if page.action != "compressed":
            continue
        check_marks(text, page.body, [(span.start, span.end) for span in page.spans])
        ends = {end for _, end in spans_of(text, parts)}
        is_begun = page.body.endswith(make_unused_mark(text)) and len(page.spans) == 1
        assert all(span.end in ends for span in page.spans) or is_begun


# Kinds of text that are made of lines

CODE = """def total(items):
    # no item is counted twice
    found = 0
    for item in items:
        found += item.price
    return found


"""
LINES = {
    "code": [*CODE.splitlines(), *CODE.replace("total", "again").splitlines()] * 3,
    "log": [
        f"2026-05-{day:02} 12:00:00 {'ERROR no disk' if day == 9 else 'INFO request'} {day * 7} of"
        " a client in the north west wing that is not the south wing"
        for day in range(1, 29)
    ],
    "csv": ["id,name,when,note", *(
        f"{n},Name {n},2026-05-{n % 28 + 1:02},a note of some length that is about number {n} alone"
        for n in range(40)
    )],
    "wide csv": ["id;name;note", *(f"{n};Müller {n};\"one\ntwo; three {n}\"" for n in range(30))],
    "list": [f"- item {n} must not be moved before day {n}" for n in range(30)],
    "numbers": [f"{n}. Step {n} is done. Not before that." for n in range(1, 30)],
    "chat": [f"{'Ann' if n % 2 else 'Bob'}: I have {n} cats. No dogs, or so." for n in range(30)],
    "table": ["| n | what |", "|---|---|", *(f"| {n} | not {n * 3} |" for n in range(30))],
    "bars": ["name|price|unit", *(f"Apple {n}|{n * 3}|kg" for n in range(30))],
    "columns": [
        "Package          Version   Location",
        *(f"lib-of-{n:<8}  {n}.0.{n}  /lib" for n in range(40))
    ],
    "paths": [f"lib/part_{n // 7}/module_{n}.py" for n in range(40)],
    "users": [f"user{n}:x:{n}:{n}:user {n}:/home/{n}:/bin/sh" for n in range(40)],
    "settings": [
        line for n in range(20) for line in (f"server{n}:", f"  port: {n * 7}", "  tls: false")
    ],
    "ja lines": [f"第{n}条　契約者は{n}日前に申し出なければならない" for n in range(1, 30)],
}  # fmt: skip


@pytest.mark.parametrize("kind", LINES)
def test_lines_are_whole(kind: str) -> None:
    """A row, an item or a line is shown whole or not at all, at each budget that fits one."""
    lines = LINES[kind]
    text = "\n".join(lines)
    places = list(accumulate((len(line) + 1 for line in lines), initial=0))
    starts = {
        *places,
        *(at + len(line) - len(line.lstrip()) for at, line in zip(places, lines, strict=False)),
    }
    ends = {at + len(line.rstrip()) for at, line in zip(places, lines, strict=False)}
    if kind in ("numbers", "chat"):  # whose lines have several sentences
        ends |= {
            at + 1 for at, char in enumerate(text) if char == "." and text[at + 1 : at + 2] == " "
        }
        starts |= {at + 1 for at in ends}
    for budget in (60, 61, 100, 180, 300):
        for query in (None, "What is it with 17?"):
            excerpt = compress(text, budget=budget, counter=O200K, query=query)
            check_marks(text, excerpt.text, excerpt.spans)
            assert excerpt.text
            assert {start for start, _ in excerpt.spans} <= starts
            assert {end for _, end in excerpt.spans} <= ends
        layout = lay_out([Section("a", text, shrink=1)], budget=budget, counter=O200K)
        assert len(layout.text.removesuffix(" […]")) in ends


def test_rows_are_shown_under_their_head() -> None:
    """A row is shown under the header with the names of its columns."""
    for kind in ("csv", "wide csv", "bars", "columns"):
        text = "\n".join(LINES[kind])
        excerpt = compress(text, budget=80, counter=O200K, query="Who is 17?")
        assert excerpt.text.startswith(LINES[kind][0])
        assert "17" in excerpt.text


def test_long_lines_of_prose_are_whole() -> None:
    """A paragraph that is too long for one unit is divided between lines."""
    rows = [f"{n} is of the kind that has no end and is called number {n}" for n in range(90)]
    rows = [f"alpha {row}, " for row in rows]
    excerpt = compress("\n".join(rows), budget=900, counter=O200K, kind="prose", query="number 77")
    lines = [line.replace("[…]", "").strip() for line in excerpt.text.splitlines()]
    assert {line for line in lines if line} <= {row.strip() for row in rows}
    assert len(lines) > 9


def test_a_setting_is_under_its_keys() -> None:
    text = "\n".join(LINES["settings"])
    excerpt = compress(text, budget=40, counter=O200K, query="Which port has server17?")
    assert "server17:\n  port: 119" in excerpt.text


def test_json_is_json_or_marked() -> None:
    """Compressed JSON is valid JSON; JSON that a layout cuts consists of values and a mark."""
    text = json.dumps([{"id": n, "note": f"Not {n}. Never {n}." * 9} for n in range(20)], indent=1)
    for budget in range(20, 300, 20):
        excerpt = compress(text, budget=budget, counter=O200K)
        assert not excerpt.text or json.loads(excerpt.text)
        layout = lay_out([Section("a", text, shrink=1)], budget=budget, counter=O200K)
        assert layout.text.endswith(" […]")


# Texts that say what marks say

HOSTILE = st.sampled_from(
    [*"[]…. \n“「。", "[…]", "[……]", " […]\n", "One. ", "Am 3. ", "# H\n", "- i\n", "```\n", "a,b"]
)  # fmt: skip


@given(st.lists(HOSTILE, max_size=60).map("".join), st.integers(0, 60))
@example("[…] One. [……] Nicht am 3. # H\n" * 9, 20)
def test_a_texts_own_marks_are_told_from_ours(text: str, budget: int) -> None:
    excerpt = compress(text, budget=budget, counter=BYTES)
    assert make_unused_mark(text) not in text
    if excerpt.text:
        check_marks(text, excerpt.text, excerpt.spans)
    layout = lay_out([Section("a", text, shrink=1)], budget=budget, counter=BYTES)
    assert layout.tokens <= budget


def test_parts_of_a_document_have_the_marks_of_the_whole() -> None:
    """If a pinned part contains the mark, another mark is used for omissions."""
    long = " ".join(f"Sentence {number} is here." for number in range(60))
    text = f"{long}\n:::pwo:pin\nStay […] here.\n:::\n{long}\n"
    image = plan_image([Document("a.md", text)], budget=60, counter=O200K)
    assert "Stay […] here." in image.text
    assert image.text.count("[…]") == 1
    assert "[……]" in image.text


def test_texts_of_a_set_are_marked_each() -> None:
    texts = [("", text) for text, _ in (texts_in(language, 1) for language in LANGUAGES)]
    excerpts = compress_all(texts, budget=300, counter=O200K)
    pairs = [
        (text, document)
        for (_, text), document in zip(texts, excerpts.documents, strict=True)
        if document.text
    ]
    assert len(pairs) > 4
    for text, document in pairs:
        check_marks(text, document.text, document.spans)


HERE = Path(__file__).parents[2]
REAL = ["README.md", "LICENSE", "Makefile", "lton/context/cuts.py", "spec/LTON-0.1.md"]


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("query", [None, "What must a reader not do?"])
def test_texts_that_somebody_wrote(name: str, query: str | None) -> None:
    """Prose, Markdown with tables and fences, a licence, a Makefile and Python are never joined
    wrongly.
    """
    text = (HERE / name).read_text("utf-8")[:20_000]
    for budget in (20, 200, 1500):
        excerpt = compress(text, budget=budget, counter=O200K, query=query)
        check_marks(text, excerpt.text, excerpt.spans)
        layout = lay_out([Section("a", text, shrink=1)], budget=budget, counter=O200K)
        visible_text = layout.text.removesuffix(f" {make_unused_mark(text)}")
        assert text.startswith(visible_text)
        assert (visible_text != layout.text) == bool(text[len(visible_text) :].strip())


DECLARATION = {
    record["id"]: record["paragraphs"]
    for record in map(
        json.loads,
        gzip.decompress(
            (HERE / "tests/context/compressed/udhr.jsonl.gz").read_bytes()
        ).splitlines(),
    )
}


def ends_one(text: str) -> bool:
    return text.rstrip().endswith((".", "。", "।", ":", ";"))


@pytest.mark.parametrize("language", DECLARATION)
def test_a_declaration_in_twelve_languages(language: str) -> None:
    """In twelve languages, the shown text begins and ends with sentences, in paragraphs and on
    lines.
    """
    for space in ("\n\n", BETWEEN.get(language, " ")):
        text = space.join(DECLARATION[language])
        whole = O200K.count(text).tokens
        for budget in (whole // 20, whole // 5, whole // 2):
            for query in (None, DECLARATION[language][9]):
                excerpt = compress(text, budget=budget, counter=O200K, query=query, kind="prose")
                check_marks(text, excerpt.text, excerpt.spans)
                assert excerpt.text
                for start, end in excerpt.spans:
                    assert start == 0 or text[start - 1] == "\n" or ends_one(text[:start])
                    assert text[end:].startswith("\n") or ends_one(text[:end])


EXCEPTIONS = [
    "Guests may enter. Except in May, they do.", "Fees are 5 euros. Unless you are a member.",
    "All pay. This section does not apply to guests.", "Er zahlt. Es sei denn, er ist krank.",
    "Der Hund darf mit. Dies gilt nicht im Mai.", "Il paie. Sauf en mai.", "Paga. Salvo en mayo.",
    "Он платит. За исключением детей.", "Πληρώνει. Εκτός από τον Μάιο.",
    "支払う。ただし、五月を除く。", "应当付款。本条款不适用于不可抗力。", "应当付款。但五月除外。",
    "He pays. Students are exempt.", "He pays. Section 2 does not apply to him.",
    "Er zahlt. Ausnahme: Kinder.", "Er zahlt. Hiervon ausgenommen sind Gäste.",
    "Il paie. Ceci ne s’applique pas aux invités.",
    "Paga. Lo anterior no se aplica a Ana.", "Paga. Ad eccezione di Ugo.", "Płaci. Chyba że śpi.",
    "Platí. S výjimkou dětí.", "Hij betaalt. Dit geldt niet voor Jan.", "Han betaler. Undtagen Bo.",
    "Öder. Öğrenciler hariç.", "Fizet. Kivéve a diákokat.", "Он платит. Исключение: дети.",
    "支払う。学生はこの限りでない。", "支払う。前項の規定は、学生には適用しない。",
    "应当付款。学生不适用本条。", "应当付款。学生除外。", "वह देता है। छात्रों को छोड़कर।",
    "يدفع. إلا في مايو.", "वह देता है। सिवाय मई के।", "그는 낸다. 다만 오월은 제외한다.",
]  # fmt: skip


@pytest.mark.parametrize("text", EXCEPTIONS)
def test_a_rule_stays_with_its_exception(text: str) -> None:
    """A rule and its exception are one unit, and even a long unit is not cut between them."""
    assert [unit.text for unit in split_into_units(UnitList(text), "prose")] == [text]
    within = text.replace(". ", ", ").replace("。", "、", 1).replace("। ", ", ")
    assert word_ends(within) == [len(within)]


@pytest.mark.parametrize(
    "text",
    [
        "He pays.\nThis does not apply to guests.", "He pays. Otherwise it is free.",
        "Er zahlt. Abs. 1 gilt nicht für ihn.", "应当付款。否则解除合同。",
    ],
)  # fmt: skip
def test_what_else_holds_stays_with_what_holds(text: str) -> None:
    """A condition on the next line stays with its rule; a sentence with "otherwise" may be cut if
    it is too long.
    """
    assert [unit.text for unit in split_into_units(UnitList(text), "prose")] == [text]


def test_a_rule_without_an_exception_can_be_cut() -> None:
    """A rule without an exception can be cut from its neighbours."""
    assert word_ends("Pay. Go unless ill. Stop now.")[-3:] == [19, 24, 29]
    guests = "Guests are let in by the guard who has the second key, and are shown the rooms."
    rule = f"{guests[:-1]} unless nobody is there."
    assert compress(guests, budget=10, counter=O200K).text.startswith("Guests are")
    assert compress(rule, budget=10, counter=O200K).text == "[…]"


@pytest.mark.parametrize(
    "but", ["However, nobody", "Jedoch nie. Allerdings", "しかし、彼は", "但是"]
)
def test_what_limits_a_sentence_is_shown_after_it(but: str) -> None:
    text = f"All of us may enter. {but} enters in May. {'Rain fell on the wide field. ' * 40}"
    excerpt = compress(text, budget=30, counter=O200K, query=f"{but} enters in May")
    assert excerpt.text.startswith("All of us may enter")


def test_sentences_that_limit_each_other_do_not_bring_a_whole_text() -> None:
    text = "But it rained. " * 2000 + "But on Friday it snowed."
    excerpt = compress(text, budget=40, counter=O200K, query="Where did it snow?")
    assert "snowed" in excerpt.text


@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_record_is_shown_with_what_names_it(index: int) -> None:
    """A record is shown with the field that names it, wherever that field is."""
    rows = []
    for number in range(30):
        row: list[tuple[str, object]] = [
            ("note", f"no. {number} " * 30),
            ("at", {"far": "far away " * 30}),
        ]
        row.insert(index, ("order_id", f"o{number}"))
        rows.append(dict(row))
    text = json.dumps({"rows": rows})
    for query in (None, "note no. 7", "o7"):
        excerpt = json.loads(compress(text, budget=300, counter=O200K, query=query).text)
        rows = [row for row in excerpt["rows"] if not isinstance(row, str)]
        assert rows
        assert all(re.fullmatch(r"o\d+", str(row["order_id"])) for row in rows)


def test_where_a_sentence_ends_in_nothing_written() -> None:
    """In scripts without spaces, sentences end at their marks; a very long sentence is cut if no
    sentence fits.
    """
    assert [unit.text for unit in split_into_units(UnitList("यह सच है।वह नहीं।"), "prose")] == [
        "यह सच है।",
        "वह नहीं।",
    ]
    endless = "One is here. And " + "it goes on without an end, and " * 90
    layout_text = lay_out([Section("a", endless, shrink=1)], budget=400, counter=O200K).text
    assert layout_text == "One is here. […]"
    fence = "```\n" + "f(1)\n" * 900 + "```\n"
    layout_text = lay_out([Section("a", fence, shrink=1)], budget=400, counter=O200K).text
    assert layout_text.endswith("f(1) […]")


BLOCKS = st.sampled_from([
    "X.\n", "Yes. No. ", "[…] here. ",
    "\n# H\n\n", "\n- item one\n- item two\n", "\n```\nf()\n```\n",
    "\n:::pwo:pin\nStay.\n:::\n", "Der 3. Mai. Nie. ", "日本。東京。", "\na,b,c\n1,2,3\n4,5,6\n",
    "\n:::pwo:compress ratio=0.3\nOne is here. Two is there. Three is gone. Four.\n:::\n",
])  # fmt: skip


@given(
    st.lists(st.lists(BLOCKS, max_size=25).map("".join), max_size=4),
    st.integers(5, 200),
    st.sampled_from([1, 8, 24]),
    st.sampled_from([None, "What is here?"]),
)
def test_blocks_of_a_document_are_marked_where_they_are_missing(
    texts: list[str], budget: int, least: int, query: str | None
) -> None:
    """Missing blocks are marked, whether they are pinned, compressed or left out."""
    image = plan_image(
        [Document(f"{number}.md", text) for number, text in enumerate(texts)],
        budget=budget,
        counter=O200K,
        query=query,
        policy=Policy(least=least, whole=0),
    )
    assert image.tokens <= budget
    for page in image.pages:
        if page.action == "compressed":
            source = re.sub(r"(?m)^:::.*$", lambda line: " " * len(line[0]), page.document.text)
            check_marks(source, page.body, [(span.start, span.end) for span in page.spans])


LED = [
    "Bring:\n\n- bread\n- water\n\nNever bring:\n\n- knives\n- dogs of any size\n",
    "Sold:\n1. bread\n2. water\n\nNot sold:\n1. knives\n2. dogs of any size\n",
    "It is open. Allowed:\nReading.\n\nNever allowed:\nRunning.\nLetting dogs of any size in.",
    "可以携带：\n\n- 面包\n- 水\n\n禁止携带：\n\n- 刀\n- dogs of any size\n",
]


@pytest.mark.parametrize("text", LED)
def test_what_is_listed_is_under_what_announces_it(text: str) -> None:
    """A list is shown under the line that announces it, such as "never"."""
    units = split_into_units(UnitList(text), None)
    item = next(unit for unit in units if "dogs" in unit.text)
    assert item.parent is not None
    assert units[item.parent].text.split("\n")[-1] in (
        "Never bring:",
        "Not sold:",
        "Never allowed:",
        "禁止携带：",
    )
    for budget in range(4, 30):
        excerpt = compress(text, budget=budget, counter=O200K, query="dogs of any size").text
        assert "dogs" not in excerpt or units[item.parent].text in excerpt


@pytest.mark.parametrize(
    "text",
    [
        "Q: Is it free?\nA: No, it is not.\nQ: Is it open?\nA: Yes, it is open.\n",
        "Is it free?\nNo.\n\nIs it open?\nYes. It is.\n",
        "Ist es frei? Nein, nie. Ist es offen? Ja, seit Montag.",
        "無料ですか？いいえ、有料です。開いていますか？はい、開いています。",
    ],
)  # fmt: skip
def test_an_answer_is_under_its_question(text: str) -> None:
    """An answer is shown under its own question."""
    units = split_into_units(UnitList(text), None)
    assert [unit.parent for unit in units][:4] == [None, 0, None, 2]


COUNTED = [
    "1. The rent is 900 EUR.",
    "2. The deposit is not 1,800 EUR.",
    "3. Pets are not allowed.",
    "4. It ends on 2 May 2027.",
]


def test_numbers_stay_with_what_they_count() -> None:
    """A number stays with its unit, and a long text is cut after a sentence if one fits."""
    text = " ".join(COUNTED)
    assert [unit.text for unit in split_into_units(UnitList(text), "prose")] == COUNTED
    for budget in range(15, 40):
        excerpt = compress(text, budget=budget, counter=O200K, kind="markdown").text
        assert excerpt.removesuffix(" […]") in (" ".join(COUNTED[:end]) for end in (1, 2, 3))
