"""Says in plain words how a slip differs from the name, in every language."""

from collections.abc import Mapping

from backend.articles.matching.meanings import CompiledRule
from backend.articles.model import FIELDS, Rule
from backend.articles.slips.edits import EditKind
from backend.entities.model import LANGUAGES, Language

RULE_ID = "unlisted-slip"

GENERAL: Mapping[Language, str] = {
    "en": "The word is no known word, and one edit turns it into a name.",
    "ja": "既知の語ではなく、1か所を直すと名称になります。",
    "zh": "该词不是已知词语，只改一处即为某个名称。",
}
_SOUND = (
    "Sounds like {}, but is spelled differently.",
    "「{}」と音が似ていますが、表記が違います。",
    "与“{}”读音相近，但写法不同。",
)
_TEMPLATES: Mapping[EditKind, tuple[str, str, str]] = {
    EditKind.SWAPPED: (
        "One step from {}: two letters are swapped.",
        "「{}」と1か所違いです。隣り合う文字が入れ替わっています。",
        "与“{}”只差一步：相邻两字颠倒。",
    ),
    EditKind.DOUBLED: (
        "One letter from {}: a letter is doubled.",
        "「{}」と1文字違いです。文字が重なっています。",
        "与“{}”只差一个字符：多重复了一个。",
    ),
    EditKind.EXTRA: (
        "One letter from {}: there is a letter too many.",
        "「{}」と1文字違いです。余分な文字があります。",
        "与“{}”只差一个字符：多了一个。",
    ),
    EditKind.SUFFIX: (
        "One letter from {}: there is a letter too many at the end.",
        "「{}」と1文字違いです。末尾に余分な文字があります。",
        "与“{}”只差一个字符：末尾多了一个。",
    ),
    EditKind.MISSING: (
        "One letter from {}: a letter is missing.",
        "「{}」と1文字違いです。文字が抜けています。",
        "与“{}”只差一个字符：少了一个。",
    ),
    EditKind.CHANGED: (
        "One letter from {}.",
        "「{}」と1文字違いです。",
        "与“{}”只差一个字符。",
    ),
    EditKind.SOUND: _SOUND,
    EditKind.JAPANESE_SOUND: _SOUND,
    EditKind.STYLE: _SOUND,
    EditKind.SHAPE: (
        "Looks like {}, but one character differs.",
        "「{}」と形が似ていますが、1文字違います。",
        "与“{}”字形相近，但有一个字不同。",
    ),
    EditKind.MIXED: (
        "Mixes Simplified and Traditional characters; the name is {}.",
        "簡体字と繁体字が混ざっています。名称は「{}」です。",
        "简体字与繁体字混用，名称应为“{}”。",
    ),
    EditKind.SCRIPT: (
        "In the characters of this article the name is {}.",
        "この記事の字体（簡体字または繁体字）では「{}」と書きます。",
        "按本文所用字体（简体或繁体），名称应写作“{}”。",
    ),
    EditKind.SPACING: (
        "One space or hyphen from {}.",
        "「{}」とスペースまたはハイフンが1つ違うだけです。",
        "与“{}”只差一个空格或连字符。",
    ),
}


def build_rule(
    entity: str | None = None, reasons: Mapping[Language, str] | None = None, *, auto_fix: bool = False
) -> CompiledRule:
    """Build the rule that reports slips, or that of one finding with its ``reasons``.

    It is not validated, since its parts are known to be right.
    """
    rule = Rule.model_construct(
        id=RULE_ID,
        entity=entity,
        type="unlisted_slip",
        languages=LANGUAGES,
        match=(),
        first_mention=None,
        suggest=(),
        auto_fix=auto_fix,
        severity="warning",
        case="any",
        context=True,
        boundary="auto",
        fields=FIELDS,
        enabled=True,
        note=dict(GENERAL),
        source="Derived from the names of all entities.",
        specs=(),
    )
    return CompiledRule(RULE_ID, entity, "unlisted_slip", "warning", auto_fix, True, rule, reasons)


def explain(kind: EditKind, name: str) -> dict[Language, str]:
    """Build the reason of one finding in every language."""
    return {
        language: template.format(name)
        for language, template in zip(LANGUAGES, _TEMPLATES[kind], strict=True)
    }
