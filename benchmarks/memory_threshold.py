"""
From which cosine on two questions ask for the same: python -m benchmarks.memory_threshold [FOLDER...]

Two questions about one passage should be alike, two about other passages not. For each cosine: the share of the pairs
of one passage at or above it, the share of all pairs at or above it that are of one passage, and the share of questions
that have a neighbour of another passage there. Question pairs whose numbers differ never count.
"""

import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from benchmarks.bars import SHARED
from components.analysis.identifiers import numbers_in
from components.embedders.e5_engine import shared_engine
from components.embedders.e5_model import prepare_model
from evaluation.datasets import load_dataset
from pipelines.settings import Settings

COSINES = np.arange(0.86, 0.975, 0.01)


def measure(
    folders: Annotated[list[Path] | None, typer.Argument(help="Datasets; jsquad, jaquad_dev, korquad_dev.")] = None,
) -> None:
    """Print a table for each dataset."""
    engine = shared_engine(prepare_model(Settings().models_dir / "multilingual-e5-small"))
    for folder in folders or [SHARED / "eval" / name for name in ("jsquad", "jaquad_dev", "korquad_dev")]:
        dataset = load_dataset(folder)
        vectors = engine.embed([query.text for query in dataset.queries])
        passages = np.array([hash(max(dataset.qrels[query.id])) for query in dataset.queries])
        numbers = np.array([hash(numbers_in(query.text)) for query in dataset.queries])
        cosines = np.where(numbers[:, None] == numbers[None, :], vectors @ vectors.T, -1)
        np.fill_diagonal(cosines, -1)
        same = passages[:, None] == passages[None, :]
        np.fill_diagonal(same, False)
        sys.stdout.write(f"{dataset.name}: {len(dataset.queries)} questions, {same.sum() // 2} pairs of one passage\n")
        sys.stdout.write("cosine  of one passage  right among all  with a wrong neighbour\n")
        for least in COSINES:
            near = cosines >= least
            right = (near & same).sum() / max(near.sum(), 1)
            wrong = (near & ~same).any(axis=1).mean()
            sys.stdout.write(f"{least:.2f}    {near[same].mean():14.3f}  {right:15.3f}  {wrong:22.3f}\n")


if __name__ == "__main__":
    typer.run(measure)
