"""Random packs and texts out of pieces that join, overlap and fold alike."""

from hypothesis import strategies as st

from backend.articles.model import Pack, Pattern, Rule, RuleExample
from backend.entities.model import LANGUAGES, Entity, FormerName

NAMES = [
    "Aba",
    "abaB",
    "Aba Bab",
    "Abab",
    "AbaBab",
    "Bab",
    "BAB",
    "bab coin",
    "aB",
    "dYb",
    "A-Ba",
    "Ab’s",
    "Fin",
    "サーバ",
    "サーバー",
    "サーバーラ",
    "ニア",
    "ガバナンス",
    "バナ",
    "バナナ",
    "ビットAba",
    "以太坊",
    "以太",
    "太坊",
    "太坊以",
    "坊",
    "客",
]
WRONG = [
    "Abba",
    "abab a",
    "Ba b",
    "ba",
    "サバ",
    "バナン",
    "以太访",
    "太访",
    "太",
    "ガバ",
    "A.ba",
    "Fına",
    "abba bab",
]
PIECES = [
    *NAMES,
    *WRONG,
    "ABA",
    "ABBA",
    "aba",
    "Ａｂａ",
    "ａｂｂａ",
    "ｻｰﾊﾞ",
    "ｶﾞﾊﾞﾅﾝｽ",
    "カ\u3099バナンス",
    "ﬁn",
    "İ",
    "Ab's",
    "word",
    "Word",
    "field",
    "wor",
]
JOINTS = [
    "",
    "",
    " ",
    " ",
    " ",
    "\n",
    "\n\n",
    "\n  ",
    " \r\n",
    "  ",
    "&nbsp;",
    "\u200b",
    "\u00ad",
    ". ",
    ", ",
    "'s ",
    "-",
    "$",
    "1",
    "100",
    "_",
    "\u0301",
    "\u20dd",
    "ー",
    "・",
    *(f", {'la ' * words}" for words in (25, 31, 35, 60)),
]
MARKUP = [
    "`",
    "``` \n",
    "<b>",
    "</b>",
    "**",
    "*",
    "_",
    "[A](u)",
    "<",
    ">",
    "<!--",
    "-->",
    "](",
    "[",
    "]",
    ")",
    "https://a.b/",
    "@",
    "#",
    "\\",
    "x@",
]
TAIL = [".com", "/", ":", ".", "]: ", "](a)", "{{", "}}", "&", '"', "'", "(", "*", "# "]

names = st.sampled_from(NAMES)
surfaces = st.sampled_from(NAMES + WRONG)
languages = st.sampled_from(LANGUAGES)
some_languages = st.lists(languages, min_size=1, max_size=3, unique=True).map(tuple)


def texts(*, markup: bool = True, max_pieces: int = 14) -> st.SearchStrategy[str]:
    """Texts of one field."""
    joints = st.sampled_from(JOINTS + (MARKUP + TAIL if markup else []))
    parts = st.tuples(st.sampled_from(PIECES), joints).map("".join)
    return st.lists(parts, max_size=max_pieces).map("".join)


@st.composite
def entities(draw: st.DrawFn, number: int) -> Entity:
    context: bool | tuple[str, ...] = draw(st.sampled_from([False, False, True]))
    named = draw(st.dictionaries(languages, names, min_size=1, max_size=2))
    also = draw(st.lists(names, max_size=2).map(tuple))
    if draw(st.integers(0, 5)) == 0:
        context = tuple(also[:1])
    return Entity(
        id=f"e{number}",
        type=draw(st.sampled_from(["asset", "asset", "asset", "company", "term"])),
        evidence=draw(st.sampled_from([None, None, None, True, False])),
        names=named,
        also={"en": also} if also else {},
        symbols=draw(st.lists(st.sampled_from(["ABA", "BAB", "FIN", "以"]), max_size=1).map(tuple)),
        symbols_need_context=draw(st.booleans()),
        case=draw(st.sampled_from(["exact", "exact", "any", "title-at-sentence-start"])),
        context=context,
        former=draw(st.lists(surfaces.map(lambda name: FormerName(name=name)), max_size=1).map(tuple)),
    )


@st.composite
def patterns(draw: st.DrawFn) -> str | Pattern:
    text = draw(surfaces)
    if draw(st.booleans()):
        return text
    return Pattern(
        text=text,
        not_before=draw(st.lists(st.sampled_from(["客", "ー", " b", "Ba"]), max_size=1).map(tuple)),
        not_after=draw(st.lists(st.sampled_from(["坊", "a ", "Ab"]), max_size=1).map(tuple)),
        boundary=draw(st.sampled_from([None, None, "none", "word", "katakana-run"])),
        case=draw(st.sampled_from([None, "exact", "any"])),
    )


@st.composite
def rules(draw: st.DrawFn, number: int, entity_ids: list[str]) -> Rule:
    entity = draw(st.sampled_from([None, *entity_ids]))
    suggest = draw(
        st.one_of(
            surfaces,
            st.dictionaries(languages, surfaces, min_size=1, max_size=2),
            st.lists(surfaces, min_size=2, max_size=2).map(tuple),
            st.just("auto") if entity else surfaces,
        )
    )
    return Rule(
        id=f"r{number}",
        entity=entity,
        type="ambiguous" if isinstance(suggest, tuple) else "forbidden_variant",
        languages=draw(some_languages),
        match=draw(st.lists(patterns(), min_size=1, max_size=3).map(tuple)),
        suggest=suggest,
        auto_fix=draw(st.booleans()),
        severity=draw(st.sampled_from(["error", "warning", "info"])),
        case=draw(st.sampled_from(["any", "exact"])),
        context=draw(st.integers(0, 4)) == 0,
        boundary=draw(st.sampled_from(["auto", "auto", "auto", "word", "none"])),
        specs=(RuleExample.model_validate({"from": "x", "to": "x"}),),
    )


@st.composite
def packs(draw: st.DrawFn, max_entities: int = 4, max_rules: int = 4) -> Pack:
    """A pack of few entities and rules that get into each other's way."""
    made = [draw(entities(number)) for number in range(draw(st.integers(1, max_entities)))]
    ids = [entity.id for entity in made]
    ruled = [draw(rules(number, ids)) for number in range(draw(st.integers(0, max_rules)))]
    return Pack(
        version=1,
        entities=tuple(made),
        rules=tuple(ruled),
        context_words={"en": ("field",), "ja": ("客",)} if draw(st.booleans()) else {},
    )
