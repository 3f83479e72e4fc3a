"""The packaged model, prepared once for all tests of a run."""

from pathlib import Path

import pytest

from components.embedders.e5_model import prepare_model


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare_model(tmp_path_factory.mktemp("models") / "multilingual-e5-small")
