"""
How fast a Japanese query is read: python -m benchmarks.japanese [--json]

Language, entities by rule, expansion by rule and normalisation, one by one and in a row; then the same with GiNZA.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.bars import Bar, tell
from benchmarks.questions import JAPANESE, questions
from benchmarks.timing import percentiles, timed

ROOT = Path(__file__).resolve().parents[1]


def measure(
    count: Annotated[int, typer.Option(help="How many queries.")] = 1000,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Time each component, and all of them in a row."""
    from components.analysis.language_detector import LanguageDetector
    from components.analysis.query_analyzer import QueryAnalyzer
    from components.query.entity_recognizer import EntityRecognizer
    from components.query.query_expander import QueryExpander

    files = {"rules": str(ROOT / "config/entities.yaml"), "vocabulary": str(ROOT / "config/domain_terms.yaml")}
    detector, analyzer = LanguageDetector(), QueryAnalyzer(mode="A")
    rules = EntityRecognizer(**files, model=None, cache_size=0)
    ginza = EntityRecognizer(**files, cache_size=0)
    expander = QueryExpander(vocabulary=files["vocabulary"], synonyms=str(ROOT / "config/synonyms"))
    for part in (analyzer, rules, ginza, expander):
        part.warm_up()

    def in_a_row(recognizer: EntityRecognizer, query: str) -> None:
        language = detector.run(query=query)["language"]
        recognizer.run(query=query)
        variants = expander.run(query=query)["variants"]
        analyzer.run(query=query, language=language, variants=variants)

    works: dict[str, Callable[[str], Any]] = {
        "language": lambda query: detector.run(query=query),
        "entities by rule": lambda query: rules.run(query=query),
        "expansion by rule": lambda query: expander.run(query=query),
        "normalisation": lambda query: analyzer.run(query=query, language="ja"),
        "preprocessing": lambda query: in_a_row(rules, query),
        "preprocessing with GiNZA": lambda query: in_a_row(ginza, query),
    }
    asked = questions("jsquad", JAPANESE, count)
    results: dict[str, Any] = {"queries": len(asked)}
    results |= {name: percentiles([timed(work, query)[0] for query in asked]) for name, work in works.items()}
    limits = {"language": 1, "normalisation": 5, "preprocessing": 5, "preprocessing with GiNZA": 40}
    bars = [Bar(f"{name}, P95 ms", results[name]["p95"], limit, most=True) for name, limit in limits.items()]
    raise typer.Exit(0 if tell("japanese", results, bars, as_json) else 1)


if __name__ == "__main__":
    typer.run(measure)
