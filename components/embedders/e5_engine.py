"""Runs the prepared multilingual-e5-small with ONNX Runtime: texts to unit vectors."""

import threading
import unicodedata
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from components.embedders.e5_model import MODEL_FILE, TOKENIZER_FILE
from components.embedders.model_error import ModelError

DIMENSION = 384
_BOS, _EOS = 0, 2
_WINDOW = 510  # tokens of text in one pass, beside the two marks
_PREFIXES = {"query": "query: ", "passage": "passage: "}

Kind = Literal["query", "passage"]


class E5Engine:
    """
    Embeds texts with multilingual-e5-small.

    Each text is a call of its own on one thread: activations are quantised with one scale a call, so a text's vector
    would otherwise depend on its neighbours. Several texts run side by side on `workers` threads. Texts longer than
    512 tokens are cut into windows, whose means are averaged by length.

    ```python
    engine = E5Engine(prepare_model(Path("models/multilingual-e5-small")))
    vectors = engine.embed(["What is new matter?"], kind="query")  # (1, 384), float32
    ```

    :param directory: A folder that `prepare_model` made.
    :param workers: How many texts run side by side.
    :raises ValueError: When `workers` is below 1.
    """

    def __init__(self, directory: Path, workers: int = 2) -> None:
        if workers < 1:
            raise ValueError(f"workers: {workers} is not allowed; it must be at least 1")
        self._tokenizer = Tokenizer.from_file(str(directory / TOKENIZER_FILE))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        if _products_saturate():
            options.add_session_config_entry("session.x64quantprecision", "1")
        self._session = onnxruntime.InferenceSession(directory / MODEL_FILE, options, ["CPUExecutionProvider"])
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="e5")

    def embed(self, texts: Sequence[str], kind: Kind = "query") -> np.ndarray:
        """
        Embed texts.

        :param texts: The texts, without E5's prefix.
        :param kind: "query" for what is searched with, "passage" for what is found.
        :returns: One row a text: (n, 384) float32 of length 1.
        :raises ValueError: When `kind` is neither.
        """
        if kind not in _PREFIXES:
            raise ValueError(f"kind: {kind!r} is not allowed; it must be one of {', '.join(_PREFIXES)}")
        windows = [(row, window) for row, text in enumerate(texts) for window in self._windows(_PREFIXES[kind] + text)]
        run = map if len(windows) == 1 else self._pool.map
        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        for (row, window), mean in zip(windows, run(self._mean, (window for _, window in windows)), strict=True):
            vectors[row] += len(window) * mean
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _windows(self, text: str) -> list[list[int]]:
        # A lone surrogate, which broken JSON can bring, has no UTF-8 form that the tokenizer could read.
        clean = unicodedata.normalize("NFC", text).encode(errors="replace").decode()
        tokens = self._tokenizer.encode(clean, add_special_tokens=False).ids
        return [tokens[start : start + _WINDOW] for start in range(0, len(tokens), _WINDOW)]

    def _mean(self, window: list[int]) -> np.ndarray:
        return self._session.run(["mean"], {"input_ids": np.array([[_BOS, *window, _EOS]], np.int64)})[0][0]


def _products_saturate(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """
    Whether 8-bit products must take ONNX Runtime's slower, exact way.

    x86 CPUs without VNNI add up pairs of products in 16 bits, which overflow. Where the CPU can't be asked, it is
    taken for one of these; on other architectures the setting changes nothing.

    :param cpuinfo: Where Linux lists the CPU's features.
    :returns: True unless the CPU is known to have VNNI.
    """
    try:
        flags = set(cpuinfo.read_text(encoding="utf-8").split())
    except OSError:
        return True
    return flags.isdisjoint({"avx512_vnni", "avx_vnni"})


_engines: dict[tuple[Path, int], E5Engine] = {}
_engines_lock = threading.Lock()


def shared_engine(directory: Path, workers: int = 2) -> E5Engine:
    """
    The engine for a folder, loaded once a process, however many components use it.

    :param directory: A folder that `prepare_model` made.
    :param workers: How many texts run side by side.
    :returns: The engine.
    :raises ModelError: When the model in the folder can't be loaded.
    """
    key = (directory.resolve(), workers)
    with _engines_lock:
        if key not in _engines:
            try:
                _engines[key] = E5Engine(directory, workers)
            except Exception as error:  # both libraries raise Exception itself
                reason = " ".join(str(error).split())
                raise ModelError(
                    f"the embedder's model in {directory} can't be loaded ({reason}); remove that folder to have it "
                    "made again"
                ) from error
        return _engines[key]
