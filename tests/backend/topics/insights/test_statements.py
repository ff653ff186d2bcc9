"""Denials, missing comments and open questions in reports."""

import pytest

from backend.entities.model import Language
from backend.topics.insights.statements import Kind, cut_clause, find_open_questions, find_statements, matches
from tests.backend.topics.insights.conftest import ReportFactory

SENTENCES: list[tuple[Kind, Language, str]] = [
    ("denial", "en", "Bitnode denied wrongdoing."),
    ("denial", "en", "Tether called the report baseless and said it was untrue."),
    ("denial", "ja", "ビットノードは不正を否定した。"),
    ("denial", "zh", "币安否认存在不当行为。"),
    ("denial", "zh", "幣安對此進行闢謠，稱消息不實。"),
    ("no_comment", "en", "A representative for Tether didn't respond to a request for comment."),
    ("no_comment", "ja", "検察はコメントを控えた。"),
    ("no_comment", "zh", "Tether暂未回应置评请求。"),
    ("unknown", "en", "It is not clear how the keys of Northwind were taken."),
    ("unknown", "en", "The exchange has not disclosed how many customers are affected."),
    ("unknown", "ja", "流出の原因は明らかになっていない。"),
    ("unknown", "zh", "目前尚不清楚私钥是如何泄露的。"),
]

STATED: list[tuple[Kind, Language, str]] = [
    ("unknown", "en", "The date of the ruling on Kestrel is not known."),
    ("unknown", "ja", "具体的な時期のめどは示しておらず、対策も固まっていない。"),
    ("unknown", "en", "It is unclear whether the exchange will reopen."),
    ("unknown", "en", "The company did not say when withdrawals will resume."),
    ("unknown", "en", "The exchange has yet to disclose how much was lost."),
    ("unknown", "en", "No date has been set for the hearing."),
    ("unknown", "en", "The terms of the deal were not disclosed."),
    ("unknown", "en", "Northwind bought Kestrel for an undisclosed sum."),
    ("unknown", "en", "It was not immediately clear who controlled the wallet."),
    ("unknown", "en", "Whether the plan becomes law depends on the Senate."),
    ("unknown", "en", "Reuters could not independently verify the claim."),
    ("unknown", "en", "The cause of the outage is still under investigation."),
    ("unknown", "en", "The agency is reviewing whether the fund may list."),
    ("unknown", "en", "Details of the settlement remain scarce."),
    ("unknown", "en", "Kestrel has not set a launch date."),
    ("unknown", "en", "The identity of the attacker remains unknown."),
    ("unknown", "en", "Northwind declined to say how many clients are affected."),
    ("unknown", "en", "A launch date has not been set."),
    ("no_comment", "en", "A spokesperson for Kestrel did not respond to a request for comment."),
    ("no_comment", "en", "Neither Kestrel nor Northwind responded by press time."),
    ("no_comment", "en", "Requests for comment from Kestrel went unanswered."),
    ("no_comment", "en", "Kestrel has not commented on the report."),
    ("no_comment", "en", "Kestrel has yet to respond publicly."),
    ("no_comment", "en", "Kestrel declined CoinDesk's request for comment."),
    ("no_comment", "en", "Kestrel could not immediately be reached."),
    ("unknown", "ja", "取引所は被害額を明らかにしていない。"),
    ("unknown", "ja", "上場の時期は未定だ。"),
    ("unknown", "ja", "具体的な日程は示していない。"),
    ("unknown", "ja", "流出の原因は不明で、調査が続く。"),
    ("unknown", "ja", "買収金額は非公開としている。"),
    ("unknown", "ja", "裁判所はトークンが証券に当たるかどうかを審査している。"),
    ("unknown", "ja", "再開のめどは立っていない。"),
    ("unknown", "ja", "同社は再開時期については触れなかった。"),
    ("unknown", "ja", "流出の原因は調査中という。"),
    ("no_comment", "ja", "ケストレルはコメントの要請に応じていない。"),
    ("no_comment", "ja", "ケストレルはコメントに応じなかった。"),
    ("no_comment", "ja", "取材に対し、ケストレルからの回答はなかった。"),
    ("no_comment", "ja", "同社は問い合わせに返答していない。"),
    ("no_comment", "ja", "検察はコメントを控えた。"),
    ("unknown", "zh", "目前尚不清楚被盗金额。"),
    ("unknown", "zh", "公司未披露具体金额。"),
    ("unknown", "zh", "上线时间待定。"),
    ("unknown", "zh", "该项目尚未公布上线日期。"),
    ("unknown", "zh", "攻击者身份不明。"),
    ("unknown", "zh", "交易条款没有公开。"),
    ("unknown", "zh", "法院仍在考虑是否批准和解。"),
    ("unknown", "zh", "事件原因仍在调查。"),
    ("unknown", "zh", "監管機構尚未決定是否批准。"),
    ("no_comment", "zh", "币安暂未回应置评请求。"),
    ("no_comment", "zh", "币安未就此事作出回应。"),
    ("no_comment", "zh", "截至目前，币安没有对此置评。"),
    ("no_comment", "zh", "Tether拒绝就调查置评。"),
]
NOT_STATED: list[tuple[Language, str]] = [
    ("en", "An unknown trader bought $10 million of ether."),
    ("en", "The identity of the attacker is no longer unknown."),
    ("en", "The SEC alleges that Northwind did not disclose the risks to investors."),
    ("en", "Kestrel was fined because it did not disclose its fees."),
    ("en", "Traders can swap coins without disclosing their identity."),
    ("en", "It was unclear at the time who had the keys."),
    ("en", "It is clear that Northwind will pay its customers."),
    ("en", "The network has not finalized blocks since noon."),
    ("en", "The tokens are not set to unlock before March."),
    ("en", "Binance is not named in the suit."),
    ("en", "There is no indication that customer funds were affected."),
    ("en", "The funds have not been released."),
    ("en", "Kestrel was previously undecided, but now backs the bill."),
    ("en", "The price of bitcoin did not respond to the rate cut."),
    ("en", "The attacker has not returned the funds."),
    ("en", "Kestrel responded to a request for comment on Monday."),
    ("en", "The court will decide whether the tokens are securities."),
    ("en", "A review will test whether custodians meet the standards."),
    ("en", "The Senate votes in July on whether to pass the bill."),
    ("ja", "裁判所はトークンが証券に当たるかどうかを判断する。"),
    ("ja", "当局は10月に基準を満たすかどうかを審査する予定だ。"),
    ("ja", "先行き不透明感から売りが広がった。"),
    ("ja", "行方不明の男性が保護された。"),
    ("ja", "手数料を開示していないとして当局はケストレルを提訴した。"),
    ("ja", "不明だった犯人が特定された。"),
    ("ja", "SECが調査中の企業が増えた。"),
    ("ja", "これまで明らかにしていなかった保有額を公表した。"),
    ("ja", "用語は規則で未定義のままだ。"),
    ("ja", "利用者の質問に財団が回答した。"),
    ("ja", "相場の反応はなかった。"),
    ("zh", "该公司因未披露利益冲突被罚款300万美元。"),
    ("zh", "法院将决定是否批准和解。"),
    ("zh", "监管机构将审查托管机构是否达标。"),
    ("zh", "一个不明地址转入1000枚ETH。"),
    ("zh", "链上出现大量未确认交易。"),
    ("zh", "此前未公布的地址现已公开。"),
    ("zh", "内幕交易者利用未公开信息获利。"),
    ("zh", "币安回应称消息属实。"),
    ("zh", "问卷未回复率为三成。"),
]


@pytest.mark.parametrize(("kind", "language", "sentence"), SENTENCES)
def test_a_statement_is_quoted_word_for_word(
    make_report: ReportFactory, kind: Kind, language: Language, sentence: str
) -> None:
    report = make_report(sentence, language=language)
    (found,) = find_statements([report], kind, language)
    assert (found.text, found.source) == (sentence, report.source)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("denial", "The judge denied the motion of Northwind to dismiss the case."),
        ("denial", "They denied wrongdoing in the case of Northwind."),
        ("unknown", "It is clear that Northwind will pay its customers."),
        ("no_comment", "Northwind commented on the attack in a blog post."),
    ],
)
def test_other_sentences_are_no_statements(make_report: ReportFactory, kind: Kind, sentence: str) -> None:
    assert find_statements([make_report(sentence)], kind, "en") == []


def test_each_source_and_each_sentence_is_quoted_once(make_report: ReportFactory) -> None:
    text = "Bitnode denied wrongdoing. Bitnode denied any involvement."
    found = find_statements([make_report(text), make_report("Bitnode denied wrongdoing.")], "denial", "en")
    assert [statement.text for statement in found] == ["Bitnode denied wrongdoing."]


@pytest.mark.parametrize(("kind", "language", "sentence"), STATED)
def test_what_is_not_told_and_who_does_not_answer_is_recognised(
    kind: Kind, language: Language, sentence: str
) -> None:
    assert matches(sentence, kind, language)


@pytest.mark.parametrize(("language", "sentence"), NOT_STATED)
def test_nothing_is_unknown_that_was_found_out_or_concealed_from_others(
    language: Language, sentence: str
) -> None:
    assert not matches(sentence, "unknown", language)
    assert not matches(sentence, "no_comment", language)


@pytest.mark.parametrize(
    ("language", "sentence", "clause"),
    [
        (
            "en",
            "The former head did not announce the details of his next move but said that he would stay.",
            "The former head did not announce the details of his next move",
        ),
        (
            "en",
            "Both regulators are understaffed, with no announcement from Riga on filling the roles.",
            "with no announcement from Riga on filling the roles",
        ),
        (
            "en",
            "A license allows more, but it is unclear whether it is kept.",
            "it is unclear whether it is kept",
        ),
        (
            "en",
            "The upgrade replaces the pool and may offer clues about whether coins were forged.",
            "whether coins were forged",
        ),
        ("ja", "同社は攻撃を確認したが、被害額は明らかにしていない。", "被害額は明らかにしていない"),
        ("zh", "该公司确认遭到攻击，但尚未公布损失金额。", "尚未公布损失金额"),
        ("en", "It is not clear how the keys were taken.", "It is not clear how the keys were taken."),
    ],
)
def test_the_clause_on_what_is_unknown_is_cut_word_for_word(
    language: Language, sentence: str, clause: str
) -> None:
    assert cut_clause(sentence, "unknown", language) == clause


@pytest.mark.parametrize(
    ("language", "read", "summary", "new"),
    [
        (
            "en",
            "Kestrel confirmed the attack, but has not disclosed the loss.",
            "Kestrel, an exchange, has not disclosed the loss.",
            "It is not clear how the keys of Kestrel were taken.",
        ),
        (
            "ja",
            "ケストレルは攻撃を確認したが、被害額は明らかにしていない。",
            "攻撃の被害額は明らかにしていない。",
            "ケストレルの流出の原因は不明で、調査が続く。",
        ),
        (
            "zh",
            "红隼确认遭到攻击，但尚未公布损失金额。",
            "红隼尚未公布损失金额。",
            "目前尚不清楚私钥是如何泄露的。",
        ),
    ],
)
def test_an_unknown_that_the_reader_has_read_is_not_told_again(
    make_report: ReportFactory, language: Language, read: str, summary: str, new: str
) -> None:
    report = make_report(read, language=language)
    assert [one.text for one in find_open_questions([report], language, "")] == [read]
    assert find_open_questions([report], language, read) == []
    assert find_open_questions([report], language, summary) == []
    longer = make_report(f"{read} {new}" if language == "en" else f"{read}{new}", language=language)
    assert [one.text for one in find_open_questions([longer], language, summary)] == [new]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Kestrel did not deny the report."),
        ("en", "Kestrel has not denied any role in the hack."),
        ("en", "Kestrel didn't immediately deny the claim."),
        ("en", "Kestrel declined to deny the rumour."),
        ("en", "Kestrel neither confirmed nor denied any role in the hack."),
        ("ja", "ケストレルは報道を否定しなかった。"),
        ("ja", "ケストレルは関与を否定していない。"),
        ("zh", "红隼没有否认该报道。"),
        ("zh", "红隼未否认参与其中。"),
        ("zh", "紅隼並未否認參與其中。"),
        ("zh", "红隼不否认参与其中。"),
    ],
)
def test_who_does_not_deny_is_not_quoted_as_denying(
    make_report: ReportFactory, language: Language, sentence: str
) -> None:
    assert find_statements([make_report(sentence, language=language)], "denial", language) == []


@pytest.mark.parametrize(
    ("language", "text", "is_quoted"),
    [
        (
            "en",
            "Kestrel said that all coins are safe. Kestrel did not respond to a request for comment.",
            False,
        ),
        ("en", "“All is safe,” said Kestrel chief Ada Lindqvist. Kestrel declined to comment.", False),
        ("en", "Harrow sued Kestrel on Monday. Kestrel declined to comment.", True),
        ("en", "Harrow said that Kestrel lost the coins. Kestrel declined to comment.", True),
        ("ja", "ケストレルは資産は安全だと述べた。ケストレルはコメントに応じなかった。", False),
        ("ja", "当局はケストレルを提訴した。ケストレルはコメントに応じなかった。", True),
        ("zh", "币安表示资产安全。币安暂未回应置评请求。", False),
    ],
)
def test_a_party_that_is_quoted_has_not_refused_a_comment(
    make_report: ReportFactory, language: Language, text: str, is_quoted: bool
) -> None:
    assert bool(find_statements([make_report(text, language=language)], "no_comment", language)) is is_quoted


@pytest.mark.parametrize(
    "text",
    [
        "Orrin lost $9 million.\nSign up for the free newsletter of our site. It has denied any role.",
        "Ada Lindqvist said that the vault is safe.\nWhat Max Bergman says\nHe denied that he took coins.",
        "Harrow opened a vault in Riga.\nThe view of Orrin\nIt denied any role in the hack.",
    ],
)
def test_a_denial_behind_a_line_of_the_page_is_not_quoted(make_report: ReportFactory, text: str) -> None:
    assert find_statements([make_report(f"Quillport opened a vault. {text}")], "denial", "en") == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("zh", "各位读者，我们否认这次监管是必要的。"),
        ("en", "Dear community of traders. We denied that rules are needed for years."),
    ],
)
def test_the_author_of_an_opinion_gives_no_denial(
    make_report: ReportFactory, language: Language, text: str
) -> None:
    assert find_statements([make_report(text, language=language)], "denial", language) == []
