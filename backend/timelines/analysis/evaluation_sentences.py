"""Renders what changed between two evaluations, and why a line breaks, as sentences."""

from collections.abc import Mapping

from backend.entities.model import Language
from backend.timelines.analysis.evaluations import Change, Evaluation

_TEMPLATES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "model": "model {before} → {after}",
        "model_vendor": "model vendor {before} → {after}",
        "inference_provider": "inference provider {before} → {after}",
        "provider": "provider {before} → {after}",
        "revision": "revision {before} → {after}",
        "config_digest": "configuration {before} → {after}",
        "cases": "cases: {after} new, {before} gone",
        "nothing": "No change recorded.",
        "first": "First evaluation.",
        "changed": "Changed: {changes}.",
        "separator": "; ",
        "break": "The line breaks: only {shared} of {cases} cases are the same as before.",
    },
    "ja": {
        "model": "モデル{before}→{after}",
        "model_vendor": "モデル開発元{before}→{after}",
        "inference_provider": "推論プロバイダ{before}→{after}",
        "provider": "プロバイダ{before}→{after}",
        "revision": "リビジョン{before}→{after}",
        "config_digest": "設定{before}→{after}",
        "cases": "ケース：追加{after}件、削除{before}件",
        "nothing": "記録された変更はありません。",
        "first": "最初の評価です。",
        "changed": "変更：{changes}。",
        "separator": "、",
        "break": "線が途切れています：前回と同じケースは{cases}件中{shared}件のみです。",
    },
    "zh": {
        "model": "模型{before}→{after}",
        "model_vendor": "模型厂商{before}→{after}",
        "inference_provider": "推理服务商{before}→{after}",
        "provider": "服务商{before}→{after}",
        "revision": "修订版{before}→{after}",
        "config_digest": "配置{before}→{after}",
        "cases": "用例：新增{after}个，移除{before}个",
        "nothing": "没有记录到变化。",
        "first": "首次评测。",
        "changed": "变化：{changes}。",
        "separator": "；",
        "break": "折线在此断开：{cases}个用例中只有{shared}个与上次相同。",
    },
}


def change_text(change: Change, language: Language = "en") -> str:
    """Render one change, such as ``revision 3f2a → 91bc``, without a full stop."""
    return _TEMPLATES[language][change.field].format(before=change.before, after=change.after)


def changes_sentence(evaluation: Evaluation, language: Language = "en") -> str:
    """Render all changes since the neighbour before."""
    words = _TEMPLATES[language]
    if evaluation.shared is None:
        return words["first"]
    if not evaluation.changes:
        return words["nothing"]
    texts = (change_text(change, language) for change in evaluation.changes)
    return words["changed"].format(changes=words["separator"].join(texts))


def break_sentence(shared: int, cases: int, language: Language = "en") -> str:
    """Render why a line breaks before a point with ``cases`` cases, of which ``shared`` are those before."""
    return _TEMPLATES[language]["break"].format(shared=f"{shared:,}", cases=f"{cases:,}")
