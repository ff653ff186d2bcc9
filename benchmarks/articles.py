"""Measures how fast texts are matched and corrected, compared with the bare automaton and textlint with prh.

    python -m benchmarks.articles --texts FOLDER [--mb 10] [--patterns 15000] [--textlint]

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
from benchmarks import hostile_texts, textlint

ROOT = Path(__file__).parents[1]
PLANTED_EVERY = 450
UNSEEN = "\x01\x02\x03\x04\x05\x06\x07\x0e"
"""Characters that no text holds. With up to three of them the automaton would only look for those."""
TEXTLINT_SAMPLE = 0.1
"""MB that textlint is given, since it takes minutes for more."""
_IN_A_SENTENCE = re.compile(r"(?<=[a-z]) (?=[a-z])|[、，]")
"""Where a name is planted."""
SENTENCES: dict[Language, str] = {
    "en": "The network processed more transactions this week, and fees fell by 3.5% to a new low. ",
    "ja": "今週はネットワークの取引が増え、手数料は3.5%下がって過去最低となった。利用者は地域ごとに違う。",
    "zh": "本周网络处理的交易增加，手续费下降3.5%，创下新低。各地用户的反应并不相同，市场仍在观望。",
}


def default_packs() -> list[Pack]:
    """The packs that the service starts with."""
    files = [
        *(ROOT / "backend/entities/data").glob("*.yaml"),
        *(ROOT / "backend/articles/packs").glob("*.yaml"),
    ]
    return [
        Pack.model_validate(yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)) for path in sorted(files)
    ]


def generated_pack(patterns: int, chance: Random) -> Pack:
    """Names that look like those of projects, each with two wrong spellings: three surfaces each."""
    syllables = [c + v + e for c in "bdfgklmnprstvz" for v in "aeiou" for e in ("", "n", "r", "x")]
    kana = "アイウエオカキクケコサシスセソタチツテトナニネノハヒフヘホマミムメモラリルレロ"
    entities, rules = [], []
    for number in range(max(patterns, 0) // 3):
        if number % 4 == 3:
            name = "".join(chance.choices(kana, k=7))
            wrong = [name[:3] + "ー" + name[3:], name[:5] + name[6:]]
        else:
            name = "".join(chance.choices(syllables, k=4)).capitalize()
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


def packs_for(patterns: int) -> list[Pack]:
    """The default packs and as many generated names as are missing."""
    packs = default_packs()
    have = len(compile_rules(packs).surfaces)
    return [*packs, generated_pack(patterns - have, Random(1))]


def texts_of(folder: Path | None) -> list[tuple[str, Language]]:
    """Texts with their languages."""
    if folder is None:
        return [(SENTENCES[language] * 60, language) for language in LANGUAGES]
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    articles = [json.loads(line) for line in lines]
    return [(article["content"], article["language"]) for article in articles if article.get("content")]


def planted(texts: Iterable[tuple[str, Language]], rules: RuleSet, chance: Random) -> Iterator[Article]:
    """Articles with a wrong form of some name every :data:`PLANTED_EVERY` characters or so."""
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
        for at in range(PLANTED_EVERY, len(text), PLANTED_EVERY):
            place = _IN_A_SENTENCE.search(text, max(at, done))
            if place is None:
                break
            space = " " if place.group() == " " else ""
            parts += text[done : place.end()], chance.choice(wrong[language]), space
            done = place.end()
        yield Article(id=str(number), content="".join(parts) + text[done:], language=language)


def repeated(texts: list[tuple[str, Language]], size: int) -> Iterator[tuple[str, Language]]:
    """``texts`` over and over until they hold ``size`` bytes."""
    while True:
        for text, language in texts:
            size -= len(text.encode())
            yield text, language
            if size <= 0:
                return


def timed(work: Callable[[], object], runs: int = 3) -> float:
    """The shortest CPU time of some runs, in seconds."""
    best = float("inf")
    for _ in range(runs):
        gc.collect()
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def bare(automaton: AhoCorasick, texts: list[str]) -> Callable[[], None]:
    def work() -> None:
        for text in texts:
            automaton.find_matches_as_indexes(text, overlapping=True)

    return work


def automaton_of(surfaces: Iterable[str]) -> AhoCorasick:
    return AhoCorasick(list(surfaces), MatchKind.Standard, False, Implementation.ContiguousNFA)


def megabytes(articles: Iterable[Article]) -> float:
    return sum(len((article.content or "").encode()) for article in articles) / 1e6


def measure_speed(rules: RuleSet, articles: list[Article]) -> None:
    """Prints the table of speeds."""
    size = megabytes(articles)
    folded = [fold(article.content or "").text for article in articles]
    # What ends in a character that no text holds is followed as far as the names are, but never found.
    unfound = (surface + UNSEEN[k % len(UNSEEN)] for k, surface in enumerate(dict.fromkeys(rules.surfaces)))
    yardstick = bare(automaton_of(unfound), folded)
    overlapping = bare(automaton_of(dict.fromkeys(rules.surfaces)), folded)
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

    first = size / timed(full, runs=1)
    # By turns, since what else the machine does makes it slower for seconds.
    works = (yardstick, overlapping, full, correct_archive)
    rounds = [[timed(work, runs=1) for work in works] for _ in range(5)]
    *times, archive_time = (min(times) for times in zip(*rounds, strict=True))
    none, every, speed = (size / each for each in times)
    each = ", ".join(f"{count / size:,.0f} {what}" for what, count in counts.items())
    print(f"{size:.1f} MB in {len(articles)} articles, for each MB {each}")
    print(f"bare automaton, no hits       {none:8.1f} MB/s")
    print(f"bare automaton, overlapping   {every:8.1f} MB/s")
    share = f"{speed / none:.1%} of no hits"
    print(f"full scan with JSON           {speed:8.1f} MB/s  = {share}")
    print(f"  when names are first seen   {first:8.1f} MB/s")
    print(f"archive corrected and scanned {archived / archive_time:8.1f} MB/s  (goal 5)")


def measure_textlint(rules: RuleSet, packs: list[Pack], articles: list[Article]) -> None:
    """Prints how much longer textlint takes for some of the texts, which are the same for both."""
    sample: list[Article] = []
    for article in Random(3).sample(articles, len(articles)):
        sample.append(article)
        if megabytes(sample) >= TEXTLINT_SAMPLE:
            break
    with TemporaryDirectory() as folder:
        theirs = textlint.measure(packs, [article.content or "" for article in sample], Path(folder))
    results = [scan(rules, article) for article in sample]
    ours = timed(lambda: [orjson.dumps(scan(rules, article)) for article in sample], runs=20)
    corrections = sum(len(result["corrections"]) for result in results)
    size = megabytes(sample)
    print(f"textlint with prh             {size / theirs.correcting:8.4f} MB/s", end="")
    print(f"  = ours is {theirs.correcting / ours:,.0f} times as quick (goal 1,000), and", end="")
    print(f" {theirs.in_all / ours:,.0f} times where its start and its reading of rules count")
    print(f"  corrections in its texts    {theirs.corrections:8}, ours {corrections}")


def sets_of(patterns: int) -> dict[str, list[Pack]]:
    return {
        "generated names alone": [generated_pack(patterns, Random(1))],
        "the default pack, filled up with generated names": packs_for(patterns),
    }


def measure_memory(patterns: int) -> None:
    """Prints the memory that the rules take in this, a fresh process."""
    process = psutil.Process()
    packs_for(10)
    gc.collect()
    before = process.memory_info().rss
    packs = packs_for(patterns)
    rules = compile_rules(packs)
    del packs
    gc.collect()
    taken = (process.memory_info().rss - before) / 1e6
    print(f"{len(rules.surfaces)} surfaces take {taken:.1f} MB (goal 50)")


def measure_hostile(rules: RuleSet, size: int = 200_000) -> None:
    """Prints the time for each hostile field and what doubling it costs: the mean of two doublings, since one
    may be what no longer fits into a cache."""

    def spent(text: str, runs: int) -> float:
        return timed(lambda: scan(rules, Article(content=text, language="en")), runs)

    def growth(quarter: float, whole: float) -> float:
        return float((whole / quarter) ** 0.5)

    def is_slow(quarter: float, whole: float) -> bool:
        return whole >= 1 or (whole >= 0.05 and growth(quarter, whole) > 2.5)

    for name, text in hostile_texts.all_of(size).items():
        part = text[: len(text) // 4]
        quarter, whole = spent(part, 2), spent(text, 2)
        if is_slow(quarter, whole):  # or something else kept the machine busy meanwhile
            quarter, whole = spent(part, 10), spent(text, 10)
        verdict = "  <- too slow" if is_slow(quarter, whole) else ""
        print(f"  {name:42} {whole * 1000:8.1f} ms, each doubling x {growth(quarter, whole):.2f}{verdict}")


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--texts", type=Path, help="folder with JSON Lines of articles")
    options.add_argument("--mb", type=float, default=10)
    options.add_argument("--patterns", type=int, default=15_000)
    options.add_argument("--textlint", action="store_true", help="compare with textlint (needs node and npm)")
    options.add_argument("--memory", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.memory:
        measure_memory(given.patterns)
        return
    command = [sys.executable, "-m", "benchmarks.articles", "--memory", "--patterns", str(given.patterns)]
    subprocess.run(command, check=True, cwd=ROOT)
    texts = list(repeated(texts_of(given.texts), int(given.mb * 1e6)))
    for name, packs in sets_of(given.patterns).items():
        rules = compile_rules(packs)
        built = timed(partial(compile_rules, packs))
        print(f"\n{name}: {len(rules.surfaces)} surfaces built in {built:.3f} s (goal 0.5)")
        # Without this every collection walks the rules, which never change: what serves them does so too.
        gc.collect()
        gc.freeze()
        articles = list(planted(texts, rules, Random(2)))
        measure_speed(rules, articles)
        if given.textlint:
            measure_textlint(rules, packs, articles)
    print("\nhostile fields of 200 KB (goal: each below 1 s, doubling at most 2.5 times):")
    measure_hostile(rules)


if __name__ == "__main__":
    main()
