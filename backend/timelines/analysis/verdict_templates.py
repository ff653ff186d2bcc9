"""Holds the sentence templates for comparisons and alerts in en, ja and zh.

Placeholders take figures that are already formatted.
"""

from collections.abc import Mapping

from backend.entities.model import Language

Templates = Mapping[str, str]

TEMPLATES: Mapping[Language, Templates] = {
    "en": {
        "ahead": "{ahead} is ahead by {size} points, 95% {low} to {high}, {cases} shared cases{needed}.",
        "level": (
            "No difference shown: {b} minus {a} is {size} points, 95% {low} to {high}, {cases} shared "
            "cases{needed}. {missed}"
        ),
        "missed": "A difference below {least} points would often be missed.",
        "missed_unknown": (
            "The smallest detectable difference is unknown, because all differences are equal."
        ),
        "borderline": (
            "Inconclusive: {ahead} leads by {size} points, 95% {low} to {high}, {cases} shared cases"
            "{needed}; the interval and the test (p {p}) do not agree."
        ),
        "needed": "; with {needed} shared cases, a difference of {target} points could be detected",
        "identical": "{a} and {b} score the same in each of {cases} shared cases.",
        "too_few": (
            "Too few shared cases: {a} and {b} share {cases}, and an interval needs {fewest}. "
            "In these, {b} minus {a} is {size} points."
        ),
        "one_run": (
            "Only one run: {single}. Its result cannot be separated from chance. "
            "In the shared case, {b} minus {a} is {size} points."
        ),
        "disjoint": (
            "No comparison: {a} and {b} share no cases (cases of {a}: {a_cases}, of {b}: {b_cases}). "
            "A difference of their means would reflect the cases."
        ),
        "no_runs": "No comparison: the selection has no runs of {missing}.",
        "itself": "No comparison: {a} cannot be compared with itself.",
        "left_out": "{count} runs of {name} are excluded: the infrastructure failed, not the model.",
        "cut": (
            "Only the newest {limit} of {count} runs of {name} were read, so an evaluation may be incomplete."
        ),
        "left_out_one": "1 run of {name} is excluded: the infrastructure failed, not the model.",
        "pairs": (
            "Pairs that differ at 5%: {found} of {compared} without correction, {bh} after "
            "Benjamini-Hochberg, {holm} after Holm."
        ),
        "significant": (
            "After correction for all pairs ({compared}), the difference is significant "
            "(Benjamini-Hochberg, p {p})."
        ),
        "not_significant": (
            "After correction for all pairs ({compared}), the difference is not significant "
            "(Benjamini-Hochberg, p {p})."
        ),
        "fell": "{name} fell {size} points since {day} (pass {pass_}{rate})",
        "rose": "{name} rose {size} points since {day} (pass {pass_}{rate})",
        "fell_unsized": "{name} fell since {day} (pass {pass_}{rate})",
        "rose_unsized": "{name} rose since {day} (pass {pass_}{rate})",
        "rate": "; false alarm {rate}% per 100 passes",
        "family_rate": ", {rate}% in any of {profiles} profiles",
        "too_few_passes": "{name}: {passes} of {fewest} passes before alerts start.",
        "no_alert": "No monitored profile fell or rose.",
        "single": "One run: no interval.",
        "under": "under {limit}",
        "before": "{name} before {mark}",
        "after": "{name} since {mark}",
        "evaluation_mark": "evaluation {name}",
        "revision_mark": "revision {name}",
        "in_evaluation": "{name} in evaluation {evaluation}",
        "and": " and ",
    },
    "ja": {
        "ahead": "{ahead}が{size}ポイント上回っています（95% {low}～{high}、共通ケース{cases}件{needed}）。",
        "level": (
            "差は認められません：{b}と{a}の差は{size}ポイントです（95% {low}～{high}、共通ケース{cases}件"
            "{needed}）。{missed}"
        ),
        "missed": "{least}ポイント未満の差は見逃す可能性が高くなります。",
        "missed_unknown": "すべての差が等しいため、検出可能な最小の差は分かりません。",
        "borderline": (
            "判定できません：{ahead}が{size}ポイント上回っています（95% {low}～{high}、共通ケース{cases}件"
            "{needed}）が、区間と検定（p {p}）の結論が一致しません。"
        ),
        "needed": "。{needed}件あれば{target}ポイントの差も検出可能",
        "identical": "{a}と{b}は共通ケース{cases}件のすべてで同点です。",
        "too_few": (
            "共通ケースが足りません：{a}と{b}の共通ケースは{cases}件で、区間には{fewest}件必要です。"
            "その範囲での{b}と{a}の差は{size}ポイントです。"
        ),
        "one_run": (
            "実行が1回のみです：{single}。偶然と区別できません。"
            "共通ケースでの{b}と{a}の差は{size}ポイントです。"
        ),
        "disjoint": (
            "比較できません：{a}は{a_cases}件、{b}は{b_cases}件のケースを実行しましたが、共通ケースがありません。"
            "平均の差はケースの差を反映します。"
        ),
        "no_runs": "比較できません：この範囲に{missing}の実行がありません。",
        "itself": "比較できません：{a}を自分自身とは比べられません。",
        "left_out": "{name}の実行{count}回は、モデルではなく実行環境の障害で失敗したため除外しています。",
        "cut": (
            "{name}の実行{count}回のうち、最新の{limit}回だけを読み込みました。"
            "一部が欠けた評価があるかもしれません。"
        ),
        "left_out_one": "{name}の実行1回は、モデルではなく実行環境の障害で失敗したため除外しています。",
        "pairs": (
            "{compared}組のうち、個別の5%検定で差があるのは{found}組です。"
            "Benjamini-Hochberg補正後は{bh}組、Holm補正後は{holm}組です。"
        ),
        "significant": "全{compared}組の補正後も、この差は有意です（Benjamini-Hochberg、p {p}）。",
        "not_significant": (
            "全{compared}組の補正後は、この差は有意ではありません（Benjamini-Hochberg、p {p}）。"
        ),
        "fell": "{name}は{day}から{size}ポイント低下（{pass_}巡目{rate}）",
        "rose": "{name}は{day}から{size}ポイント上昇（{pass_}巡目{rate}）",
        "fell_unsized": "{name}は{day}から低下（{pass_}巡目{rate}）",
        "rose_unsized": "{name}は{day}から上昇（{pass_}巡目{rate}）",
        "rate": "、100巡あたりの誤警報率{rate}%",
        "family_rate": "、{profiles}プロファイルのいずれかでは{rate}%",
        "too_few_passes": "{name}：アラート開始に必要な{fewest}巡のうち{passes}巡が完了しています。",
        "no_alert": "監視中のプロファイルに低下も上昇もありません。",
        "single": "実行が1回のため、区間はありません。",
        "under": "{limit}未満",
        "before": "{name}（{mark}より前）",
        "after": "{name}（{mark}以降）",
        "evaluation_mark": "評価{name}",
        "revision_mark": "リビジョン{name}",
        "in_evaluation": "{name}（評価{evaluation}）",
        "and": "と",
    },
    "zh": {
        "ahead": "{ahead}领先{size}分（95% {low}至{high}，共有用例{cases}个{needed}）。",
        "level": ("未见差异：{b}减{a}为{size}分（95% {low}至{high}，共有用例{cases}个{needed}）。{missed}"),
        "missed": "小于{least}分的差异很可能看不出。",
        "missed_unknown": "由于所有差异都相等，无法得知可检出的最小差异。",
        "borderline": (
            "尚无定论：{ahead}领先{size}分（95% {low}至{high}，共有用例{cases}个{needed}），"
            "但区间与检验（p {p}）的结论不一致。"
        ),
        "needed": "；有{needed}个时可检出{target}分的差异",
        "identical": "{a}与{b}在全部{cases}个共有用例中得分相同。",
        "too_few": (
            "共有用例太少：{a}与{b}共有{cases}个用例，给出区间需要{fewest}个。"
            "在这些用例中，{b}减{a}为{size}分。"
        ),
        "one_run": "只有一次运行：{single}，无法与偶然区分。在共有用例中，{b}减{a}为{size}分。",
        "disjoint": (
            "无法比较：{a}运行了{a_cases}个用例，{b}运行了{b_cases}个，没有一个相同，"
            "均值之差只会反映用例之差。"
        ),
        "no_runs": "无法比较：所选范围内没有{missing}的运行。",
        "itself": "无法比较：{a}不能与自身相比。",
        "left_out": "{name}有{count}次运行因运行环境故障（而非模型）失败，已排除。",
        "cut": "{name}共有{count}次运行，只读取了最新的{limit}次，可能有评测不完整。",
        "left_out_one": "{name}有1次运行因运行环境故障（而非模型）失败，已排除。",
        "pairs": (
            "{compared}对中，逐对按 5%检验有{found}对存在差异；"
            "经Benjamini-Hochberg校正后为{bh}对，经Holm校正后为{holm}对。"
        ),
        "significant": "按全部{compared}对校正后，这一差异显著（Benjamini-Hochberg，p {p}）。",
        "not_significant": "按全部{compared}对校正后，这一差异不显著（Benjamini-Hochberg，p {p}）。",
        "fell": "{name}自{day}起下降{size}分（第{pass_}轮{rate}）",
        "rose": "{name}自{day}起上升{size}分（第{pass_}轮{rate}）",
        "fell_unsized": "{name}自{day}起下降（第{pass_}轮{rate}）",
        "rose_unsized": "{name}自{day}起上升（第{pass_}轮{rate}）",
        "rate": "；每100轮误报率{rate}%",
        "family_rate": "，{profiles}个配置中任一误报率{rate}%",
        "too_few_passes": "{name}：警报启用前需{fewest}轮，已完成{passes}轮。",
        "no_alert": "受监测的配置既无下降也无上升。",
        "single": "只有一次运行，无法给出区间。",
        "under": "不到{limit}",
        "before": "{name}（{mark}之前）",
        "after": "{name}（{mark}起）",
        "evaluation_mark": "评测{name}",
        "revision_mark": "修订版{name}",
        "in_evaluation": "{name}（评测{evaluation}）",
        "and": "和",
    },
}
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
