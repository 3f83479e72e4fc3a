"""Exact search over vectors in memory."""

import numpy as np

_FIRST_CAPACITY = 256


class VectorIndex:
    """
    Unit vectors by name, in one growing matrix.

    Not for several threads at once: whoever owns it keeps a lock.

    Usage example:
    ```python
    index = VectorIndex(384)
    index.put("e1", vector)
    index.nearest(query_vector, top_k=5)  # [("e1", 0.93)]
    ```

    :param dimension: Length of the vectors.
    """

    def __init__(self, dimension: int = 384):
        self._matrix = np.zeros((_FIRST_CAPACITY, dimension), np.float32)
        self._rows: dict[str, int] = {}
        self._names: list[str] = []

    def __len__(self) -> int:
        return len(self._names)

    def put(self, name: str, vector: np.ndarray) -> None:
        """
        Add a vector, or replace the one of that name.

        :raises ValueError: When it has another length than the others.
        """
        if vector.shape != (self._matrix.shape[1],):
            raise ValueError(f"a vector of {self._matrix.shape[1]} values is expected, not of shape {vector.shape}")
        row = self._rows.setdefault(name, len(self._names))
        if row == len(self._names):
            self._names.append(name)
            if row == len(self._matrix):
                self._matrix = np.concatenate([self._matrix, np.zeros_like(self._matrix)])
        length = float(np.linalg.norm(vector))
        self._matrix[row] = vector / length if length else vector

    def remove(self, name: str) -> None:
        """Take a vector out; nothing happens where there is none of that name."""
        row = self._rows.pop(name, None)
        if row is None:
            return
        last = self._names.pop()
        if last != name:  # the last one moves into the gap
            self._matrix[row] = self._matrix[len(self._names)]
            self._names[row] = last
            self._rows[last] = row

    def nearest(self, vector: np.ndarray, top_k: int) -> list[tuple[str, float]]:
        """The `top_k` vectors of the highest cosine, the best first, ties by name."""
        cosines = self._cosines(vector)
        if top_k < len(cosines):
            least = np.partition(cosines, -top_k)[-top_k]
            return self._ranked(cosines, np.flatnonzero(cosines >= least))[:top_k]
        return self._ranked(cosines, np.arange(len(cosines)))

    def above(self, vector: np.ndarray, least: float) -> list[tuple[str, float]]:
        """All vectors with a cosine of `least` or more, the best first, ties by name."""
        cosines = self._cosines(vector)
        return self._ranked(cosines, np.flatnonzero(cosines >= least))

    def _cosines(self, vector: np.ndarray) -> np.ndarray:
        # A product of matrix and vector would wake the threads of BLAS, which beside other work wait for each other.
        return np.vecdot(self._matrix[: len(self._names)], np.asarray(vector, np.float32))

    def _ranked(self, cosines: np.ndarray, rows: np.ndarray) -> list[tuple[str, float]]:
        found = [(self._names[row], float(cosines[row])) for row in rows]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))
