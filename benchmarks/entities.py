"""
How well and how fast entities are found: python -m benchmarks.entities [--json] [--sentences N]

Recall of persons, companies and products on annotated sentences of ../shared/data, where it is there, by rules and
dictionary, by GiNZA, and by both; recall and precision of project numbers and dates on sentences that are made here;
milliseconds a query.
"""

import json
import random
import time
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.bars import SHARED, Bar, tell

ROOT = Path(__file__).resolve().parents[1]
ANNOTATED = SHARED / "nlp/ner_ja_ko/stockmark_ja.jsonl"
_TYPES = {"人名": "PERSON", "法人名": "ORG", "製品名": "PRODUCT"}
_KANJI = "〇一二三四五六七八九"
_WIDE = str.maketrans("0123456789-EVSTHRPJIQA/.", "０１２３４５６７８９－ＥＶＳＴＨＲＰＪＩＱＡ／．")
_FRAMES = (
    "{} の進捗を教えてください",
    "会議は{}に開かれる",
    "{}に{}の報告書を出した。",
    "資料「{}」を{}までに直す",
    "{}、{}、第3版、12台",
    "電話03-1234-5678、{}について",
    "お客様の{}は1,200円で承認",
)
Found = tuple[str, str]  # type and value
Span = tuple[int, int, str]


def measure(
    sentences: Annotated[int, typer.Option(help="Annotated sentences to read.")] = 1500,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Measure."""
    from components.query.entity_recognizer import EntityRecognizer
    from components.query.query_expander import QueryExpander

    files = {"rules": str(ROOT / "config/entities.yaml"), "vocabulary": str(ROOT / "config/domain_terms.yaml")}
    rules = EntityRecognizer(**files, model=None, cache_size=0)
    both = EntityRecognizer(**files, cache_size=0)
    expander = QueryExpander(vocabulary=files["vocabulary"], synonyms=str(ROOT / "config/synonyms"))
    for part in (rules, both, expander):
        part.warm_up()
    made = list(_generated(300))
    recall, precision = _numbers_and_dates(rules, made)
    queries = [text for text, _ in made]
    results: dict[str, Any] = {}
    times = {
        "rules": _p95(queries, lambda query: rules.run(query=query)),
        "rules and GiNZA": _p95(queries, lambda query: both.run(query=query)),
        "rules and rule expansion": _p95(queries, lambda query: (rules.run(query=query), expander.run(query=query))),
    }
    bars = [
        Bar("project numbers and dates, recall", recall, 0.99),
        Bar("project numbers and dates, precision", precision, 0.99),
        Bar("rules and GiNZA, ms P95", times["rules and GiNZA"], 40, most=True),
        Bar("rules and rule expansion, ms P95", times["rules and rule expansion"], 2, most=True),
    ]
    results["ms P95"] = {name: round(value, 2) for name, value in times.items()}
    if ANNOTATED.exists():
        recalls = _recalls(rules, both, sentences)
        results |= recalls
        bars.append(Bar("PERSON, recall by rules and GiNZA", recalls["rules and GiNZA"]["人名"]["exact"], 0.80))
    else:
        results["annotated sentences"] = f"not measured: there is no {ANNOTATED.name}"
    raise typer.Exit(0 if tell("entities", results, bars, as_json) else 1)


def _generated(count: int) -> Iterable[tuple[str, list[Found]]]:
    """Sentences with project numbers and dates in all spellings, and what each holds."""
    rng = random.Random(5)
    for number in range(count):
        frame = _FRAMES[number % len(_FRAMES)]
        makers = [_project, _date] if rng.random() < 0.5 else [_date, _project]
        things = [maker(rng) for maker in makers[: frame.count("{}")]]
        yield frame.format(*(text for text, _ in things)), [found for _, found in things]


def _project(rng: random.Random) -> tuple[str, Found]:
    prefix = rng.choice(["EV", "ST", "HR", "PRJ", "IT", "QA"])
    value = f"{prefix}-{rng.randint(2019, 2027)}-{rng.randint(1, 199):03}"
    text = rng.choice([value, value.lower(), value.translate(_WIDE), value.replace("-", "‐"), value.replace("-", "−")])
    return text, ("PROJECT_ID", value)


def _date(rng: random.Random) -> tuple[str, Found]:
    day = date(1990, 1, 1) + timedelta(days=rng.randint(0, 14000))
    y, m, d = day.year, day.month, day.day
    forms = [
        day.isoformat(),
        f"{y}/{m}/{d}",
        f"{y}.{m:02}.{d:02}",
        f"{y}年{m}月{d}日",
        f"{y}年{m:02}月{d:02}日",
        _era(day),
    ]
    forms += [form.translate(_WIDE) for form in forms]
    forms += [f"{''.join(_KANJI[int(c)] for c in str(y))}年{_kanji(m)}月{_kanji(d)}日"]
    return rng.choice(forms), ("DATE", day.isoformat())


def _era(day: date) -> str:
    for name, first in (("令和", date(2019, 5, 1)), ("平成", date(1989, 1, 8))):
        if day >= first:
            year = day.year - first.year + 1
            return f"{name}{'元' if year == 1 else year}年{day.month}月{day.day}日"
    raise ValueError(day)


def _kanji(number: int) -> str:
    tens, ones = divmod(number, 10)
    return ("" if tens == 0 else "十" if tens == 1 else _KANJI[tens] + "十") + (_KANJI[ones] if ones else "")


def _numbers_and_dates(recognizer: Any, made: list[tuple[str, list[Found]]]) -> tuple[float, float]:
    right = expected = given = 0
    for text, wanted in made:
        entities = recognizer.run(query=text)["entities"]
        found = [(e["type"], e["value"]) for e in entities if e["type"] in ("PROJECT_ID", "DATE")]
        right += sum(thing in found for thing in wanted)
        expected += len(wanted)
        given += len(found)
    return right / expected, right / max(given, 1)


def _p95(queries: list[str], run: Callable[[str], Any]) -> float:
    for query in queries[:20]:
        run(query)
    times = []
    for query in queries:
        started = time.perf_counter()
        run(query)
        times.append((time.perf_counter() - started) * 1000)
    return float(np.percentile(times, 95))


def _recalls(rules: Any, both: Any, count: int) -> dict[str, Any]:
    from haystack import Document

    from components.query.entity_models import load_entity_model

    with ANNOTATED.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rows = random.Random(1).sample(rows, min(count, len(rows)))
    texts = [row["text"] for row in rows]
    started = time.monotonic()
    chunks = [Document(id=str(number), content=text, meta={"language": "ja"}) for number, text in enumerate(texts)]
    both.run(documents=chunks)
    seconds = time.monotonic() - started
    model = [[(s.start, s.end, s.type) for s in spans] for spans in load_entity_model("ja_ginza").find(texts)]
    finders = {"rules": [_spans(rules, text) for text in texts], "GiNZA": model}
    finders["rules and GiNZA"] = [_spans(both, text) for text in texts]
    recalls: dict[str, Any] = {name: _recall(rows, found) for name, found in finders.items()}
    return {**recalls, "sentences": len(rows), "chunks a second": round(len(rows) / seconds, 1)}


def _spans(recognizer: Any, text: str) -> list[Span]:
    return [(e["start"], e["end"], e["type"]) for e in recognizer.run(query=text)["entities"]]


def _recall(rows: list[dict[str, Any]], found: list[list[Span]]) -> dict[str, dict[str, float]]:
    """The share of annotated entities found at the very same place, and somewhere at it, with the same type."""
    answer = {}
    for name, type_ in _TYPES.items():
        wanted = [(e["start"], e["end"], own) for row, own in zip(rows, found, strict=True) for e in _of(row, name)]
        exact = sum((start, end, type_) in own for start, end, own in wanted)
        touched = sum(any(a < end and start < b and t == type_ for a, b, t in own) for start, end, own in wanted)
        total = max(len(wanted), 1)
        answer[name] = {"exact": round(exact / total, 3), "touched": round(touched / total, 3)}
    return answer


def _of(row: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [entity for entity in row["entities"] if entity["type"] == name]


if __name__ == "__main__":
    typer.run(measure)
