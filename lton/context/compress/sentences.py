"""Where sentences end: Unicode's rules (UAX #29), and what they cannot know of languages.

By those rules a full stop ends no sentence before a small letter, a digit or a comma. They cannot
know abbreviations and ordinals ("z. B.", "am 3. Mai"): those are a table here. An exception belongs
to the sentence before it. In doubt nothing ends: a part that is too long is shown whole or not, one
that is too short says what nobody wrote.
"""

import unicodedata
from collections.abc import Iterator

from lton._patterns import compiled_when_used
from lton.context.cuts import excepts

_TERMINALS = "!?‼‽⁇⁈⁉⸮։؟۔؝؞؟܀܁܂߹।॥၊။።፧፨᙮᜵᜶᠃᠉᥄᥅᪨᪩᪪᪫᭚᭛᭞᭟᰻᰼᱾᱿。꓿꘎꘏꛳꛷꡶꡷꣎꣏꤯꧈꧉꩝꩞꩟꫰꫱꯫﹒﹖﹗！？｡"
"""What ends sentences of any script and nothing else (Sentence_Terminal), and "…"."""
_CLOSERS = "\"'”’“‘»›)\\]}」』）】〉》〕＂＇"
_ENDS = compiled_when_used(
    r"\n[^\S\n]*\n"  # a paragraph ends
    r"|[\n\r]"
    rf"|[.．…{_TERMINALS}]+[{_CLOSERS}]*"
    r"|(?<=[Ͱ-Ͽἀ-῿])[;\u037e](?=\s)"  # what asks in Greek
)
_NO_SPACES = compiled_when_used(
    r"[\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]"
)
"""Scripts whose sentences may follow each other without a space, and whose letters are wide."""
_GOES_ON = frozenset(",-:;–—՝،؍߸᠂᠈、︐︑︓︱︲﹐﹑﹕﹘﹣，－：､%/=")
"""What a sentence goes on with (SContinue), and signs."""
_IN_WORD = r"[^\s()\[\]{}\"'“”‘’„‚«»‹›¿¡「『（/]"
_WORD_BEFORE = compiled_when_used(rf"(?<!{_IN_WORD}){_IN_WORD}+$")
_SHORT = {
    "en": "mr mrs ms dr prof rev hon st sr jr gen col capt lt sgt gov sen rep pres no nos vol vols"
    " p pp fig figs eq eqs ch sec art ed eds vs v cf ca approx al etc eg ie inc ltd co corp bros"
    " dept est univ jan feb mar apr jun jul aug sep sept oct nov dec messrs para paras subsec ave"
    " supp amend cir attn maj esq dist incl excl ext fed",
    "de": "bzw usw bd bde nr nrn abs ziff vgl ggf evtl inkl exkl zzgl bspw sog tel mio mrd tsd jh"
    " jhd jhdt chr hr fr frl okt dez str hrsg hg kap anm tab abb bzgl gem lt max min std sek ing"
    " dipl mag lit buchst rn rz rdnr az urt beschl st hl geb gest verh gegr dgl allg betr einschl"
    " febr fa inh mind ggfs vers jew unterabs med jur phil rer nat habil dres",
    "fr": "mme mmes mlle mm me mgr av bd boul env chap éd tél janv févr avr juil déc ex cie ste"
    " hab al réf vol fasc adr app arr sté mons",
    "es": "sra sras sres srta dra dña ud uds vd vds avda ej núm pág págs sig arts cap tel admón ee"
    " uu ff aa dd hh ene abr ago dic lic ing gral gob prov izq dcha excmo cía apdo lcdo lcda sto"
    " sta mons depto dpto",
    "it": "sig ecc pag ing avv egr dott prof gen soc pagg geom es",
    "nl": "bijv enz blz np tzw dhr mevr evt incl excl inkl",
    "pt": "exmo sra av ed núm exma ltda srs eng exa cia profa",
    "ru": "тыс млн млрд трлн руб коп стр рис табл гл ст ул пр просп пер кв корп им см ср др проч"
    " гг вв напр обл респ акад проф доц чел мин сек час янв фев февр мар апр авг сен сент окт ноя"
    " нояб дек тов гос изд ген ред абз подп ок пос ин утв зам инд бул наб ч",
    "el": "κκ δρ κλπ κ.λπ κ.τ.λ κ.ά δηλ αρ σελ βλ λεωφ τηλ ιαν φεβ μαρ απρ ιουν ιουλ αυγ σεπ σεπτ"
    " οκτ νοε δεκ καθ άρθρ παρ εκ χιλ",
    "ar": "أ.د ص.ب هـ",
    "hi": "डॉ श्री सुश्री प्रो सं पृ क्र कं लि मि रु पं श्रीमती पू",
    "pl": "np ust pkt ul pl al os św im woj godz por tys mies zam poz inż kpt ob zob itp itd ok ur",
    "cs": "odst např nám tř resp písm atd apod tis hod mil popř příp vyhl zák judr mudr",
    "uk": "вул ін тис напр просп зв",
    "tr": "örn bkz cad mah sok şti yrd doç öğr gör no vb vd yy",
    "sv": "ang enl kap avd exkl osv",
    "da": "jf stk pga mht evt eks feks",
    "fi": "esim ym puh jne os",
    "hu": "ill ún özv vö pl",
    "ro": "dl dna alin jud",
    "hr": "npr gđa čl",
    "vi": "tp ts",
}
"""What ends with a full stop and ends no sentence, by language; single letters are so in all."""
_SHORTENED = frozenset(word for words in _SHORT.values() for word in words.split())
_NO_VOWELS = compiled_when_used(r"[bcdfghj-np-tvwxzđł]{2,5}$|[б-джзк-нп-тф-щћђљњџ]{2,5}$")
"""What is short for a word, in letters that have vowels: "tzn", "čl", "грн"."""
_DOTTED = compiled_when_used(r"[^\W\d_]{1,3}(?:\.[^\W\d_]{1,3})+$")
"""Short for several words: "t.ex", "m.in", "Ph.D"."""
_STARTERS = frozenset(
    "The A An He She It They We I You His Her Its Their Our This That These Those In On At After"
    " Before When While However But And As For From There Then".split()
)
_ORDINAL = compiled_when_used(r"(?:^|[^\w.,])(?:\d{1,3}|[IVXLC]{2,7})$")
"""A number that may count: "am 3. Mai", "im 19. Jahrhundert", "Ludwig XIV."."""
BUT = compiled_when_used(
    r"(?:However|But|Nevertheless|Jedoch|Aber|Allerdings|Doch|Cependant|Toutefois|Mais|Sin embargo"
    r"|Pero|Tuttavia|Однако|Но|Όμως|Ωστόσο|ومع ذلك|लेकिन|परंतु|그러나|하지만)(?!\w)"
    r"|(?:Yes|No|Ja|Nein|Oui|Non|Sí|Sì|Sim|Não|Nee|Tak|Nie|Ano|Ne|Evet|Hayır|Да|Нет|Так|Ні|Ναι|Όχι"
    r"|نعم|لا|हाँ|हां|नहीं|네|아니요)[.,!،।]|はい[、。]|いいえ[、。]|しかし|不过|然而"
)
"""What begins a sentence that is shown after the one that it limits or answers."""
_COUNTED = compiled_when_used(r"\d{1,3}[.)]\s+\D")
"""What begins a sentence of a list that has no lines."""
_FULL = 60
"""A line of so many columns that has no full stop may go on in the next one."""
_LIMIT = 40
_BRIEF = 5
"""A word that has fewer letters may be short for one that a number follows."""


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Get the offsets after full stops that end a sentence, and after lines that end.

    >>> text = "Das gilt z. B. ab dem 3. Mai. Danach nicht! Oder?"
    >>> [text[:at] for at in sentence_ends(text, 0, len(text))][0]
    'Das gilt z. B. ab dem 3. Mai.'
    """
    line = start
    for found in _ENDS.finditer(text, start, end):
        mark = found[0]
        if mark[0] == "\n" or mark[0] == "\r":
            at = found.start()
            is_end = len(mark) > 1 or _line_ends(text, line, at, end)
            if is_end and not excepts(text, found.end()):
                yield at
            line = found.end()
        elif _ends(text, found.start(), found.end()):
            yield found.end()


def _line_ends(text: str, start: int, at: int, end: int) -> bool:
    """Say whether a sentence ends with a line: it is short, or what follows begins anew."""
    after = text[at + 1 : min(end, at + _LIMIT)].lstrip()[:1]
    if after.islower():
        return False
    columns = at - start
    if columns < _FULL:
        columns += len(_NO_SPACES.findall(text, start, at))
    return columns < _FULL or not (after.isalnum() or after in "\"'(")


def _ends(text: str, at: int, end: int) -> bool:
    """Say whether a sentence ends with the marks that are from one offset to before another."""
    rest = text[end : end + _LIMIT]
    after = rest.lstrip()
    if rest and len(after) == len(rest) and not _ends_without_space(text, at, end):
        return False
    if after[:1].islower() or after[:1] in _GOES_ON or excepts(text, end):
        return False  # a rule and its exception are one
    return text[at] not in ".．" or _stops(text, at, after)


def _ends_without_space(text: str, at: int, end: int) -> bool:
    """Say whether a mark that no space follows may end a sentence, as in Japanese.

    What was quoted goes on with the sentence that it is quoted in.
    """
    is_wide = text[at] in "．｡" or _NO_SPACES.match(text[at])
    is_quoted = text[end - 1] in "”’“‘」』\"'"
    if text[at] in "।॥۔؟።":
        return not text[end].isdigit()
    return bool(is_wide) and not text[end].isdigit() and not (is_quoted and text[end].isalnum())


def _stops(text: str, at: int, after: str) -> bool:
    """Say whether a full stop ends a sentence, and no abbreviation and no ordinal."""
    tail = text[max(0, at - _LIMIT) : at]
    before = _WORD_BEFORE.search(tail)
    word = before[0] if before else ""
    said = tail[: len(tail) - len(word)].rstrip(" ")
    is_brief = len(word) < _BRIEF and not _COUNTED.match(after)
    if after[:1].isdigit() and (word[-1:].isdigit() or is_brief):
        return False  # "1. 2. 2024", "2024. 3. 5.", "Rs. 500"
    if _ORDINAL.search(word) and (not said or said[-1] in f".\n\r{_TERMINALS}"):
        return False  # "1. The rent is 5. 2. The deposit is 9."
    is_initials = len(word) > 1 and word[-2] in ".-" and word[-1].isalpha()
    if is_initials or _ORDINAL.search(word) or _DOTTED.match(word):
        return bool(after) and (after[0] in "¿¡" or after.split(maxsplit=1)[0] in _STARTERS)
    return not _is_short(word, is_unit=said[-1:].isdigit())


def _is_short(word: str, *, is_unit: bool) -> bool:
    """Say whether a word is short for another: a letter, one of the table, one without vowels."""
    small = unicodedata.normalize("NFC", word).lower()
    if len(word) == 1 and word.isalpha():
        return True
    if small in _SHORTENED or small.endswith("str"):
        return True
    if is_unit or word.isupper() or not small.isalpha():
        return False
    bare = "".join(filter(str.isalpha, unicodedata.normalize("NFD", small)))  # no accents
    return bool(_NO_VOWELS.match(bare))
