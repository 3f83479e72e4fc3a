"""Models for the embedders' tests: the packaged one, prepared once a run, and a tiny one."""

from pathlib import Path

import pytest

from components.embedders.e5_model import prepare_model
from tests.components.embedders.tiny_weights import tensors, write_weights


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare_model(tmp_path_factory.mktemp("models") / "multilingual-e5-small")


@pytest.fixture
def tiny_file(tmp_path: Path) -> Path:
    return write_weights(tmp_path / "tiny.bin", tensors())
