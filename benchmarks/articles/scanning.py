"""Measures how fast texts are matched and corrected, compared with the bare automaton and textlint with prh.

    python -m benchmarks.articles.scanning --texts FOLDER [--mb 10] [--patterns 15000] [--textlint]

It uses one process on one core. ``FOLDER`` contains JSON Lines of articles; without it the text is generated.
All figures are CPU times of one run: on a shared machine compare ratios, not runs.

There are two sets with the same number of patterns. The first has only generated names, which do not occur
in the texts, so only planted ones are found. The second extends the default pack; real texts contain several
times as many matches, because every "Bitcoin" must be evaluated and reported.
"""

import argparse
import gc
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import orjson
import psutil
import yaml
from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from backend.articles.engine import scan
from backend.articles.files import json_lines
from backend.articles.matching.meanings import Kind, scope_bit
from backend.articles.matching.rule_set import RuleSet, compile_rules
from backend.articles.model import Pack
from backend.articles.schemas import Article
from backend.articles.text.folding import fold
from backend.entities.model import LANGUAGES, Language
from benchmarks.articles import hostile_texts, textlint

ROOT = Path(__file__).parents[2]
CHARS_PER_ERROR = 450
UNUSED_CHARS = "\x01\x02\x03\x04\x05\x06\x07\x0e"
"""Characters that occur in no text. The automaton has a fast path for up to three start characters."""
TEXTLINT_SAMPLE_MB = 0.1
"""Size of the texts for textlint, which takes minutes for more."""
_INSERTION_POINT = re.compile(r"(?<=[a-z]) (?=[a-z])|[、，]")
"""Position at which a wrong name is inserted."""
SENTENCES: dict[Language, str] = {
    "en": "The network processed more transactions this week, and fees fell by 3.5% to a new low. ",
    "ja": "今週はネットワークの取引が増え、手数料は3.5%下がって過去最低となった。利用者は地域ごとに違う。",
    "zh": "本周网络处理的交易增加，手续费下降3.5%，创下新低。各地用户的反应并不相同，市场仍在观望。",
}


def load_default_packs() -> list[Pack]:
    """Load the packs that the service starts with."""
    files = [
        *(ROOT / "backend/entities/data").glob("*.yaml"),
        *(ROOT / "backend/articles/packs").glob("*.yaml"),
    ]
    return [
        Pack.model_validate(yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)) for path in sorted(files)
    ]


def generate_pack(patterns: int, rng: Random) -> Pack:
    """Generate names similar to project names, each with two wrong spellings: three surfaces each."""
    syllables = [c + v + e for c in "bdfgklmnprstvz" for v in "aeiou" for e in ("", "n", "r", "x")]
    kana = "アイウエオカキクケコサシスセソタチツテトナニネノハヒフヘホマミムメモラリルレロ"
    entities, rules = [], []
    for number in range(max(patterns, 0) // 3):
        if number % 4 == 3:
            name = "".join(rng.choices(kana, k=7))
            wrong = [name[:3] + "ー" + name[3:], name[:5] + name[6:]]
        else:
            name = "".join(rng.choices(syllables, k=4)).capitalize()
            wrong = [name[:3] + name[4:], name[:4] + "h" + name[4:]]
        entities.append({"id": f"made-{number}", "type": "asset", "names": {"en": name}})
        rules.append(
            {
                "id": f"made-spelling-{number}",
                "entity": f"made-{number}",
                "type": "forbidden_variant",
                "match": wrong,
                "auto_fix": True,
                "specs": [{"from": "x", "to": "x"}],
            }
        )
    return Pack.model_validate({"version": 1, "entities": entities, "rules": rules})


def build_packs(patterns: int) -> list[Pack]:
    """Combine the default packs with generated names up to the number of patterns."""
    packs = load_default_packs()
    have = len(compile_rules(packs).surfaces)
    return [*packs, generate_pack(patterns - have, Random(1))]


def load_texts(folder: Path | None) -> list[tuple[str, Language]]:
    """Load texts with their languages."""
    if folder is None:
        return [(SENTENCES[language] * 60, language) for language in LANGUAGES]
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    articles = [json.loads(line) for line in lines]
    return [(article["content"], article["language"]) for article in articles if article.get("content")]


def insert_errors(texts: Iterable[tuple[str, Language]], rules: RuleSet, rng: Random) -> Iterator[Article]:
    """Generate articles with a wrong name about every :data:`CHARS_PER_ERROR` characters."""
    wrong: dict[Language, list[str]] = {language: [] for language in LANGUAGES}
    for listed in rules.meanings:
        for meaning in listed:
            if meaning.kind is Kind.WRONG and not meaning.context:
                for language in LANGUAGES:
                    if meaning.scope & scope_bit(language, "content"):
                        wrong[language].append(meaning.raw)
    for number, (text, language) in enumerate(texts):
        parts: list[str] = []
        done = 0
        for at in range(CHARS_PER_ERROR, len(text), CHARS_PER_ERROR):
            place = _INSERTION_POINT.search(text, max(at, done))
            if place is None:
                break
            space = " " if place.group() == " " else ""
            parts += text[done : place.end()], rng.choice(wrong[language]), space
            done = place.end()
        yield Article(id=str(number), content="".join(parts) + text[done:], language=language)


def repeat_texts(texts: list[tuple[str, Language]], size: int) -> Iterator[tuple[str, Language]]:
    """Repeat ``texts`` until they have ``size`` bytes."""
    while True:
        for text, language in texts:
            size -= len(text.encode())
            yield text, language
            if size <= 0:
                return


def measure_cpu_seconds(work: Callable[[], object], runs: int = 3) -> float:
    """Return the shortest CPU time of several runs, in seconds."""
    best = float("inf")
    for _ in range(runs):
        gc.collect()
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def build_bare_search(automaton: AhoCorasick, texts: list[str]) -> Callable[[], None]:
    def work() -> None:
        for text in texts:
            automaton.find_matches_as_indexes(text, overlapping=True)

    return work


def build_automaton(surfaces: Iterable[str]) -> AhoCorasick:
    return AhoCorasick(list(surfaces), MatchKind.Standard, False, Implementation.ContiguousNFA)


def count_megabytes(articles: Iterable[Article]) -> float:
    return sum(len((article.content or "").encode()) for article in articles) / 1e6


def measure_speed(rules: RuleSet, articles: list[Article]) -> None:
    """Print the table of speeds."""
    size = count_megabytes(articles)
    folded = [fold(article.content or "").text for article in articles]
    # What ends in a character that no text holds is followed as far as the names are, but never found.
    unfound = (
        surface + UNUSED_CHARS[k % len(UNUSED_CHARS)]
        for k, surface in enumerate(dict.fromkeys(rules.surfaces))
    )
    yardstick = build_bare_search(build_automaton(unfound), folded)
    overlapping = build_bare_search(build_automaton(dict.fromkeys(rules.surfaces)), folded)
    counts = {"matches": 0, "violations": 0, "corrections": 0, "bytes of JSON": 0}

    def full() -> None:
        counts.update(dict.fromkeys(counts, 0))
        for article in articles:
            result = scan(rules, article)
            counts["matches"] += len(result["matches"])
            counts["violations"] += len(result["violations"])
            counts["corrections"] += len(result["corrections"])
            counts["bytes of JSON"] += len(orjson.dumps(result))

    lines = [orjson.dumps(article.model_dump()) + b"\n" for article in articles]
    archived = sum(map(len, lines)) / 1e6

    def correct_archive() -> None:
        json_lines.scan_lines(rules, "archive.jsonl", 1, lines, fix=True, language=None)

    first = size / measure_cpu_seconds(full, runs=1)
    # By turns, since what else the machine does makes it slower for seconds.
    works = (yardstick, overlapping, full, correct_archive)
    rounds = [[measure_cpu_seconds(work, runs=1) for work in works] for _ in range(5)]
    *times, archive_time = (min(times) for times in zip(*rounds, strict=True))
    none, every, speed = (size / each for each in times)
    each = ", ".join(f"{count / size:,.0f} {name}" for name, count in counts.items())
    print(f"{size:.1f} MB in {len(articles)} articles, for each MB {each}")
    print(f"bare automaton, no hits       {none:8.1f} MB/s")
    print(f"bare automaton, overlapping   {every:8.1f} MB/s")
    share = f"{speed / none:.1%} of no hits"
    print(f"full scan with JSON           {speed:8.1f} MB/s  = {share}")
    print(f"  when names are first seen   {first:8.1f} MB/s")
    print(f"archive corrected and scanned {archived / archive_time:8.1f} MB/s  (goal 5)")


def measure_textlint(rules: RuleSet, packs: list[Pack], articles: list[Article]) -> None:
    """Print how much longer textlint takes for some of the texts, which are the same for both."""
    sample: list[Article] = []
    for article in Random(3).sample(articles, len(articles)):
        sample.append(article)
        if count_megabytes(sample) >= TEXTLINT_SAMPLE_MB:
            break
    with TemporaryDirectory() as folder:
        textlint_result = textlint.measure(packs, [article.content or "" for article in sample], Path(folder))
    results = [scan(rules, article) for article in sample]
    own_seconds = measure_cpu_seconds(
        lambda: [orjson.dumps(scan(rules, article)) for article in sample], runs=20
    )
    corrections = sum(len(result["corrections"]) for result in results)
    size = count_megabytes(sample)
    print(f"textlint with prh             {size / textlint_result.correcting:8.4f} MB/s", end="")
    print(
        f"  = ours is {textlint_result.correcting / own_seconds:,.0f} times as quick (goal 1,000), and",
        end="",
    )
    print(
        f" {textlint_result.in_all / own_seconds:,.0f} times where its start and its reading of rules count"
    )
    print(f"  corrections in its texts    {textlint_result.corrections:8}, ours {corrections}")


def build_pack_sets(patterns: int) -> dict[str, list[Pack]]:
    return {
        "generated names alone": [generate_pack(patterns, Random(1))],
        "the default pack, filled up with generated names": build_packs(patterns),
    }


def measure_memory(patterns: int) -> None:
    """Print the memory that the rules take in this, a fresh process."""
    process = psutil.Process()
    build_packs(10)
    gc.collect()
    before = process.memory_info().rss
    packs = build_packs(patterns)
    rules = compile_rules(packs)
    del packs
    gc.collect()
    megabytes = (process.memory_info().rss - before) / 1e6
    print(f"{len(rules.surfaces)} surfaces take {megabytes:.1f} MB (goal 50)")


def measure_hostile(rules: RuleSet, size: int = 200_000) -> None:
    """Print the time for each hostile field and what doubling it costs: the mean of two doublings, since one
    may be what no longer fits into a cache."""

    def measure_text(text: str, runs: int) -> float:
        return measure_cpu_seconds(lambda: scan(rules, Article(content=text, language="en")), runs)

    def growth(quarter_seconds: float, full_seconds: float) -> float:
        return float((full_seconds / quarter_seconds) ** 0.5)

    def is_slow(quarter_seconds: float, full_seconds: float) -> bool:
        return full_seconds >= 1 or (full_seconds >= 0.05 and growth(quarter_seconds, full_seconds) > 2.5)

    for name, text in hostile_texts.build_texts(size).items():
        part = text[: len(text) // 4]
        quarter_seconds, full_seconds = measure_text(part, 2), measure_text(text, 2)
        if is_slow(quarter_seconds, full_seconds):  # or something else kept the machine busy meanwhile
            quarter_seconds, full_seconds = measure_text(part, 10), measure_text(text, 10)
        verdict = "  <- too slow" if is_slow(quarter_seconds, full_seconds) else ""
        factor = growth(quarter_seconds, full_seconds)
        print(f"  {name:42} {full_seconds * 1000:8.1f} ms, each doubling x {factor:.2f}{verdict}")


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--texts", type=Path, help="folder with JSON Lines of articles")
    options.add_argument("--mb", type=float, default=10)
    options.add_argument("--patterns", type=int, default=15_000)
    options.add_argument("--textlint", action="store_true", help="compare with textlint (needs node and npm)")
    options.add_argument("--memory", action="store_true", help=argparse.SUPPRESS)
    arguments = options.parse_args()
    if arguments.memory:
        measure_memory(arguments.patterns)
        return
    command = [
        sys.executable,
        "-m",
        "benchmarks.articles.scanning",
        "--memory",
        "--patterns",
        str(arguments.patterns),
    ]
    subprocess.run(command, check=True, cwd=ROOT)
    texts = list(repeat_texts(load_texts(arguments.texts), int(arguments.mb * 1e6)))
    for name, packs in build_pack_sets(arguments.patterns).items():
        rules = compile_rules(packs)
        built = measure_cpu_seconds(partial(compile_rules, packs))
        print(f"\n{name}: {len(rules.surfaces)} surfaces built in {built:.3f} s (goal 0.5)")
        # Without this every collection walks the rules, which never change: what serves them does so too.
        gc.collect()
        gc.freeze()
        articles = list(insert_errors(texts, rules, Random(2)))
        measure_speed(rules, articles)
        if arguments.textlint:
            measure_textlint(rules, packs, articles)
    print("\nhostile fields of 200 KB (goal: each below 1 s, doubling at most 2.5 times):")
    measure_hostile(rules)


if __name__ == "__main__":
    main()
