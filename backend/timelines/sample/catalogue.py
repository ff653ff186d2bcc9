"""Lists the invented cases, deductions and bonuses of the sample."""

from collections.abc import Mapping
from typing import NamedTuple


class Loss(NamedTuple):
    """A reason for lost points; ``weight`` is the frequency of being named first."""

    name: str
    description: str
    weight: int


class Gain(NamedTuple):
    name: str
    description: str
    points: int


CASES: Mapping[str, Mapping[str, float]] = {
    "ledger": {
        "ledger/close-the-month": 0.78,
        "ledger/find-the-missing-cent": 0.55,
        "ledger/fix-fee-rounding": 0.86,
        "ledger/import-exchange-csv": 0.72,
        "ledger/reconcile-two-wallets": 0.61,
        "ledger/restate-in-jpy": 0.83,
    },
    "contracts": {
        "contracts/add-pausable": 0.80,
        "contracts/explain-revert": 0.68,
        "contracts/gas-of-a-loop": 0.50,
        "contracts/guard-reentrancy": 0.74,
        "contracts/migrate-storage": 0.42,
        "contracts/write-invariant-tests": 0.58,
    },
    "indexer": {
        "indexer/backfill-a-gap": 0.64,
        "indexer/decode-unknown-event": 0.46,
        "indexer/follow-a-reorg": 0.52,
        "indexer/halve-the-memory": 0.57,
        "indexer/rate-limit-politely": 0.81,
        "indexer/resume-after-crash": 0.70,
    },
    "wallet": {
        "wallet/derive-from-seed": 0.88,
        "wallet/label-addresses": 0.76,
        "wallet/refuse-a-phish": 0.66,
        "wallet/sign-typed-data": 0.71,
        "wallet/split-a-payment": 0.79,
        "wallet/sweep-dust": 0.62,
    },
}
"""The cases by kind, each with the share of points that an average agent gets."""

LOSSES: Mapping[str, tuple[Loss, ...]] = {
    "ledger": (
        Loss("totals_differ", "The totals differ from the expected ones by more than the last digit.", 5),
        Loss("float_money", "An amount passes through a binary float on its way.", 3),
        Loss("rows_dropped", "Rows of the input are missing from the result without a word.", 2),
        Loss("wrote_before_reading", "A file was changed before it was read.", 2),
    ),
    "contracts": (
        Loss("tests_fail", "The hidden tests of the contract do not all pass.", 5),
        Loss("storage_moved", "A storage slot moved, so that the upgrade would corrupt balances.", 2),
        Loss("gas_over_budget", "A call costs more gas than the task allows.", 3),
        Loss("wrote_before_reading", "A file was changed before it was read.", 2),
    ),
    "indexer": (
        Loss("events_missed", "Events of the recorded chain are missing from the index.", 5),
        Loss("duplicates", "Events are indexed twice after the restart.", 3),
        Loss("too_slow", "The backfill took longer than its deadline.", 3),
        Loss("tests_removed", "A failing test was removed instead of mended.", 1),
    ),
    "wallet": (
        Loss("wrong_address", "A derived or labelled address is not the expected one.", 4),
        Loss("unsafe_default", "The key would have been written to the disk in the clear.", 3),
        Loss("unclear_answer", "The explanation does not say which of the two transfers is meant.", 3),
        Loss("wrote_before_reading", "A file was changed before it was read.", 2),
    ),
}
GAINS = (
    Gain("tests_added", "Tests were added that fail without the change.", 3),
    Gain("small_change", "The change is no larger than the reference solution.", 2),
)
