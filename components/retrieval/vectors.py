"""The query vectors on their way from the embedder to the retriever."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class QueryVectors:
    """
    One vector for each text that is searched with; never mutated, so that pipelines hand it on without copying it.

    :param vectors: Unit vectors, float32.
    :param texts: The text of each vector.
    :raises ValueError: When there isn't one text a vector.
    """

    vectors: tuple[np.ndarray, ...] = ()
    texts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.vectors) != len(self.texts):
            raise ValueError(f"{len(self.vectors)} vectors for {len(self.texts)} texts; each text needs one vector")

    def __len__(self) -> int:
        return len(self.vectors)

    def __deepcopy__(self, memo: dict[int, Any]) -> "QueryVectors":
        return self
