"""Where data lives and which profile is used; every setting can be given as an environment variable TANSAKU_<NAME>."""

from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from platformdirs import user_data_dir
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from pipelines import PROJECT
from pipelines.errors import ConfigError


class Settings(BaseSettings):
    """
    Settings of the pipelines, read from the environment whenever an object is made.

    Usage example:
    ```python
    settings = Settings()                       # TANSAKU_DATA_DIR=/srv/tansaku
    settings.index_dir("us-patent-law")         # /srv/tansaku/indexes/us-patent-law
    ```

    :param data_dir: The data folder: indexes and prepared models.
    :param profile: The profile used where none is named.
    :param env: "production" and "staging" don't start with a part that can't be loaded, and refuse answers without the
        parts that a profile lists under `require`; elsewhere such answers name what they were made without.
    :param index_prefix: What the names of indexes on servers begin with; another one for each installation that shares
        them.
    :param llm_url: An OpenAI-compatible endpoint (Ollama, vLLM, llama.cpp, OpenAI), for example
        "http://localhost:11434/v1"; what a profile calls `llm` where it names none itself. None: no language model.
    :param llm_model: The model's name there; the key, where one is needed, is in TANSAKU_LLM_KEY.
    :param embedder_url: An OpenAI-compatible embedding server (Text Embeddings Inference, vLLM, Infinity), for example
        "http://tei:80/v1", instead of the embedder that a profile names; its key, where it wants one, is in
        TANSAKU_EMBEDDER_API_KEY.
    :param embedder_model: The model's name there.
    :param embedder_dimension: The length of its vectors, and of all vectors of the index.
    :param embedder_query_prefix: What the model wants in front of queries; None: "query: " for models of the E5
        family, nothing for others.
    :param embedder_passage_prefix: The same for passages, "passage: ".
    :param database_url: The PostgreSQL database of the manifests, "postgresql://user:password@host/database"; None:
        SQLite files beside the indexes.
    :param generation: Which generation of indexes is used; None: of each corpus the active one.
    :param pipelines_dir: The folder of the pipeline files, with the profiles in `profiles/` below it.
    :raises ConfigError: When a value is not allowed; the message names the variable.
    """

    model_config = SettingsConfigDict(env_prefix="TANSAKU_", env_ignore_empty=True)

    data_dir: Path = Field(default_factory=lambda: Path(user_data_dir("tansaku", appauthor=False)))
    profile: str = "embedded"
    env: Literal["development", "staging", "production"] = "development"
    index_prefix: str = Field(default="tansaku", pattern=r"^[a-z0-9][a-z0-9._-]*$")
    llm_url: str | None = None
    llm_model: str = "qwen3:4b"
    embedder_url: str | None = None
    embedder_model: str = "intfloat/multilingual-e5-small"
    embedder_dimension: int = Field(default=384, ge=1)
    embedder_query_prefix: str | None = None
    embedder_passage_prefix: str | None = None
    database_url: SecretStr | None = None
    generation: int | None = None
    pipelines_dir: Path = PROJECT / "pipelines" / "yaml"

    def __init__(self, **values: Any):
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise wrong_setting(error) from error

    @field_validator("llm_url")
    @classmethod
    def _is_web_address(cls, value: str | None) -> str | None:
        if value is not None and not _is_endpoint(value):
            raise ValueError(f"{value!r} is not allowed; it must be an address such as http://localhost:11434/v1")
        return value

    @property
    def is_strict(self) -> bool:
        """Whether a missing part stops the start and refuses answers: in production and staging."""
        return self.env != "development"

    def index_dir(self, corpus: str) -> Path:
        """The folder that holds a corpus's stores and manifest, of all generations."""
        return self.data_dir.expanduser().absolute() / "indexes" / corpus

    def generation_dir(self, corpus: str, generation: int) -> Path:
        """The folder of one generation; the first one's is the corpus's own."""
        return self.index_dir(corpus) / f"g{generation}" if generation > 1 else self.index_dir(corpus)

    def of_generation(self, generation: int) -> Self:
        """The same settings for one generation of an index, whichever is active."""
        return self.model_copy(update={"generation": generation})

    @property
    def models_dir(self) -> Path:
        """The folder of prepared models."""
        return self.data_dir.expanduser().absolute() / "models"


def wrong_setting(error: ValidationError) -> ConfigError:
    """
    What pydantic says of a setting, in one line.

    :param error: What making the settings raised.
    :returns: An error that names the environment variable.
    """
    wrong = error.errors()[0]
    name = "_".join(map(str, wrong["loc"])).upper()
    return ConfigError(f"TANSAKU_{name}: {wrong['msg'].removeprefix('Value error, ')}")


def _is_endpoint(address: str) -> bool:
    try:
        parts = urlsplit(address)
        # Reading the port is what checks it.
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and address.isprintable()
    except ValueError:
        return False
