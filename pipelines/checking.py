"""Checks a pipeline file before anything runs on it: `tansaku check`."""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from inspect import Parameter
from pathlib import Path
from typing import Any, cast

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from pipelines.component_types import find_class, instead, nearest, nearest_type, parameters
from pipelines.connection_checking import ConnectionChecker
from pipelines.corpora import CORPORA
from pipelines.errors import ConfigError, worded
from pipelines.extras import missing_extra
from pipelines.loading import HAYSTACK_KEYS, Definition, pipeline_path, prepare_haystack, profile_names
from pipelines.settings import Settings
from pipelines.yaml_lines import Place, YamlLines
from pipelines.yaml_loader import compose_yaml, construct_yaml, fault_of

prepare_haystack()

_REFERENCE = re.compile(r"\$\{([^${}:]+)\}")
_TOP_LEVEL = ("corpus", *HAYSTACK_KEYS)


@dataclass(frozen=True)
class Problem:
    """
    Something wrong in a pipeline file.

    :param file: The file.
    :param line: The line, from 1.
    :param component: The component it is about; empty when it is about the file.
    :param message: What is wrong.
    :param instead: What to write instead, or what to do; empty when nothing can be proposed.
    """

    file: str
    line: int
    component: str
    message: str
    instead: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " + (f"{self.component}: " if self.component else "")
        return place + self.message + (f"; {self.instead}" if self.instead else "")

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return asdict(self)


def check_pipeline(name: str, profile: str | None = None, settings: Settings | None = None) -> list[Problem]:
    """
    Find what is wrong with a pipeline file. Components are made, as Haystack would make them, but nothing is warmed up.

    Usage example:
    ```python
    for problem in check_pipeline("pipelines/yaml/mpep_query.yaml"):
        print(problem)  # pipelines/yaml/mpep_query.yaml:12: rrf_joiner: unknown parameter 'weight'; write 'weights'
    ```

    :param name: A pipeline's name or the path of its file.
    :param profile: The profile; that of the settings by default.
    :param settings: Read from the environment by default.
    :returns: The problems in order of their lines; none when the file is right.
    :raises ConfigError: When the file or the profile is not there.
    """
    settings = settings or Settings()
    path = pipeline_path(name, settings)
    checker = _Checker(path, profile or settings.profile, settings)
    return sorted(checker.check(), key=lambda problem: problem.line)


class _Checker:
    def __init__(self, path: Path, profile: str, settings: Settings):
        self._path = path
        self._profile = profile
        self._settings = settings
        self._lines = YamlLines()
        self._problems: list[Problem] = []

    def check(self) -> list[Problem]:
        data = self._read()
        if data is None:
            return self._problems
        names = profile_names(self._profile, str(data.get("corpus")), self._settings)
        self._check_top(data)
        self._check_references(names)
        if self._problems:
            return self._problems
        resolved = self._resolve(names, data)
        if resolved is None:
            return self._problems
        built = self._build_components(resolved["components"])
        checker = ConnectionChecker(resolved["components"], built, self._add)
        checker.check(resolved.get("connections") or [])
        if not self._problems:
            checker.check_inputs()
        return self._problems

    def _add(self, place: Place, message: str, instead: str = "", component: str = "") -> None:
        if not component and len(place) > 1 and place[0] == "components":
            component = str(place[1])
        self._problems.append(Problem(str(self._path), self._lines.line(*place), component, message, instead))

    def _read(self) -> Definition | None:
        try:
            root = compose_yaml(self._path.read_text(encoding="utf-8"))
            data = construct_yaml(root)
            self._lines = YamlLines.of(root)
        except yaml.MarkedYAMLError as error:
            line, message = fault_of(error)
            self._problems.append(Problem(str(self._path), line, "", message))
            return None
        except (OSError, ValueError, yaml.YAMLError) as error:
            self._problems.append(Problem(str(self._path), 1, "", f"can't be read: {error}"))
            return None
        if not isinstance(data, dict):
            self._add((), "is not a mapping", "write `corpus:`, `components:` and `connections:`")
            return None
        return data

    def _check_top(self, data: Definition) -> None:
        for place in self._lines.duplicates:
            self._add(place, f"{place[-1]!r} stands here a second time", "give it another name or take one of them out")
        for key in data:
            if key not in _TOP_LEVEL:
                self._add((str(key),), f"unknown key {str(key)!r}", instead(nearest(str(key), _TOP_LEVEL), _TOP_LEVEL))
        corpus = data.get("corpus")
        if corpus is None:
            self._add((), "`corpus:` is missing", f"write `corpus: {next(iter(CORPORA))}`")
        elif corpus not in CORPORA:
            self._add(("corpus",), f"unknown corpus {worded(corpus)}", instead(nearest(str(corpus), CORPORA), CORPORA))
        if not isinstance(data.get("components"), dict) or not data["components"]:
            self._add(("components",), "`components:` must map names to components")

    def _check_references(self, names: Definition) -> None:
        known = OmegaConf.create(names)
        every = list(_dotted(names))
        for place, text in self._lines.scalars.items():
            for reference in _REFERENCE.findall(text):
                found = None
                with suppress(OmegaConfBaseException):
                    found = OmegaConf.select(known, reference)
                if found is not None or reference in every:
                    continue
                near = nearest(reference, every)
                proposal = f"write ${{{near}}}" if near else f"profile {self._profile!r} has: {', '.join(every)}"
                self._add(place, f"unknown reference ${{{reference}}}", proposal)

    def _resolve(self, names: Definition, data: Definition) -> Definition | None:
        try:
            resolved = OmegaConf.to_container(OmegaConf.create({**names, **data}), resolve=True)
        except OmegaConfBaseException as error:
            key = str(getattr(error, "full_key", "") or "")
            self._add(tuple(key.split(".")), str(error).splitlines()[0])
            return None
        return cast(Definition, resolved)

    def _build_components(self, components: Definition) -> dict[str, Any]:
        built = {}
        for name, spec in components.items():
            place = ("components", str(name))
            before = len(self._problems)
            if not isinstance(name, str) or "." in name:
                self._add(place, f"{name!r} is no name for a component", "write a word without a dot")
            self._check_spec(place, spec)
            if len(self._problems) > before:
                continue
            from haystack.core.serialization import component_from_dict

            cls = find_class(spec["type"])
            assert cls is not None
            if not hasattr(cls, "__haystack_input__") and not hasattr(cls, "run"):
                self._add((*place, "type"), f"{spec['type']} is not a Haystack component")
                continue
            try:
                data = {"type": spec["type"], "init_parameters": dict(spec.get("init_parameters") or {})}
                built[name] = component_from_dict(cls, data, name)
            except Exception as error:
                self._add((*place, "init_parameters"), " ".join(str(error).split()))
        return built

    def _check_spec(self, place: Place, spec: Any) -> None:
        """A component, or an object inside one: its type exists and takes the parameters."""
        if not isinstance(spec, dict) or not isinstance(spec.get("type"), str):
            self._add(place, "has no `type:`", "write `type: package.module.ClassName` and `init_parameters:`")
            return
        for key in spec:
            if key not in ("type", "init_parameters"):
                near = nearest(str(key), ("type", "init_parameters"))
                self._add((*place, str(key)), f"unknown key {str(key)!r}", instead(near, ("type", "init_parameters")))
        cls = find_class(spec["type"])
        if cls is None and (what_to_do := missing_extra(spec["type"])):
            name = spec["type"].rpartition(".")[2]
            self._add((*place, "type"), f"{name} needs a package that isn't installed", what_to_do)
            return
        if cls is None:
            self._add((*place, "type"), f"unknown type {spec['type']}", instead(nearest_type(spec["type"])))
            return
        given = spec.get("init_parameters") or {}
        if not isinstance(given, dict):
            self._add((*place, "init_parameters"), "`init_parameters:` must be a mapping")
            return
        allowed = parameters(cls)
        if allowed is None:
            return
        inner = (*place, "init_parameters")
        for key, value in given.items():
            if key not in allowed:
                proposal = instead(nearest(str(key), allowed), allowed)
                self._add((*inner, str(key)), f"unknown parameter {str(key)!r} of {cls.__name__}", proposal)
            elif isinstance(value, dict) and "." in str(value.get("type", "")):
                self._check_spec((*inner, str(key)), value)
        for key, parameter in allowed.items():
            mandatory = parameter.default is Parameter.empty and parameter.kind is not Parameter.VAR_POSITIONAL
            if mandatory and key not in given:
                self._add(inner, f"parameter {key!r} of {cls.__name__} is missing", f"write `{key}:`")


def check_all(files: Iterable[str], profile: str | None = None, settings: Settings | None = None) -> list[Problem]:
    """
    Check some pipeline files, or all of the project's.

    :param files: Names or paths; empty for all.
    :param profile: The profile; that of the settings by default.
    :param settings: Read from the environment by default.
    :returns: All problems.
    :raises ConfigError: When a file or the profile is not there.
    """
    settings = settings or Settings()
    names = list(files) or [str(path) for path in sorted(settings.pipelines_dir.glob("*.yaml"))]
    if not names:
        raise ConfigError(f"there are no pipeline files in {settings.pipelines_dir}")
    return [problem for name in names for problem in check_pipeline(name, profile, settings)]


def _dotted(names: Definition, prefix: str = "") -> Iterable[str]:
    """All names that can be referred to; an object of a profile is one name."""
    for key, value in names.items():
        yield f"{prefix}{key}"
        if isinstance(value, dict) and "type" not in value:
            yield from _dotted(value, f"{prefix}{key}.")
