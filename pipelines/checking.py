"""Checks a pipeline file before anything runs on it: `tansaku check`."""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from inspect import Parameter
from pathlib import Path
from typing import Any, cast

import networkx
import yaml
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from pipelines.component_types import find_class, nearest, nearest_type, parameters
from pipelines.corpora import CORPORA
from pipelines.errors import ConfigError
from pipelines.loading import HAYSTACK_KEYS, Definition, pipeline_path, prepare_haystack, profile_names
from pipelines.settings import Settings
from pipelines.yaml_lines import Place, YamlLines

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
        self._connect(resolved, built)
        return self._problems

    def _add(self, place: Place, message: str, instead: str = "", component: str = "") -> None:
        if not component and len(place) > 1 and place[0] == "components":
            component = str(place[1])
        self._problems.append(Problem(str(self._path), self._lines.line(*place), component, message, instead))

    def _read(self) -> Definition | None:
        try:
            text = self._path.read_text(encoding="utf-8")
            data = yaml.safe_load(text)
            self._lines = YamlLines.of(text)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            self._problems.append(Problem(str(self._path), line, "", f"not valid YAML: {error.problem}"))
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
                self._add((str(key),), f"unknown key {str(key)!r}", _write(nearest(str(key), _TOP_LEVEL), _TOP_LEVEL))
        corpus = data.get("corpus")
        if corpus is None:
            self._add((), "`corpus:` is missing", f"write `corpus: {next(iter(CORPORA))}`")
        elif corpus not in CORPORA:
            self._add(("corpus",), f"unknown corpus {corpus!r}", _write(nearest(str(corpus), CORPORA), CORPORA))
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
                instead = f"write ${{{near}}}" if near else f"profile {self._profile!r} has: {', '.join(every)}"
                self._add(place, f"unknown reference ${{{reference}}}", instead)

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
            place = ("components", name)
            before = len(self._problems)
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
                self._add((*place, str(key)), f"unknown key {str(key)!r}", _write(near, ("type", "init_parameters")))
        cls = find_class(spec["type"])
        if cls is None:
            self._add((*place, "type"), f"unknown type {spec['type']}", _write(nearest_type(spec["type"])))
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
                instead = _write(nearest(str(key), allowed), allowed)
                self._add((*inner, str(key)), f"unknown parameter {str(key)!r} of {cls.__name__}", instead)
            elif isinstance(value, dict) and "." in str(value.get("type", "")):
                self._check_spec((*inner, str(key)), value)
        for key, parameter in allowed.items():
            mandatory = parameter.default is Parameter.empty and parameter.kind is not Parameter.VAR_POSITIONAL
            if mandatory and key not in given:
                self._add(inner, f"parameter {key!r} of {cls.__name__} is missing", f"write `{key}:`")

    def _connect(self, resolved: Definition, built: dict[str, Any]) -> None:
        from haystack import Pipeline

        pipeline = Pipeline()
        for name, instance in built.items():
            pipeline.add_component(name, instance)
        graph = networkx.DiGraph()
        graph.add_nodes_from(resolved["components"])
        for position, connection in enumerate(resolved.get("connections") or []):
            place = ("connections", position)
            if not isinstance(connection, dict) or set(connection) != {"sender", "receiver"}:
                self._add(
                    place, "a connection has a sender and a receiver", "write {sender: a.output, receiver: b.input}"
                )
                continue
            ends = [str(connection["sender"]), str(connection["receiver"])]
            if not all(self._check_end(place, end, resolved["components"], built, k) for k, end in enumerate(ends)):
                continue
            sender, receiver = (end.partition(".")[0] for end in ends)
            graph.add_edge(sender, receiver)
            if cycle := _cycle_through(graph, sender, receiver):
                self._add(
                    place, f"closes a circle: {' -> '.join(cycle)}", "take one of these connections out", receiver
                )
                graph.remove_edge(sender, receiver)
            elif sender in built and receiver in built:
                self._connect_ends(pipeline, place, ends)
        if not self._problems:
            self._check_inputs(pipeline, graph)

    def _check_end(
        self, place: Place, end: str, components: Definition, built: dict[str, Any], is_receiver: int
    ) -> bool:
        name, _, socket = end.partition(".")
        if name not in components:
            near = nearest(name, components)
            self._add(place, f"unknown component {name!r} in a connection", _write(near, components), name)
            return False
        if name not in built or not socket:
            return True
        sockets = _sockets(built[name], bool(is_receiver))
        if socket in sockets:
            return True
        kind = "input" if is_receiver else "output"
        instead = _write(f"{name}.{near}" if (near := nearest(socket, sockets)) else "", sockets)
        self._add(place, f"{name} has no {kind} {socket!r}", instead, name)
        return False

    def _connect_ends(self, pipeline: Any, place: Place, ends: list[str]) -> None:
        from haystack.core.errors import PipelineError

        try:
            pipeline.connect(*ends)
        except (PipelineError, ValueError) as error:
            shown = []
            for is_receiver, end in enumerate(ends):
                name, _, socket = end.partition(".")
                sockets = _sockets(pipeline.get_component(name), bool(is_receiver))
                shown.append(
                    f"{end} {'takes' if is_receiver else 'gives'} {_type_name(sockets[socket].type)}"
                    if socket in sockets
                    else end
                )
            reason = "; ".join(shown) if all("." in end for end in ends) else str(error).splitlines()[0]
            self._add(place, f"can't connect {ends[0]} to {ends[1]}: {reason}", component=ends[1].partition(".")[0])

    def _check_inputs(self, pipeline: Any, graph: networkx.DiGraph) -> None:
        """
        Components that nothing leads to are where a pipeline is given its inputs. Anywhere else, an input that must be
        given and isn't connected is forgotten, unless it is a plain value that the pipeline is given anyway: a reranker
        takes the same query as the analyser does.
        """
        opened = {
            name: [socket for socket, details in sockets.items() if details["is_mandatory"]]
            for name, sockets in pipeline.inputs().items()
        }
        given = {
            (socket, pipeline.inputs()[name][socket]["type"])
            for name, sockets in opened.items()
            for socket in sockets
            if not graph.in_degree(name)
        }
        for name in graph:
            if len(graph) > 1 and not graph.degree(name):
                self._add(("components", name), "is connected to nothing", "connect it or take it out")
            elif graph.in_degree(name):
                for socket in opened.get(name, []):
                    kind = pipeline.inputs()[name][socket]["type"]
                    if (socket, kind) not in given or kind not in (str, int, float, bool):
                        self._add(
                            ("components", name),
                            f"input {socket!r} must be given and nothing is connected to it",
                            f"write {{sender: ..., receiver: {name}.{socket}}}",
                        )


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


def _write(proposal: str, allowed: Iterable[str] = ()) -> str:
    if proposal:
        return f"write {proposal}"
    return f"allowed: {', '.join(allowed)}" if allowed else "check the name"


def _dotted(names: Definition, prefix: str = "") -> Iterable[str]:
    """All names that can be referred to; an object of a profile is one name."""
    for key, value in names.items():
        yield f"{prefix}{key}"
        if isinstance(value, dict) and "type" not in value:
            yield from _dotted(value, f"{prefix}{key}.")


def _cycle_through(graph: networkx.DiGraph, sender: str, receiver: str) -> list[str]:
    if not networkx.has_path(graph, receiver, sender):
        return []
    return [sender, *networkx.shortest_path(graph, receiver, sender)]


def _sockets(component: Any, is_receiver: bool) -> dict[str, Any]:
    sockets = component.__haystack_input__ if is_receiver else component.__haystack_output__
    return dict(sockets._sockets_dict)


def _type_name(kind: Any) -> str:
    shown = kind.__name__ if isinstance(kind, type) and not hasattr(kind, "__args__") else str(kind)
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", shown)
