"""What is told of a language model's part in an assessment, in the statement's language."""

from collections.abc import Mapping

from backend.entities.model import Language

_READ: Mapping[Language, str] = {
    "en": "The language model {model} counts {supporting} supporting and {against} contradicting passages.",
    "ja": "言語モデル{model}によれば、裏づける箇所は{supporting}件、食い違う箇所は{against}件です。",
    "zh": "语言模型{model}认为，支持的段落有{supporting}处，相反的有{against}处。",
}
_FAILED: Mapping[Language, str] = {
    "en": "The language model could not be used ({reason}); rules alone decided.",
    "ja": "言語モデルを使えなかったため（{reason}）、規則だけで判断しました。",
    "zh": "未能使用语言模型（{reason}），仅由规则判断。",
}


def read(language: Language, model: str, supporting: int, against: int) -> str:
    return _READ[language].format(model=model, supporting=supporting, against=against)


def failed(language: Language, reason: str) -> str:
    return _FAILED[language].format(reason=reason.rstrip("."))
