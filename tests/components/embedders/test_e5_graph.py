"""The graph and the tokenizer that are made of the weights."""

from math import erf
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from components.embedders.e5_graph import build_graph, build_tokenizer, quantize
from components.embedders.e5_weights import E5Weights
from tests.components.embedders.tiny_weights import EPS, HEADS, HIDDEN, LAYERS, tensors


def test_quantize_by_row_and_by_column() -> None:
    weights = np.array([[1.27, -0.5], [0.0, 2.54]], np.float32)

    rows, row_scales = quantize(weights, axis=1)
    columns, column_scales = quantize(weights, axis=0)

    np.testing.assert_array_equal(rows, [[127, -50], [0, 127]])
    np.testing.assert_allclose(row_scales, [[0.01], [0.02]], rtol=1e-6)
    np.testing.assert_array_equal(columns, [[127, -25], [0, 127]])
    np.testing.assert_allclose(column_scales, [[0.01, 0.02]], rtol=1e-6)


def test_quantize_keeps_a_row_of_zeros() -> None:
    rows, scales = quantize(np.zeros((1, 3), np.float32), axis=1)

    assert not rows.any()
    assert np.isfinite(scales).all()


@pytest.mark.parametrize("ids", [[0, 5, 2], [0, 5, 6, 7, 8, 6, 9, 10, 2]])
def test_the_graph_computes_what_bert_does(tiny_file: Path, ids: list[int]) -> None:
    session = onnxruntime.InferenceSession(build_graph(E5Weights(tiny_file)).SerializeToString())

    mean = session.run(["mean"], {"input_ids": np.array([ids], np.int64)})[0][0]

    expected = _bert(ids)
    assert mean @ expected / np.linalg.norm(mean) / np.linalg.norm(expected) > 0.999
    assert np.linalg.norm(mean) == pytest.approx(np.linalg.norm(expected), rel=0.02)


def _bert(ids: list[int]) -> np.ndarray:
    """The mean of the last layer's tokens, in plain float arithmetic."""
    made = tensors()

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPS)
        return scaled * made[f"{name}.w"] + made[f"{name}.b"]

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        return x @ made[f"{name}.w"].T + made[f"{name}.b"]

    def heads(x: np.ndarray) -> np.ndarray:
        return x.reshape(len(ids), HEADS, -1).transpose(1, 0, 2)

    x = norm(made["emb.word"][ids] + made["emb.pos"][: len(ids)] + made["emb.type"][0], "emb.ln")
    for layer in range(LAYERS):
        at = f"l{layer}."
        query, key, value = (heads(linear(x, at + part)) for part in "qkv")
        weights = np.exp(query @ key.transpose(0, 2, 1) / np.sqrt(HIDDEN / HEADS))
        mixed = (weights / weights.sum(axis=2, keepdims=True)) @ value
        x = norm(linear(mixed.transpose(1, 0, 2).reshape(len(ids), HIDDEN), at + "ao") + x, at + "aln")
        inner = linear(x, at + "fi")
        inner = inner * (1 + np.vectorize(erf)(inner / np.sqrt(2))) / 2
        x = norm(linear(inner, at + "fo") + x, at + "oln")
    return x.mean(axis=0)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("new matter", ["\u2581new", "\u2581matter"]),
        ("new  matter", ["\u2581new", "\u2581matter"]),
        ("new\nmatter", ["\u2581new", "\u2581matter"]),
        ("ＡＢ", ["\u2581", "A", "B"]),
        ("ﾄ", ["\u2581", "ト"]),
        ("A～B", ["\u2581", "A", "～", "B"]),
        ("", []),
    ],
)
def test_the_tokenizer_folds_width_and_spaces_but_keeps_the_wave_dash(
    tiny_file: Path, text: str, tokens: list[str]
) -> None:
    assert build_tokenizer(E5Weights(tiny_file)).encode(text).tokens == tokens
