"""Tests a user's own asset file, and the error message for each mistake in it."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from textwrap import dedent

import pytest

from backend.markets.assets import registry
from backend.markets.assets.asset_file import AssetFileError
from backend.markets.assets.registry import AssetRegistry, load_assets

SHIPPED_FILE = """
assets:
  - id: alpha
    name: Alpha
    symbol: ALP
    datasrc1_slug: alpha-slug
    cmc_id: 7
    datasrc2_id: alpha-gecko
    pegged_to: usd
    max_supply: "1000000"
    platforms: {ethereum: "0x00000000000000000000000000000000000000aa"}
    urls:
      website: [https://alpha.example]
      reddit: [https://www.reddit.com/r/alpha]
  - id: beta
    name: Beta
    symbol: BET
    datasrc2_id: beta-gecko
"""

Load = Callable[[str], AssetRegistry]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    shipped = tmp_path / "shipped.yaml"
    shipped.write_text(SHIPPED_FILE, encoding="utf-8")
    monkeypatch.setattr(registry, "SHIPPED_FILE", shipped)

    def load(text: str) -> AssetRegistry:
        own = tmp_path / "own.yaml"
        own.write_text(dedent(text), encoding="utf-8")
        return load_assets(own)

    return load


def refusal(load: Load, text: str) -> str:
    with pytest.raises(AssetFileError) as refused:
        load(text)
    return str(refused.value)


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "assets:\ndisable:\n", "assets: []\n", "{}"])
def test_an_empty_file_changes_nothing(load: Load, text: str) -> None:
    assert load(text).all == load_assets().all


def test_a_new_asset_comes_after_the_shipped_ones(load: Load) -> None:
    registry = load("assets:\n  - {id: gamma, name: Gamma, symbol: GAM, date_launched: 2025-02-28}")
    assert [asset.id for asset in registry] == ["alpha", "beta", "gamma"]
    assert str(registry.by_id["gamma"].date_launched) == "2025-02-28"
    assert registry.by_id["gamma"].urls.website == ()


def test_a_bare_list_of_entries_is_accepted(load: Load) -> None:
    assert "gamma" in load("- {id: gamma, name: Gamma, symbol: GAM}").by_id


def test_an_entry_with_a_known_id_replaces_only_its_fields(load: Load) -> None:
    alpha = load(
        """
        assets:
          - id: alpha
            name: Alpha Two
            urls: {reddit: [https://www.reddit.com/r/two]}
        """
    ).by_id["alpha"]
    assert (alpha.name, alpha.symbol, alpha.cmc_id) == ("Alpha Two", "ALP", 7)
    assert alpha.max_supply == Decimal(1_000_000)
    assert alpha.urls.website == ("https://alpha.example",)
    assert alpha.urls.reddit == ("https://www.reddit.com/r/two",)


def test_a_changed_asset_keeps_its_place(load: Load) -> None:
    assert [asset.id for asset in load("[{id: alpha, name: Other}]")] == ["alpha", "beta"]


def test_new_platforms_replace_the_main_contract(load: Load) -> None:
    contract = "0x00000000000000000000000000000000000000bb"
    alpha = load(f'[{{id: alpha, platforms: {{base: "{contract}"}}}}]').by_id["alpha"]
    assert dict(alpha.platforms) == {"base": contract}
    assert alpha.address == contract


def test_null_clears_a_field(load: Load) -> None:
    alpha = load("[{id: alpha, datasrc1_slug: null, pegged_to: ~, urls: {website: }}]").by_id["alpha"]
    assert (alpha.datasrc1_slug, alpha.pegged_to, alpha.urls.website) == (None, None, ())
    assert alpha.urls.reddit


def test_replace_true_replaces_the_whole_entry(load: Load) -> None:
    alpha = load("[{id: alpha, replace: true, name: New, symbol: NEW}]").by_id["alpha"]
    assert (alpha.name, alpha.symbol, alpha.datasrc2_id, alpha.max_supply) == ("New", "NEW", None, None)
    assert dict(alpha.platforms) == {}
    assert alpha.urls.website == ()


@pytest.mark.parametrize(
    "text", ["[{id: beta, enabled: false}]", "disable: [beta]", "disable:\n  - beta\n  - beta\n"]
)
def test_an_asset_is_disabled_by_its_entry_or_by_the_list(load: Load, text: str) -> None:
    registry = load(text)
    assert [asset.id for asset in registry.enabled] == ["alpha"]
    assert registry.by_id["beta"].datasrc2_id == "beta-gecko"


def test_the_provider_ids_of_a_disabled_asset_can_be_reassigned(load: Load) -> None:
    registry = load(
        """
        - {id: beta, enabled: false, datasrc2_id: null}
        - {id: beta-two, name: Beta, symbol: BET, datasrc2_id: beta-gecko}
        """
    )
    found = registry.resolve("beta-gecko", {})
    assert found is registry.by_id["beta-two"]


NEW = "id: gamma, name: Gamma, symbol: GAM"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        # YAML's traps
        ("[{id: gamma, name: Gamma, symbol: ON}]", "field 'symbol': is read by YAML as the truth value true"),
        (
            "[{id: gamma, name: Gamma, symbol: NO}]",
            "field 'symbol': is read by YAML as the truth value false",
        ),
        (
            "[{id: gamma, name: Gamma, symbol: 888}]",
            "field 'symbol': is read by YAML as a number, not as text",
        ),
        ("[{id: gamma, name: Gamma, symbol: 1e3}, {}]", "field 'id': is missing"),
        (
            "[{id: gamma, name: Gamma, symbol: 1.5}]",
            "is read by YAML as a number, not as text: put it in quotes",
        ),
        ("[{id: gamma, name: 1_000, symbol: GAM}]", "field 'name': is read by YAML as a number"),
        ("[{id: 42, name: Gamma, symbol: GAM}]", "entry 1, field 'id': is not read by YAML as text"),
        (f"[{{{NEW}, address: 0xaf}}]", "field 'address': is read by YAML as a number, not as text"),
        (
            f"[{{{NEW}, platforms: {{ethereum: 0xaf}}}}]",
            "field 'platforms.ethereum': is read by YAML as a num",
        ),
        (f"[{{{NEW}, platforms: {{NO: x}}}}]", "line 1: the name before a colon is not read by YAML as text"),
        (
            f"[{{{NEW}, max_supply: 21000000}}]",
            "field 'max_supply': is read by YAML as a number, not as text",
        ),
        (f"[{{{NEW}, enabled: 'no'}}]", "field 'enabled': must be true or false"),
        (f"[{{{NEW}, infinite_supply: 1}}]", "field 'infinite_supply': must be true or false"),
        (f"[{{{NEW}, cmc_id: '7'}}]", "field 'cmc_id': must be a whole number above zero"),
        (f"[{{{NEW}, cmc_id: true}}]", "field 'cmc_id': must be a whole number above zero"),
        (f"[{{{NEW}, cmc_id: 0}}]", "field 'cmc_id': must be a whole number above zero"),
        # values
        ("[{id: Gamma, name: Gamma, symbol: GAM}]", "entry 1 ('Gamma'), field 'id': must be lower-case"),
        ("[{id: '404', name: Gamma, symbol: GAM}]", "field 'id': must be lower-case letters, digits"),
        ("[{id: gamma, name: ' Gamma', symbol: GAM}]", "field 'name': must not be empty, nor begin or end"),
        ('[{id: gamma, name: "Gam\\u200bma", symbol: GAM}]', "field 'name': holds a line break or an invis"),
        ('[{id: gamma, name: "Gam\\ud800ma", symbol: GAM}]', "own.yaml"),
        ("[{id: gamma, name: Gamma, symbol: G A}]", "field 'symbol': must be at most 32 characters"),
        ("[{id: gamma, name: [Gamma], symbol: GAM}]", "field 'name': must be text: put it in quotes"),
        (f"[{{{NEW}, datasrc2_id: 'a,b'}}]", "field 'datasrc2_id': must be the provider's id without spaces"),
        (f"[{{{NEW}, pegged_to: gold}}]", "field 'pegged_to': must be one of 'usd', 'eur'"),
        (f"[{{{NEW}, date_launched: 2025-02-30}}]", "field 'date_launched': must be a calendar day"),
        (f"[{{{NEW}, genesis_date: 2025}}]", "field 'genesis_date': must be a day written as 2020-12-31"),
        (f"[{{{NEW}, max_supply: '1e9'}}]", "field 'max_supply': must be a number above zero in quotes"),
        (f"[{{{NEW}, max_supply: '0'}}]", "field 'max_supply': must be a number above zero in quotes"),
        (f"[{{{NEW}, max_supply: '5', infinite_supply: true}}]", "infinite_supply and max_supply contradict"),
        (
            f"[{{{NEW}, platforms: {{ethereum: '0xaf'}}}}]",
            "the contract on 'ethereum' must be 0x and 40 hexa",
        ),
        (f"[{{{NEW}, platforms: [ethereum]}}]", "field 'platforms': must be a mapping of names to values"),
        (
            f"[{{{NEW}, categories: [DeFi]}}]",
            "field 'categories[0]': must be a list, as in [a, b]; categories",
        ),
        (f"[{{{NEW}, categories: [[]]}}]", "field 'categories[0]': must not be an empty list"),
        (f"[{{{NEW}, urls: https://a.example}}]", "field 'urls': must be a mapping of names to values"),
        (f"[{{{NEW}, urls: {{website: https://a.example}}}}]", "field 'urls.website': must be a list"),
        (f"[{{{NEW}, urls: {{website: ['http://a.example']}}}}]", "'urls.website[0]': must be a whole https"),
        (f"[{{{NEW}, urls: {{website: ['javascript:alert(1)']}}}}]", "'urls.website[0]': must be a whole"),
        (
            f"[{{{NEW}, urls: {{website: ['https://[a']}}}}]",
            "'urls.website[0]': must be a whole https address",
        ),
        # fields and entries
        ("[{id: gamma, name: Gamma}]", "entry 1 ('gamma'), field 'symbol': is missing: every asset needs it"),
        ("[{name: Gamma, symbol: GAM}]", "entry 1, field 'id': is missing: every entry needs the asset's id"),
        (
            f"[{{{NEW}, symbl: X}}]",
            "field 'symbl': is not a field (did you mean 'symbol'?): correct or remove",
        ),
        (f"[{{{NEW}, urls: {{web: []}}}}]", "field 'urls.web': is not a field"),
        ("[{id: alpah, enabled: false}]", "no asset 'alpah' is known (did you mean 'alpha'?)"),
        ("[{id: alpha, name: null}]", "field 'name': is missing"),
        ("[{id: alpha, replace: maybe}]", "field 'replace': must be true or false"),
        (f"[{{{NEW}, replace: true}}]", "field 'replace': there is no such asset to replace"),
        ("[alpha]", "entry 1: must be a mapping that begins with 'id:'"),
        ("assets: alpha", "field 'assets': must be a list of entries"),
        ("alpha", "must hold a list under 'assets:'"),
        ("disabled: [alpha]", "field 'disabled': is not known at the top of the file"),
        ("disable: alpha", "field 'disable': must be a list of asset ids"),
        ("disable: [NO]", "field 'disable[0]': is not text: put the asset's id in quotes"),
        ("disable: [alpha, bta]", "field 'disable[1]': there is no asset 'bta' (did you mean 'beta'?)"),
        ("disable: [beta]\nassets: [{id: beta, enabled: true}]", "'beta' is also enabled by its entry"),
        # two of one kind
        ("- {id: beta}\n- {id: beta}", "entry 2 ('beta'), field 'id': is already that of entry 1"),
        ("[{id: beta, datasrc2_id: alpha-gecko}]", "'alpha-gecko' belongs to both 'alpha' and 'beta'"),
        ("[{id: beta, datasrc1_slug: alpha-slug}]", "'alpha-slug' belongs to both 'alpha' and 'beta'"),
        (
            "[{id: beta, cmc_id: 7}]",
            "entry 1 ('beta'), field 'cmc_id': '7' belongs to both 'alpha' and 'beta'",
        ),
        (
            "[{id: alpha, datasrc2_id: beta-gecko}]",
            "entry 1 ('alpha'), field 'datasrc2_id': 'beta-gecko' belongs",
        ),
        ("- id: beta\n  name: One\n  name: Two", "line 3: 'name' is given twice in one mapping"),
        ("assets: []\nassets: []", "line 2: 'assets' is given twice in one mapping"),
        # no YAML at all
        ("assets: [", "own.yaml: line"),
        ("a: 1\n---\nb: 2", "own.yaml: line"),
        ("- !!python/object/apply:os.getcwd []", "own.yaml: line 1: could not determine a constructor"),
        ("- !!timestamp 2025-02-30", "holds a value that YAML cannot read"),
        ("? [a]\n: b", "line 1: the name before a colon is not read by YAML as text"),
        ("- {id: alpha, on: 1}", "line 1: the name before a colon is not read by YAML as text"),
    ],
)
def test_each_mistake_has_its_message(load: Load, text: str, sentence: str) -> None:
    message = refusal(load, text)
    assert sentence in message
    assert "own.yaml" in message


def test_all_issues_of_a_file_are_reported_at_once(load: Load) -> None:
    with pytest.raises(AssetFileError) as refused:
        load("- {id: gamma, symbol: NO}\n- {id: beta, colour: red}\n- 5\n")
    assert len(refused.value.issues) == 4
    assert str(refused.value).splitlines() == [str(fault) for fault in refused.value.issues]
    assert {(fault.entry, fault.field) for fault in refused.value.issues} == {
        (1, "name"),
        (1, "symbol"),
        (2, "colour"),
        (3, None),
    }


def test_an_issue_is_a_value_error_that_never_contains_the_value(load: Load) -> None:
    with pytest.raises(ValueError) as refused:
        load(f"[{{{NEW}, urls: {{website: ['http://user:hunter2@a.example']}}}}]")
    assert "hunter2" not in str(refused.value)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_bytes(b"- id: \xff\xfe\xfa")
    with pytest.raises(AssetFileError, match=r"own\.yaml: is not valid YAML in UTF-8"):
        load_assets(own)


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssetFileError, match="cannot be read: Is a directory"):
        load_assets(tmp_path)


def test_very_deep_nesting_is_refused_with_a_message(load: Load) -> None:
    assert "own.yaml" in refusal(load, "[" * 20_000)


def test_anchors_and_merge_keys_work_and_explicit_keys_win(load: Load) -> None:
    registry = load(
        """
        - &base {id: gamma, name: Gamma, symbol: GAM, pegged_to: eur}
        - {<<: *base, id: delta, name: Delta}
        """
    )
    delta = registry.by_id["delta"]
    assert (delta.name, delta.symbol, delta.pegged_to) == ("Delta", "GAM", "eur")


def test_an_issue_of_the_shipped_file_names_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = tmp_path / "shipped.yaml"
    shipped.write_text("assets: [{id: a, name: A, symbol: A, replace: true}]", encoding="utf-8")
    monkeypatch.setattr(registry, "SHIPPED_FILE", shipped)
    with pytest.raises(AssetFileError) as refused:
        load_assets()
    assert "shipped.yaml, entry 1 ('a'), field 'replace': is for a user's own file" in str(refused.value)
