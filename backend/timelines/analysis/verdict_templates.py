"""The sentences about comparisons and alerts, in en, ja and zh. Figures come in written out."""

from collections.abc import Mapping

from backend.entities.model import Language

Phrases = Mapping[str, str]

WORDS: Mapping[Language, Phrases] = {
    "en": {
        "ahead": "{ahead} is ahead by {size} points, 95 % {low} to {high}, {cases} shared cases{needed}.",
        "level": (
            "No difference shown: {b} minus {a} is {size} points, 95 % {low} to {high}, {cases} shared "
            "cases{needed}. A difference below {least} points would often be missed."
        ),
        "borderline": (
            "Not settled: {ahead} leads by {size} points, 95 % {low} to {high}, {cases} shared cases"
            "{needed}; the interval and the t test (p {p}) do not agree."
        ),
        "needed": "; {needed} would be needed to see {target}",
        "identical": "{a} and {b} score the same in each of {cases} shared cases.",
        "too_few": (
            "Too few cases to tell: {a} and {b} share {cases}, and an interval needs {fewest}. "
            "There, {b} minus {a} is {size} points."
        ),
        "one_run": (
            "One run cannot be told from chance: {single} has no other. "
            "In the shared case, {b} minus {a} is {size} points."
        ),
        "disjoint": (
            "No comparison: {a} ran {a_cases} cases and {b} ran {b_cases}, and they share none, "
            "so that a difference of their means would be one of the cases."
        ),
        "no_runs": "No comparison: this selection holds no run of {missing}.",
        "itself": "No comparison: {a} would be compared with itself.",
        "left_out": "{count} runs of {name} failed in the machinery, not in the model, and are left out.",
        "left_out_one": "1 run of {name} failed in the machinery, not in the model, and is left out.",
        "pairs": (
            "{found} of {compared} pairs differ at 5 % one by one; {bh} after Benjamini-Hochberg, "
            "{holm} after Holm."
        ),
        "stands": "Among {compared} pairs this finding stands (Benjamini-Hochberg, p {p}).",
        "falls": "Among {compared} pairs this finding does not stand (Benjamini-Hochberg, p {p}).",
        "fell": "{name} fell {size} points since {day} (pass {pass_}{rate})",
        "rose": "{name} rose {size} points since {day} (pass {pass_}{rate})",
        "fell_unsized": "{name} fell since {day} (pass {pass_}{rate})",
        "rose_unsized": "{name} rose since {day} (pass {pass_}{rate})",
        "rate": "; false alarm {rate} % per 100 passes",
        "too_few_passes": "Passes of {name} over its cases so far: {passes}. From {fewest} on it is watched.",
        "no_alert": "No profile that is watched fell or rose.",
        "single": "One run: no interval can be given.",
        "under": "under {limit}",
        "and": " and ",
    },
    "ja": {
        "ahead": "{ahead}が{size}ポイント上回る（95 % {low}～{high}、共通ケース{cases}件{needed}）。",
        "level": (
            "差は認められない：{b}と{a}の差は{size}ポイント（95 % {low}～{high}、共通ケース{cases}件"
            "{needed}）。{least}ポイント未満の差は見逃す可能性が高い。"
        ),
        "borderline": (
            "判定できない：{ahead}が{size}ポイント上回る（95 % {low}～{high}、共通ケース{cases}件"
            "{needed}）が、区間とt検定（p {p}）の結論が一致しない。"
        ),
        "needed": "。{target}ポイントの差を見るには{needed}件必要",
        "identical": "{a}と{b}は共通ケース{cases}件のすべてで同点。",
        "too_few": (
            "ケースが少なく判定できない：{a}と{b}の共通ケースは{cases}件、区間には{fewest}件必要。"
            "その範囲での{b}と{a}の差は{size}ポイント。"
        ),
        "one_run": (
            "実行1回では偶然と区別できない：{single}の実行は1回のみ。"
            "共通ケースでの{b}と{a}の差は{size}ポイント。"
        ),
        "disjoint": (
            "比較できない：{a}は{a_cases}件、{b}は{b_cases}件のケースを実行したが、共通するものがない。"
            "平均の差はケースの差になる。"
        ),
        "no_runs": "比較できない：この範囲に{missing}の実行がない。",
        "itself": "比較できない：{a}を自分自身と比べることになる。",
        "left_out": "{name}の実行{count}回は、モデルではなく実行環境の障害で失敗したため除外。",
        "left_out_one": "{name}の実行1回は、モデルではなく実行環境の障害で失敗したため除外。",
        "pairs": (
            "{compared}組のうち、個別の5 %検定で差があるのは{found}組。"
            "Benjamini-Hochberg補正後は{bh}組、Holm補正後は{holm}組。"
        ),
        "stands": "{compared}組の中でもこの差は有意（Benjamini-Hochberg、p {p}）。",
        "falls": "{compared}組の中ではこの差は有意でない（Benjamini-Hochberg、p {p}）。",
        "fell": "{name}は{day}から{size}ポイント低下（{pass_}巡目{rate}）",
        "rose": "{name}は{day}から{size}ポイント上昇（{pass_}巡目{rate}）",
        "fell_unsized": "{name}は{day}から低下（{pass_}巡目{rate}）",
        "rose_unsized": "{name}は{day}から上昇（{pass_}巡目{rate}）",
        "rate": "、100巡あたりの誤警報率{rate} %",
        "too_few_passes": "{name}のケース巡回は{passes}巡。{fewest}巡から監視する。",
        "no_alert": "監視中のプロファイルに低下も上昇もない。",
        "single": "実行が1回のため、区間は示せない。",
        "under": "{limit}未満",
        "and": "と",
    },
    "zh": {
        "ahead": "{ahead}领先{size}分（95 % {low} 至 {high}，共有用例{cases}个{needed}）。",
        "level": (
            "未见差异：{b}减{a}为{size}分（95 % {low} 至 {high}，共有用例{cases}个{needed}）。"
            "小于{least}分的差异很可能看不出。"
        ),
        "borderline": (
            "尚无定论：{ahead}领先{size}分（95 % {low} 至 {high}，共有用例{cases}个{needed}），"
            "但区间与 t 检验（p {p}）的结论不一致。"
        ),
        "needed": "；要看出{target}分的差异需{needed}个",
        "identical": "{a}与{b}在全部{cases}个共有用例中得分相同。",
        "too_few": (
            "用例太少，无法判断：{a}与{b}共有{cases}个用例，给出区间需要{fewest}个。"
            "在这些用例中，{b}减{a}为{size}分。"
        ),
        "one_run": "单次运行无法与偶然区分：{single}只有一次运行。在共有用例中，{b}减{a}为{size}分。",
        "disjoint": (
            "无法比较：{a}运行了{a_cases}个用例，{b}运行了{b_cases}个，没有一个相同，"
            "均值之差只会反映用例之差。"
        ),
        "no_runs": "无法比较：所选范围内没有{missing}的运行。",
        "itself": "无法比较：{a}将与自身相比。",
        "left_out": "{name}有{count}次运行因运行环境故障（而非模型）失败，已排除。",
        "left_out_one": "{name}有1次运行因运行环境故障（而非模型）失败，已排除。",
        "pairs": (
            "{compared}对中，逐对按 5 % 检验有{found}对存在差异；"
            "经 Benjamini-Hochberg 校正后为{bh}对，经 Holm 校正后为{holm}对。"
        ),
        "stands": "在{compared}对中，这一差异成立（Benjamini-Hochberg，p {p}）。",
        "falls": "在{compared}对中，这一差异不成立（Benjamini-Hochberg，p {p}）。",
        "fell": "{name}自{day}起下降{size}分（第{pass_}轮{rate}）",
        "rose": "{name}自{day}起上升{size}分（第{pass_}轮{rate}）",
        "fell_unsized": "{name}自{day}起下降（第{pass_}轮{rate}）",
        "rose_unsized": "{name}自{day}起上升（第{pass_}轮{rate}）",
        "rate": "；每100轮误报率{rate} %",
        "too_few_passes": "{name}对其用例运行了{passes}轮；从第{fewest}轮起监测。",
        "no_alert": "受监测的配置既无下降也无上升。",
        "single": "只有一次运行，无法给出区间。",
        "under": "不到{limit}",
        "and": "和",
    },
}
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
