"""Fits the weights of the pair model to labelled headlines.

    python -m benchmarks.topics.fit_grouping [--output backend/topics/grouping/data/pair_weights.yaml]

Reads ``benchmarks/data/headlines_fit.jsonl`` and the half ``tuned`` of ``headlines.jsonl``: one JSON object
per line with ``title``, ``language``, ``published_at``, optionally ``text``, and ``story`` (the event).
Headlines with a ``kind`` report no single event and are not used. Each set also counts without texts and with
times that vary by hours, so that the weights depend neither on leads nor on the hours of publication.
"""

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import scipy.optimize
import yaml

from backend.articles.engine import RuleSet
from backend.articles.rules.rules_loader import load_shipped
from backend.topics.grouping.headline_features import Headline, build_headline
from backend.topics.grouping.headline_vectors import Floats
from backend.topics.grouping.pair_features import FEATURE_NAMES
from backend.topics.grouping.pair_model import compute_candidate_features

PENALTY = 10.0
"""Weight of the squared weights (L2), in units of one standard deviation of the feature."""
MAX_JITTER_HOURS = 14.0
DATA = Path(__file__).parents[1] / "data"
FILES = (DATA / "headlines_fit.jsonl", DATA / "headlines.jsonl")
OUTPUT = Path("backend/topics/grouping/data/pair_weights.yaml")
HEADER = """\
# Weights of the features of a pair of headlines (backend/topics/grouping/pair_features.py): `same` for pairs
# in one language, `cross` for pairs in two. Fitted by benchmarks/topics/fit_grouping.py; do not edit by hand.
"""

Labelled = tuple[list[Headline], list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    rules = load_shipped().rules
    sets = [varied for file in FILES for varied in vary(load_labelled(file, rules))]
    samples = [collect_pairs(headlines, stories) for headlines, stories in sets]
    weights = {}
    for kind, is_same in (("same", True), ("cross", False)):
        features = np.concatenate([sample[0][sample[2] == is_same] for sample in samples])
        labels = np.concatenate([sample[1][sample[2] == is_same] for sample in samples])
        fitted = fit(features, labels.astype(np.float64))
        weights[kind] = dict(
            zip((*FEATURE_NAMES, "intercept"), (round(float(w), 3) for w in fitted), strict=True)
        )
        print(f"{kind}: {len(labels):,} pairs, {int(labels.sum()):,} of one event")
    options.output.write_text(HEADER + yaml.safe_dump(weights, sort_keys=False), encoding="utf-8")


def load_labelled(file: Path, rules: RuleSet) -> Labelled:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
    rows = [row for row in rows if "story" in row and row.get("half", "tuned") == "tuned"]
    return [_parse(row, rules) for row in rows], [row["story"] for row in rows]


def _parse(row: dict[str, Any], rules: RuleSet) -> Headline:
    published_at = datetime.fromisoformat(row["published_at"])
    return build_headline(rules, row["title"], row["language"], published_at, row.get("text", ""))


def vary(labelled: Labelled) -> list[Labelled]:
    headlines, stories = labelled
    chance = random.Random(3)
    bare = [
        replace(
            headline,
            lead_words=(),
            lead_features=frozenset(),
            published_at=headline.published_at + timedelta(hours=chance.uniform(0, MAX_JITTER_HOURS)),
        )
        for headline in headlines
    ]
    return [labelled, (bare, stories)]


def collect_pairs(headlines: Sequence[Headline], stories: Sequence[str]) -> tuple[Floats, Any, Any]:
    """Return the features of all candidate pairs, whether each is of one story, and of one language."""
    parts = []
    for first, second, features, is_same_language, _ in compute_candidate_features(headlines):
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        labels = np.array([stories[a] == stories[b] for a, b in pairs], dtype=bool)
        parts.append((features, labels, is_same_language))
    features, labels, same = (np.concatenate(column) for column in zip(*parts, strict=True))
    return features, labels, same


def fit(features: Floats, labels: Floats) -> Floats:
    """Return the weights of a logistic regression with the intercept last."""
    scale = features.std(axis=0) + 1e-9
    columns = np.concatenate([features / scale, np.ones((len(features), 1))], axis=1)

    def compute_loss(weights: Floats) -> tuple[float, Floats]:
        logits = columns @ weights
        loss = np.sum(np.logaddexp(0, logits) - labels * logits) + PENALTY / 2 * np.sum(weights[:-1] ** 2)
        gradient = columns.T @ (1 / (1 + np.exp(-logits)) - labels)
        gradient[:-1] += PENALTY * weights[:-1]
        return float(loss), gradient

    minimize: Any = scipy.optimize.minimize  # untyped
    fitted = minimize(compute_loss, np.zeros(columns.shape[1]), jac=True, method="L-BFGS-B").x
    weights: Floats = np.append(fitted[:-1] / scale, fitted[-1])
    return weights


if __name__ == "__main__":
    main()
