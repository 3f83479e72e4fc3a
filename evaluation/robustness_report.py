"""What an evaluation of robustness found: tables for programs, text for people, and the bars that it should reach."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.robustness import QueryResult, mean_values, spreads

VARIATION_FILE, ENTITY_FILE, REPORT_FILE = "variation_results.csv", "entity_results.csv", "evaluation_report.txt"
SPREAD = "Spread"
# Part of the summary, measure, bar, and whether more is better.
BARS = (
    ("variation", "MRR", 0.95, True),
    ("variation", SPREAD, 0.1, False),
    ("entity", "Recall", 0.95, True),
    ("entity", "Precision", 0.9, True),
    ("entity", "F1", 0.9, True),
)
_WORST = 20


def summarize(variations: Sequence[QueryResult], entities: Sequence[QueryResult]) -> dict[str, Any]:
    """
    The means, and which bars they reach.

    :param variations: From `evaluate_variations`; empty when they weren't asked.
    :param entities: From `evaluate_entities`; empty when they weren't asked.
    :returns: `variation` and `entity` (cases, queries and means; left out when they weren't asked), and `bars`, a list
        of measure, value, bar and whether it is reached.
    """
    summary: dict[str, Any] = {}
    if variations:
        found = spreads(variations)
        summary["variation"] = {
            "cases": len(found),
            "queries": len(variations),
            **mean_values(variations),
            SPREAD: sum(found) / len(found),
            "Largest spread": max(found),
        }
    if entities:
        wrong = sum(len(result.wrong) for result in entities)
        summary["entity"] = {"cases": len(entities), **mean_values(entities), "Wrong documents": wrong}
    summary["bars"] = [
        {
            "measure": f"{part} {measure}",
            "value": summary[part][measure],
            "bar": bar,
            "reached": (summary[part][measure] > bar) == more and summary[part][measure] != bar,
        }
        for part, measure, bar, more in BARS
        if part in summary
    ]
    return summary


def write_report(
    folder: Path, summary: dict[str, Any], variations: Sequence[QueryResult], entities: Sequence[QueryResult]
) -> None:
    """
    Write `variation_results.csv`, `entity_results.csv` (each where it was asked) and `evaluation_report.txt`.

    :param folder: Where to; made when it isn't there.
    :param summary: From `summarize`.
    :param variations: The results of all spellings.
    :param entities: The results of all entity cases.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, results in ((VARIATION_FILE, variations), (ENTITY_FILE, entities)):
        if results:
            _write_table(folder / name, results)
    (folder / REPORT_FILE).write_text(render_text(summary, variations, entities), encoding="utf-8")


def render_text(
    summary: dict[str, Any], variations: Sequence[QueryResult] = (), entities: Sequence[QueryResult] = ()
) -> str:
    """
    The report for people.

    :param summary: From `summarize`.
    :param variations: The results of all spellings.
    :param entities: The results of all entity cases.
    :returns: Means, bars, and the queries that did worst.
    """
    lines = []
    for part in ("variation", "entity"):
        if part in summary:
            lines += [f"{part} cases", *(f"  {name:<16}{_shown(value)}" for name, value in summary[part].items()), ""]
    lines += ["bars"]
    for bar in summary["bars"]:
        verdict = "reached" if bar["reached"] else "MISSED"
        lines.append(f"  {bar['measure']:<22}{bar['value']:.3f}  bar {bar['bar']}  {verdict}")
    worst = sorted([*variations, *entities], key=_quality)[:_WORST]
    poor = [result for result in worst if _quality(result) < 1]
    if poor:
        lines += ["", "did worst"]
    for result in poor:
        missing = [name for name in result.wanted if name not in result.found]
        others = [name for name in result.found if name not in result.wanted]
        lines.append(f"  {result.query}: {_quality(result):.2f}")
        lines += [f"    not found: {', '.join(missing)}"] if missing else []
        lines += [f"    instead or besides: {', '.join(others[:5])}"] if others else []
    return "\n".join(lines) + "\n"


def _quality(result: QueryResult) -> float:
    return result.values["F1"] if "F1" in result.values else result.values["MRR"]


def _shown(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _write_table(path: Path, results: Sequence[QueryResult]) -> None:
    # With a mark at the beginning, spreadsheets read the Japanese text as UTF-8.
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["case", "query", *results[0].values, "wanted", "found", "wrong"])
        for result in results:
            values = [f"{value:.4f}" for value in result.values.values()]
            names = (" ".join(names) for names in (result.wanted, result.found, result.wrong))
            writer.writerow([result.case, result.query, *values, *names])
