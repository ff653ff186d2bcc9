"""Formats the sentences of an assessment's reasoning in the statement's language."""

from collections.abc import Mapping

from backend.entities.model import Language

PHRASES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "unknown": "The archive{web} was searched, but no source found tells of this. It can be neither "
        "confirmed nor denied.",
        "unknown:web": " and the web",
        "no_claim": "This states nothing that can be checked (a question, opinion, forecast or bare name).",
        "part": "“{claim}”: {reasoning}",
        "part:title": "Title: ",
        "part:content": "Content: ",
        "unclear": "{source} tells of something close to this, but too little agrees to confirm or deny it.",
        "same_event": "{source} tells of the same event, and nothing in it differs from the statement.",
        "record": "our record ({page})",
        "agrees": "{source} supports this: {claimed}.",
        "partly": "{source} agrees in {claimed}, but too little else agrees to confirm or deny this.",
        "equals": "{claimed} ({found})",
        "only": "Only {source} says something about it, and it is not a known source.",
        "comma": ", ",
        "day": "{day} {month} {year}",
        "month": "{month} {year}",
        "confirms": "{source} tells of this event and confirms {claimed}.",
        "tells": "{source} tells of this event.",
        "missing:figure": "No source found gives the figure {claimed}.",
        "missing:name": "No source found names {claimed} in it.",
        "missing:place": "No source found places it in {claimed}.",
        "missing:act": "No source found says “{claimed}” of it.",
        "missing:negation": "No source found denies anything, as “{claimed}” does.",
        "missing:modality": "No source found calls it “{claimed}”.",
        "missing:qualifier": "No source found says “{claimed}”.",
        "missing:clause": "No source found says “{claimed}”.",
        "differs:date": "The statement gives the date as {claimed}, but {source} gives {found}.",
        "differs:figure": "The statement gives the figure as {claimed}, but {source} gives {found}.",
        "differs:agent": "The statement names {claimed}, but {source} names {found}.",
        "differs:roles": "The statement says “{claimed}”, but {source} has it the other way round: "
        "“{found}”.",
        "differs:polarity": "The statement says “{claimed}” of this, but {source} says “{found}”.",
        "mixed": "The sources disagree.",
        "though:agrees": "{source}, which carries less weight here, bears the statement out.",
        "though:differs": "{source}, which carries less weight here, says otherwise.",
    },
    "ja": {
        "unknown": "保管庫{web}を調べましたが、これを伝える情報源は見つからず、確認も否定もできません。",
        "unknown:web": "とウェブ",
        "no_claim": "質問、意見、予想、または名前だけで、確かめられる事実の記述がありません。",
        "part": "「{claim}」：{reasoning}",
        "part:title": "見出し",
        "part:content": "本文",
        "unclear": "{source}に近い内容がありますが、一致する点が少なく、確認も否定もできません。",
        "same_event": "{source}は同じ出来事を伝えており、記述と食い違う点はありません。",
        "record": "当サービスの記録（{page}）",
        "agrees": "{source}と一致します：{claimed}。",
        "partly": "{source}と一致するのは{claimed}だけで、確認も否定もできません。",
        "equals": "{claimed}（{found}）",
        "only": "これに触れているのは{source}だけで、既知の情報源ではありません。",
        "comma": "、",
        "day": "{year}年{month}月{day}日",
        "month": "{year}年{month}月",
        "confirms": "{source}はこの出来事を伝えており、{claimed}を裏づけています。",
        "tells": "{source}はこの出来事を伝えています。",
        "missing:figure": "{claimed}という数値を示す情報源は見つかりません。",
        "missing:name": "{claimed}の名を挙げる情報源は見つかりません。",
        "missing:place": "場所を{claimed}とする情報源は見つかりません。",
        "missing:act": "「{claimed}」とする情報源は見つかりません。",
        "missing:negation": "「{claimed}」という否定を裏づける情報源は見つかりません。",
        "missing:modality": "「{claimed}」とする情報源は見つかりません。",
        "missing:qualifier": "「{claimed}」とする情報源は見つかりません。",
        "missing:clause": "「{claimed}」とする情報源は見つかりません。",
        "differs:date": "記述の日付は「{claimed}」ですが、{source}では「{found}」です。",
        "differs:figure": "記述の数値は「{claimed}」ですが、{source}では「{found}」です。",
        "differs:agent": "記述は「{claimed}」を挙げていますが、{source}が挙げるのは「{found}」です。",
        "differs:roles": "記述は「{claimed}」としていますが、{source}では立場が逆です（「{found}」）。",
        "differs:polarity": "記述は「{claimed}」としていますが、{source}では「{found}」です。",
        "mixed": "情報源の内容が分かれています。",
        "though:agrees": "より重みの小さい{source}は記述と一致します。",
        "though:differs": "より重みの小さい{source}は異なる内容を伝えています。",
    },
    "zh": {
        "unknown": "已检索资料库{web}，未找到提及此事的来源，因此既无法证实也无法否定。",
        "unknown:web": "和网络",
        "no_claim": "这是提问、观点、预测或只是名称，没有可以核实的事实陈述。",
        "part": "“{claim}”：{reasoning}",
        "part:title": "标题",
        "part:content": "正文",
        "unclear": "{source}的内容与此相近，但相符之处太少，既无法证实也无法否定。",
        "same_event": "{source}讲述同一事件，与该陈述没有出入。",
        "record": "本服务的记录（{page}）",
        "agrees": "与{source}相符：{claimed}。",
        "partly": "与{source}相符的只有{claimed}，不足以证实或否定。",
        "equals": "{claimed}（{found}）",
        "only": "只有{source}提到此事，而它并非已知来源。",
        "comma": "、",
        "day": "{year}年{month}月{day}日",
        "month": "{year}年{month}月",
        "confirms": "{source}讲述了这一事件，并证实了{claimed}。",
        "tells": "{source}讲述了这一事件。",
        "missing:figure": "未找到给出数字“{claimed}”的来源。",
        "missing:name": "未找到提及“{claimed}”的来源。",
        "missing:place": "未找到称此事发生在“{claimed}”的来源。",
        "missing:act": "未找到称“{claimed}”的来源。",
        "missing:negation": "未找到证实“{claimed}”这一否定的来源。",
        "missing:modality": "未找到称其为“{claimed}”的来源。",
        "missing:qualifier": "未找到称“{claimed}”的来源。",
        "missing:clause": "未找到称“{claimed}”的来源。",
        "differs:date": "该陈述的日期为“{claimed}”，而{source}为“{found}”。",
        "differs:figure": "该陈述的数字为“{claimed}”，而{source}为“{found}”。",
        "differs:agent": "该陈述提到“{claimed}”，而{source}提到的是“{found}”。",
        "differs:roles": "该陈述称“{claimed}”，而{source}中双方正好相反：“{found}”。",
        "differs:polarity": "该陈述称“{claimed}”，而{source}称“{found}”。",
        "mixed": "各来源说法不一。",
        "though:agrees": "权重较低的{source}与该陈述相符。",
        "though:differs": "权重较低的{source}说法不同。",
    },
}
"""``claimed`` and ``found`` are quotes from the statement and from the source."""

_UNREAD_PAGE: Mapping[Language, str] = {
    "en": "{url}, which was sent along, could not be read: {reason}",
    "ja": "指定された{url}は読めませんでした（{reason}）。",
    "zh": "未能读取所给的{url}（{reason}）。",
}
_STANCES: Mapping[Language, str] = {
    "en": "The language model {model} counts {supporting} supporting and {against} contradicting passages.",
    "ja": "言語モデル{model}によれば、裏づける箇所は{supporting}件、食い違う箇所は{against}件です。",
    "zh": "语言模型{model}认为，支持的段落有{supporting}处，相反的有{against}处。",
}
_VETO: Mapping[Language, str] = {
    "en": "The language model {model} does not find this borne out, so it is not called supported.",
    "ja": "言語モデル{model}が裏づけを認めなかったため、「裏づけあり」とはしていません。",
    "zh": "语言模型{model}认为这一点未得到证实，因此不判定为“已证实”。",
}
_MODEL_FAILED: Mapping[Language, str] = {
    "en": "The language model could not be used ({reason}); rules alone decided.",
    "ja": "言語モデルを使えなかったため（{reason}）、規則だけで判断しました。",
    "zh": "未能使用语言模型（{reason}），仅由规则判断。",
}
MAX_QUOTED_CLAIM_CHARS = 90


def format_claim_reasoning(language: Language, part: str, claim: str, reasoning: str) -> str:
    """Format the reasoning of one claim of several: where it stands, the claim, shortened, its reasoning.

    ``part`` is ``statement``, ``title`` or ``content``.
    """
    quote = " ".join(claim.split())
    quote = quote if len(quote) <= MAX_QUOTED_CLAIM_CHARS else f"{quote[: MAX_QUOTED_CLAIM_CHARS - 1]}…"
    label = PHRASES[language].get(f"part:{part}", "")
    return label + PHRASES[language]["part"].format(claim=quote, reasoning=reasoning)


def format_unread_page(language: Language, url: str, reason: str) -> str:
    """Explain that a page of the request could not be read."""
    clause = reason if language == "en" else reason.rstrip(".")
    return _UNREAD_PAGE[language].format(url=url, reason=clause)


def describe_stances(language: Language, model: str, supporting: int, against: int) -> str:
    """Describe the numbers of passages that a language model found to support and to contradict a claim."""
    return _STANCES[language].format(model=model, supporting=supporting, against=against)


def describe_veto(language: Language, model: str) -> str:
    """Explain that a language model lowered the verdict of the rules."""
    return _VETO[language].format(model=model)


def format_model_failure(language: Language, reason: str) -> str:
    """Explain that the language model failed and the rules decided alone."""
    return _MODEL_FAILED[language].format(reason=reason.rstrip("."))
