"""Categories of topics."""

import pytest

from backend.articles.engine import RuleSet
from backend.entities.model import Language
from backend.topics.grouping.categories import find_category, find_urgent_kinds
from backend.topics.grouping.publishers import PublisherCatalogue
from backend.topics.model import Category
from tests.backend.topics.grouping.conftest import Make

HACK = "Northwind Exchange hacked for $90M"
CALM = "Northwind Exchange redesigns its app"


@pytest.fixture
def publishers(rules: RuleSet) -> PublisherCatalogue:
    return PublisherCatalogue(rules.entities)


def categorize(publishers: PublisherCatalogue, members: list, **more: object) -> Category:  # type: ignore[type-arg]
    return find_category(members, publishers, **{"about": ["bitcoin"], "is_relevant": True, **more})  # type: ignore[arg-type]


def test_an_incident_reported_by_three_outlets_within_two_hours_is_breaking(
    publishers: PublisherCatalogue, make: Make
) -> None:
    assert categorize(publishers, [make(HACK, minutes=m) for m in (0, 60, 119)]) is Category.BREAKING


def test_the_same_incident_reported_over_a_day_is_important(
    publishers: PublisherCatalogue, make: Make
) -> None:
    assert categorize(publishers, [make(HACK, minutes=m) for m in (0, 300, 900)]) is Category.IMPORTANT


def test_any_two_hours_with_three_outlets_count(publishers: PublisherCatalogue, make: Make) -> None:
    assert categorize(publishers, [make(HACK, minutes=m) for m in (0, 600, 630, 700)]) is Category.BREAKING


def test_two_outlets_are_not_enough(publishers: PublisherCatalogue, make: Make) -> None:
    assert categorize(publishers, [make(HACK), make(HACK)]) is Category.NORMAL


def test_three_articles_of_one_outlet_count_once(publishers: PublisherCatalogue, make: Make) -> None:
    members = [make(HACK, url=f"https://www.coindesk.com/{n}") for n in range(3)]
    assert categorize(publishers, members) is Category.NORMAL


def test_a_widely_reported_topic_is_important(publishers: PublisherCatalogue, make: Make) -> None:
    assert categorize(publishers, [make(CALM) for _ in range(4)]) is Category.IMPORTANT


def test_a_price_move_of_three_sigma_makes_a_topic_breaking(
    publishers: PublisherCatalogue, make: Make
) -> None:
    members = [make(CALM) for _ in range(3)]
    calls = []

    def record_and_confirm(entities: object, at: object) -> bool:
        calls.append((entities, at))
        return True

    assert categorize(publishers, members, moved=record_and_confirm) is Category.BREAKING
    assert calls == [(["bitcoin"], members[0].published_at)]


RELEASE = "SEC approves rule on custody of crypto assets"


def test_a_release_that_nobody_reports_is_normal(publishers: PublisherCatalogue, make: Make) -> None:
    assert categorize(publishers, [make(RELEASE, url="https://www.sec.gov/news/1")]) is Category.NORMAL
    twice = [make(RELEASE, url=f"https://www.sec.gov/news/{n}") for n in range(4)]
    assert categorize(publishers, twice) is Category.NORMAL


def test_a_release_that_an_outlet_reports_within_two_hours_is_breaking(
    publishers: PublisherCatalogue, make: Make
) -> None:
    release = make(RELEASE, url="https://www.sec.gov/news/1")
    assert categorize(publishers, [release, make(RELEASE, minutes=90)]) is Category.BREAKING
    assert categorize(publishers, [release, make(RELEASE, minutes=200)]) is Category.IMPORTANT


def test_a_regulator_on_another_matter_is_normal(publishers: PublisherCatalogue, make: Make) -> None:
    release = make("Approval of application by a savings bank", url="https://www.federalreserve.gov/press/1")
    assert categorize(publishers, [release], about=["federal-reserve"], is_relevant=False) is Category.NORMAL


def test_one_word_in_one_of_many_headlines_makes_no_incident(
    publishers: PublisherCatalogue, make: Make
) -> None:
    members = [make(HACK), *(make(CALM) for _ in range(4))]
    assert categorize(publishers, members) is Category.IMPORTANT


@pytest.mark.parametrize(
    ("title", "language", "kind"),
    [
        ("Attackers drained Northwind's hot wallet", "en", "incident"),
        ("Northwind halts withdrawals", "en", "incident"),
        ("取引所から約90億円が不正流出", "ja", "incident"),
        ("Northwind遭黑客攻击", "zh", "incident"),
        ("Senate passes stablecoin bill", "en", "regulation"),
        ("金融庁、暗号資産の規制見直しへ", "ja", "regulation"),
        ("参议院通过稳定币法案", "zh", "regulation"),
    ],
)
def test_incidents_and_regulation_are_told_in_three_languages(
    title: str, language: Language, kind: str
) -> None:
    assert find_urgent_kinds(title, language)[kind]


@pytest.mark.parametrize(
    ("title", "language"),
    [
        ("Northwind opens a hackathon's doors in Lisbon", "en"),
        ("Billions of tokens unlock next week", "en"),
        ("ノースウィンド、新しいアプリを公開", "ja"),
        ("Northwind推出新应用", "zh"),
    ],
)
def test_calm_headlines_tell_of_neither(title: str, language: Language) -> None:
    assert not any(find_urgent_kinds(title, language).values())
