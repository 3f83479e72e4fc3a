"""Search quality on questions with known answers, against its bars: python -m benchmarks.quality [--json] [SET...]"""

from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.bars import SHARED, Bar, tell

MEASURE = "nDCG@10"
BARS = {"mpep": 0.685, "cfr37": 0.70, "usc35": 0.75}
KIND_BARS = {"mpep": {"navquiz": 0.82, "patentbar_tf": 0.49, "uspto_exam": 0.48}}
BELOW_BETTER_ARM = 0.005


def measure(
    sets: Annotated[list[str] | None, typer.Argument(metavar="SET", help="mpep, cfr37, usc35; all by default.")] = None,
    data: Annotated[Path, typer.Option(help="The folder that holds the sets.")] = SHARED / "eval",
    pipeline: Annotated[str, typer.Option(help="The query pipeline.")] = "mpep_query",
    profile: Annotated[str | None, typer.Option(help="Which stores and models.")] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Where indexes are kept.", show_default="in the data folder")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Evaluate a pipeline on each set."""
    from cli.output import progress_bars
    from evaluation.evaluate import evaluate

    results: dict[str, Any] = {}
    bars: list[Bar] = []
    for name in sets or list(BARS):
        with progress_bars(quiet=as_json) as progress:
            report = evaluate(data / name, pipeline, profile, keep=cache, progress=progress)
        arms = {arm: values[MEASURE] for arm, values in report["arms"].items()}
        results[name] = {**arms, "kinds": {kind: row["pipeline"][MEASURE] for kind, row in report["kinds"].items()}}
        results[name]["query_ms"] = round(report["query_ms"], 1)
        if name in BARS:
            bars.append(Bar(f"{name} {MEASURE}", arms["pipeline"], BARS[name]))
        for kind, limit in KIND_BARS.get(name, {}).items():
            bars.append(Bar(f"{name} {kind} {MEASURE}", results[name]["kinds"][kind], limit))
        loss = max(arms["keyword"], arms["vector"]) - arms["pipeline"]
        bars.append(Bar(f"{name} below its better arm", loss, BELOW_BETTER_ARM, most=True))
    raise typer.Exit(0 if tell("quality", results, bars, as_json) else 1)


if __name__ == "__main__":
    typer.run(measure)
