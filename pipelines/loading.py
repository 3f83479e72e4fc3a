"""
Loads a pipeline file: resolves the names that a profile defines and makes a Haystack pipeline of it.

A pipeline file is plain Haystack YAML plus `corpus:` and references such as `${stores.keyword}`. What they stand for
comes from `profiles/<profile>.yaml`, `${paths.index}` and `${paths.models}` from the settings, `${generation}` from the
list of the index's generations.
"""

import json
import os
import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from pipelines import PROJECT
from pipelines.embedding_server import DIMENSION, served_embedder
from pipelines.errors import ConfigError, UnknownNameError
from pipelines.extras import require_extras
from pipelines.generations import chosen_generation
from pipelines.settings import Settings
from pipelines.yaml_lines import YamlLines
from pipelines.yaml_loader import compose_yaml, construct_yaml, fault_of

if TYPE_CHECKING:
    from haystack import Pipeline

TRUSTED_PACKAGES = ("components", "memory_components")
MODELS = {"HyDEGenerator": "chat_generator", "Reranker": "ranker"}
"""The parameters without which components of a query pipeline do nothing."""
FIELDS = "indexes/fields.yaml"
"""The file below the pipelines folder that says what the stores of each corpus index."""
DEFAULTS: dict[str, dict[str, Any]] = {"stores": {"fallback": None}, "budgets": {"keyword": None, "vector": None}}
"""Names that pipeline files may refer to although a profile doesn't define them."""
HAYSTACK_KEYS = ("components", "connections", "metadata", "max_runs_per_component", "connection_type_validation")
_OWN_REFERENCE = re.compile(rf"\$\{{\s*(?:\.|(?:{'|'.join(HAYSTACK_KEYS)})\b)")

Definition = dict[str, Any]
"""A resolved pipeline file: what `Pipeline.from_dict` takes."""


def prepare_haystack() -> None:
    """Set what Haystack reads from the environment; call it before Haystack is imported."""
    os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
    known = [name for name in os.environ.get("HAYSTACK_DESERIALIZATION_ALLOWLIST", "").split(",") if name]
    wanted = [f"{package}.*" for package in TRUSTED_PACKAGES if f"{package}.*" not in known]
    os.environ["HAYSTACK_DESERIALIZATION_ALLOWLIST"] = ",".join(known + wanted)


def pipeline_path(name: str, settings: Settings | None = None) -> Path:
    """
    The file of a pipeline.

    :param name: A pipeline's name ("mpep_query") or the path of a file.
    :param settings: Where the pipeline files are; read from the environment by default.
    :returns: The file's path.
    :raises UnknownNameError: When there is no such file.
    """
    settings = settings or Settings()
    named = settings.pipelines_dir / f"{name}.yaml"
    path = named if named.is_file() else Path(name)
    if not path.is_file():
        names = ", ".join(sorted(file.stem for file in settings.pipelines_dir.glob("*.yaml")))
        raise UnknownNameError(f"there is no pipeline {name!r}; there are: {names} (or give the path of a YAML file)")
    return path


def read_yaml(path: Path) -> Definition:
    """
    Read a YAML file that holds a mapping.

    :raises ConfigError: When it can't be read or holds something else.
    """
    try:
        root = compose_yaml(path.read_text(encoding="utf-8"))
        data = construct_yaml(root)
    except yaml.MarkedYAMLError as error:
        line, message = fault_of(error)
        raise ConfigError(f"{path}:{line}: {message}") from error
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ConfigError(f"{path}: can't be read: {error}") from error
    lines = YamlLines.of(root)
    for place in lines.duplicates[:1]:
        raise ConfigError(f"{path}:{lines.line(*place)}: {place[-1]!r} stands here a second time")
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: must hold a mapping with `components:` and `connections:`")
    return data


def profile_names(profile: str, corpus: str, settings: Settings) -> Definition:
    """
    All that a pipeline file may refer to.

    :param profile: The profile's name ("embedded") or the path of a file.
    :param corpus: The corpus whose index `${paths.index}` stands for.
    :param settings: Where profiles, indexes and models are.
    :returns: The profile's own names, `corpus`, `generation` ("g2"), `index` (for names on servers), `paths`, the
        `dimension` of vectors and the corpus's `fields`.
    :raises UnknownNameError: When there is no such profile.
    """
    named = settings.pipelines_dir / "profiles" / f"{profile}.yaml"
    path = named if named.is_file() else Path(profile)
    if not path.is_file():
        names = ", ".join(sorted(file.stem for file in named.parent.glob("*.yaml")))
        raise UnknownNameError(f"there is no profile {profile!r}; there are: {names} (or give the path of a YAML file)")
    generation = chosen_generation(settings, corpus)
    paths = {
        "index": str(settings.generation_dir(corpus, generation)),
        "models": str(settings.models_dir),
        "memory": str(settings.data_dir.expanduser().absolute() / "memory.sqlite"),
        "config": str(PROJECT / "config"),
    }
    defined = read_yaml(path)
    if defined.get("llm") is None:
        defined["llm"] = _llm(settings)
    for group, defaults in DEFAULTS.items():
        given = defined.get(group) or {}
        defined[group] = {**given, **{key: value for key, value in defaults.items() if key not in given}}
    if settings.embedder_url:
        defined["embedder"] = served_embedder(settings, defined["budgets"]["vector"])
    index = f"{settings.index_prefix}-{corpus}-g{generation}"
    listed = settings.pipelines_dir / FIELDS  # profiles of one's own may do without
    fields = read_yaml(listed).get(corpus, {}) if listed.is_file() else {}
    own = {"corpus": corpus, "generation": f"g{generation}", "index": index, "paths": paths, "fields": fields}
    return {**defined, **own, "dimension": settings.embedder_dimension if settings.embedder_url else DIMENSION}


def resolved_names(profile: str, corpus: str, settings: Settings) -> Definition:
    """What `profile_names` gives, with its own references resolved."""
    names: Any = OmegaConf.to_container(OmegaConf.create(profile_names(profile, corpus, settings)), resolve=True)
    assert isinstance(names, dict)
    return names


def _llm(settings: Settings) -> Definition | None:
    """The chat generator for the endpoint of the settings; the key stays a reference to the environment."""
    if not settings.llm_url:
        return None
    os.environ.setdefault("TANSAKU_LLM_KEY", "none")  # OpenAI's client wants a key; servers of one's own take any
    return {
        "type": "haystack.components.generators.chat.openai.OpenAIChatGenerator",
        "init_parameters": {
            "api_key": {"type": "env_var", "env_vars": ["TANSAKU_LLM_KEY"], "strict": False},
            "api_base_url": settings.llm_url,
            "model": settings.llm_model,
            "max_retries": 0,
        },
    }


def resolve(
    name: str, profile: str | None = None, settings: Settings | None = None, corpus: str | None = None
) -> Definition:
    """
    Read a pipeline file and put what the profile says in place of its references.

    Usage example:
    ```python
    definition = resolve("mpep_query", profile="embedded")
    Pipeline.from_dict(definition)
    ```

    :param name: A pipeline's name or the path of its file.
    :param profile: The profile; that of the settings by default.
    :param settings: Read from the environment by default.
    :param corpus: Whose index to use, where the file's own `corpus:` is not meant.
    :returns: Plain Haystack YAML as a dictionary.
    :raises ConfigError: When the file, the profile or a reference is wrong.
    """
    settings = settings or Settings()
    path = pipeline_path(name, settings)
    data = read_yaml(path)
    corpus = corpus or data.get("corpus")
    if not isinstance(corpus, str) or not corpus:
        raise ConfigError(f"{path}: `corpus:` is missing; it names the corpus that the pipeline works on")
    if own := _OWN_REFERENCE.search(json.dumps(data, default=str)):
        # Such references can double a text at each step.
        raise ConfigError(f"{path}: {own.group()}...}} refers to the file itself; refer to names of the profile alone")
    names = profile_names(profile or settings.profile, corpus, settings)
    merged = OmegaConf.create({**names, **data, "corpus": corpus})
    try:
        resolved = OmegaConf.to_container(merged, resolve=True)
    except OmegaConfBaseException as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(f"{path}: {reason} (tansaku check says where and what to write instead)") from error
    assert isinstance(resolved, dict)
    return {key: resolved[key] for key in HAYSTACK_KEYS if key in resolved}


def build(definition: Definition) -> "Pipeline":
    """
    Make a Haystack pipeline of a resolved definition.

    :param definition: What `resolve` returns, or a part of it.
    :returns: The pipeline, not warmed up.
    :raises ConfigError: When Haystack refuses it, or a package that it needs isn't installed.
    """
    require_extras(definition)
    prepare_haystack()
    from haystack import Pipeline
    from haystack.core.errors import DeserializationError, PipelineError, SerializationError

    try:
        return Pipeline.from_dict(definition)
    except DeserializationError as error:
        # Its first line names the component; what follows are all its parameters.
        component = str(error).partition(" with the following data")[0]
        raise ConfigError(f"the pipeline can't be built: {component}: {error.__cause__ or error}") from error
    except (PipelineError, SerializationError, ImportError, ValueError, TypeError) as error:
        raise ConfigError(f"the pipeline can't be built: {error}") from error


def load_pipeline(
    name: str, profile: str | None = None, settings: Settings | None = None, corpus: str | None = None
) -> "Pipeline":
    """
    Load a pipeline file; the parameters are those of `resolve`.

    Usage example:
    ```python
    pipeline = load_pipeline("mpep_query")
    ```

    :returns: The pipeline, not warmed up.
    :raises ConfigError: When the file, the profile or a reference is wrong, or Haystack refuses the result.
    """
    return build(resolve(name, profile, settings, corpus))


def render(name: str, profile: str | None = None, settings: Settings | None = None) -> str:
    """
    The resolved file as YAML, which `Pipeline.loads` and any Haystack tool can read.

    :param name: A pipeline's name or the path of its file.
    :param profile: The profile; that of the settings by default.
    :param settings: Read from the environment by default.
    :returns: YAML text.
    :raises ConfigError: When the file, the profile or a reference is wrong.
    """
    return yaml.safe_dump(resolve(name, profile, settings), sort_keys=False, allow_unicode=True, width=120)


def without(definition: Definition, names: Iterable[str]) -> Definition:
    """The definition without some components and their connections."""
    dropped = set(names)
    ends = [
        (connection, {connection["sender"].split(".")[0], connection["receiver"].split(".")[0]})
        for connection in definition.get("connections", [])
    ]
    return {
        **definition,
        "components": {name: spec for name, spec in definition["components"].items() if name not in dropped},
        "connections": [connection for connection, touched in ends if not touched & dropped],
    }


def without_idle(definition: Definition) -> Definition:
    """
    The definition without the components that the profile has no model for; what one would only have handed on goes
    from its sender to its receivers.

    Each component of a pipeline costs a query a quarter of a millisecond, idle or not.

    :param definition: A resolved query pipeline.
    :returns: The same pipeline with fewer steps.
    """
    for name in [name for name, spec in definition["components"].items() if _is_idle(spec)]:
        connections = definition["connections"]
        senders = {c["receiver"]: c["sender"] for c in connections}
        handed_on = [
            {"sender": senders[c["sender"]], "receiver": c["receiver"]}
            for c in connections
            if c["sender"].startswith(f"{name}.") and c["sender"] in senders
        ]
        definition = without(definition, [name])
        definition["connections"].extend(handed_on)
    return definition


def _is_idle(spec: Definition) -> bool:
    model = MODELS.get(str(spec["type"]).rpartition(".")[2])
    parameters = spec.get("init_parameters") or {}
    return model in parameters and parameters[model] is None


def instantiate(spec: Definition) -> Any:
    """
    Make one object, for example a document store, of its `{type, init_parameters}`.

    :param spec: As it stands in a resolved definition or a profile.
    :returns: The object.
    :raises ConfigError: When its class can't be imported, or a package that it needs isn't installed.
    """
    require_extras(spec)
    prepare_haystack()
    from haystack.core.serialization import default_from_dict

    module, _, class_name = str(spec["type"]).rpartition(".")
    try:
        cls = getattr(import_module(module), class_name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"there is no class {spec['type']}: {error}") from error
    copied = {"type": spec["type"], "init_parameters": dict(spec.get("init_parameters") or {})}
    return cls.from_dict(copied) if hasattr(cls, "from_dict") else default_from_dict(cls, copied)


def open_store(store: str, corpus: str, profile: str | None = None, settings: Settings | None = None) -> Any:
    """
    Open one of a corpus's document stores, as the profile defines it.

    Usage example:
    ```python
    open_store("keyword", "us-patent-law").count_documents()
    ```

    :param store: "keyword", "parents" or "vector".
    :param corpus: Whose index it is.
    :param profile: The profile; that of the settings by default.
    :param settings: Read from the environment by default.
    :returns: The document store.
    :raises ConfigError: When the profile has no such store.
    """
    settings = settings or Settings()
    profile = profile or settings.profile
    named = resolved_names(profile, corpus, settings)
    stores = {name: spec for name, spec in named["stores"].items() if spec}
    if store not in stores:
        raise ConfigError(f"profile {profile!r} defines no store {store!r}; it has: {', '.join(stores) or 'none'}")
    return instantiate(stores[store])
