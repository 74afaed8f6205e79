# ruff: noqa: RUF001 - letters of many scripts are meant here
"""Words of prose before a call, in common languages.

In the lists, `*` is any ending and `_` a space.
"""

from lton._patterns import compiled_when_used


def _any(words: str) -> str:
    return "|".join(words.split()).replace("*", r"\w*").replace("_", r"\ ").replace("'", "['’]")


_DO = _any(
    "check look see view read open search find get fetch run rerun execute list use call create"
    " update edit fix add delete remove examine inspect verify start begin try test explore locate"
    " retrieve review install build pull query investigate gather proceed submit modify apply make"
    " change correct confirm wait set send book cancel calculate analy[sz]e continue implement grep"
    " navigate move scroll save load do double-check insert combine append revert debug recreate"
    " rewrite define adjust reproduce simplify"
)
"""Verbs for the use of a tool."""
_FIRST = _any(
    "i'll i_will i_need_to i'm_going_to i_am_going_to we'll we_will we_need_to let_me let's"
    " now,?_i next,?_i first,?_i then,?_i"
)
_NEXT = _any("a_moment one_moment a_second one_second controllo") + (
    r"|ich\ (?:schaue|sehe|prüfe|suche|lese|öffne|rufe|hole|starte|führe)"
    r"|(?:schaue|prüfe|suche|lese)\ ich|(?:ich\ werde|lass\ mich)\ [^\n]{1,80}"
    r"(?:lesen|prüfen|suchen|ansehen|abrufen|starten|ausführen|öffnen)"
    r"|(?:je\ vais|laissez?-moi)\ "
    r"(?:lire|vérifier|chercher|regarder|lancer|exécuter|ouvrir|créer|consulter)"
    r"|(?:voy\ a|vamos\ a|déjame)\ "
    r"(?:leer|buscar|revisar|verificar|ejecutar|abrir|crear|comprobar|consultar|ver)"
    r"|(?:vou|vamos|deixe-me)\ "
    r"(?:ler|buscar|verificar|executar|abrir|criar|procurar|consultar|ver)"
    r"|(?:vado\ a|fammi|lasciami)\ "
    r"(?:leggere|cercare|verificare|eseguire|aprire|controllare|vedere)"
    r"|(?:давайте|сейчас|я)\ "
    r"(?:проверю|проверим|посмотрю|посмотрим|найду|открою|запущу|прочитаю)"
)
ANNOUNCES = compiled_when_used(
    rf"(?i:\b(?:(?:{_FIRST})(?:\ (?:now|first|also|then|just|quickly|try\ to)){{0,2}}\ (?:{_DO})"
    rf"|{_NEXT})\b)"
    r"|(?:让我|我来|我将|我会|我先|我现在)\w{0,4}?(?:看|查|读|搜|检|运行|执行|打开|获取|试)"
    r"|(?:調べ|確認し|実行し|検索し)\w{0,3}ます"
    r"|(?:확인|검색|실행|조회|찾아|읽어)\w{0,4}(?:겠습니다|게요)"
)
"""Phrases that announce the next step."""
_SHOWN = _any(
    "never not no cannot dont cant wont refus* declin* reject* sorry unable unfortunately avoid"
    " instead would might suppose* pretend* imagin* if_i if_you if_we you_can you_could you_may"
    " you_should you_must you_want you_need leave leaving skip* ignor* stop_here let_me_know warn*"
    " ask tell show* explain* illustrat* demonstrat* describ* summar* repeat* paste* point_out"
    " examples? e\\.g for_instance syntax* formats? template markup xml tags? snippet how"
    " permission approv* payload inject* transcript looks_like like_this like_so as_follows"
    " following below is_this is_these is_so was_this was_these was_so here's here_is here_are"
    " this_is this_was that_was says? said wrote written reads quot* docs? document* readme"
    " manual tutorial means translat* in_english in_french in_german in_spanish"
    " in_chinese in_japanese"
    " before_i before_we until with_you from_you your_ok confirmation samples? a_call the_call"
    " this_call your_call the_line read_out french german spanish sentence typo"
    " make_the_point"
    " nicht* niemals nie kein* lehne beispiel* zeige* würde* lautet* übersetz* folgend* zitier*"
    " pas jamais exemple* montre* serait tradu* voici nunca ejemplo* mostrar* niego sería não"
    " exemplo* seria non rifiut* mai esempi* sarebbe niet geen nooit voorbeeld* przykład* değil"
    " örne* не нельзя никогда пример* покаж* перев*"
)
SHOWS = compiled_when_used(
    rf"(?i:\b(?:{_SHOWN}|\w{{2,6}}n['’]t)\b)"
    r"|[不别勿没拒例译訳如展翻断]|ない|ません|下面|解释|않|마세요|예시|번역"
    r"|لا|مثال|नहीं|उदाहरण"
)
"""Phrases that refuse, forbid, show, quote or translate a call."""
