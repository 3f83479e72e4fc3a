"""Checks how the components of a pipeline file are connected."""

import re
from typing import Any, Protocol

import networkx

from pipelines.component_types import instead, nearest
from pipelines.loading import Definition, prepare_haystack
from pipelines.yaml_lines import Place

prepare_haystack()


class AddProblem(Protocol):
    """Notes a problem at a place of the file."""

    def __call__(self, place: Place, message: str, instead: str = "", component: str = "") -> None: ...


class ConnectionChecker:
    """
    Connects components one by one, as Haystack would, and notes what can't be connected and what is left open.

    :param components: The resolved `components:` of the file.
    :param built: Those of them that could be made.
    :param add: Notes a problem.
    """

    def __init__(self, components: Definition, built: dict[str, Any], add: AddProblem):
        from haystack import Pipeline

        self._components = components
        self._built = built
        self._add = add
        self._pipeline = Pipeline()
        for name, instance in built.items():
            self._pipeline.add_component(name, instance)
        self._graph = networkx.DiGraph()
        self._graph.add_nodes_from(components)

    def check(self, connections: Any) -> None:
        """
        Check each connection.

        :param connections: The resolved `connections:` of the file.
        """
        if not isinstance(connections, list):
            self._add(
                ("connections",), "`connections:` must be a list", "write - {sender: a.output, receiver: b.input}"
            )
            return
        for position, connection in enumerate(connections):
            place = ("connections", position)
            if not isinstance(connection, dict) or set(connection) != {"sender", "receiver"}:
                self._add(
                    place, "a connection has a sender and a receiver", "write {sender: a.output, receiver: b.input}"
                )
                continue
            ends = [str(connection["sender"]), str(connection["receiver"])]
            if not all(self._check_end(place, end, bool(k)) for k, end in enumerate(ends)):
                continue
            sender, receiver = (end.partition(".")[0] for end in ends)
            self._graph.add_edge(sender, receiver)
            if cycle := _cycle_through(self._graph, sender, receiver):
                self._add(
                    place, f"closes a circle: {' -> '.join(cycle)}", "take one of these connections out", receiver
                )
                self._graph.remove_edge(sender, receiver)
            elif sender in self._built and receiver in self._built:
                self._connect(place, ends)

    def check_inputs(self) -> None:
        """
        Find inputs that nothing is connected to.

        Components that nothing leads to are where a pipeline is given its inputs. Anywhere else, an input that must be
        given and isn't connected is forgotten, unless it is a plain value that the pipeline is given anyway: a reranker
        takes the same query as the analyser does.
        """
        inputs = self._pipeline.inputs()
        opened = {
            name: [socket for socket, details in sockets.items() if details["is_mandatory"]]
            for name, sockets in inputs.items()
        }
        given = {
            (socket, inputs[name][socket]["type"])
            for name, sockets in opened.items()
            for socket in sockets
            if not self._graph.in_degree(name)
        }
        for name in self._graph:
            if len(self._graph) > 1 and not self._graph.degree(name):
                self._add(("components", name), "is connected to nothing", "connect it or take it out")
            elif self._graph.in_degree(name):
                for socket in opened.get(name, []):
                    kind = inputs[name][socket]["type"]
                    if (socket, kind) not in given or kind not in (str, int, float, bool):
                        self._add(
                            ("components", name),
                            f"input {socket!r} must be given and nothing is connected to it",
                            f"write {{sender: ..., receiver: {name}.{socket}}}",
                        )

    def _check_end(self, place: Place, end: str, is_receiver: bool) -> bool:
        name, _, socket = end.partition(".")
        if name not in self._components:
            near = nearest(name, self._components)
            self._add(place, f"unknown component {name!r} in a connection", instead(near, self._components), name)
            return False
        if name not in self._built or not socket:
            return True
        sockets = _sockets(self._built[name], is_receiver)
        if socket in sockets:
            return True
        kind = "input" if is_receiver else "output"
        proposal = instead(f"{name}.{near}" if (near := nearest(socket, sockets)) else "", sockets)
        self._add(place, f"{name} has no {kind} {socket!r}", proposal, name)
        return False

    def _connect(self, place: Place, ends: list[str]) -> None:
        from haystack.core.errors import PipelineError

        try:
            self._pipeline.connect(*ends)
        except (PipelineError, ValueError) as error:
            reason = str(error).splitlines()[0]
            shown = []
            for is_receiver, end in enumerate(ends):
                name, _, socket = end.partition(".")
                sockets = _sockets(self._built[name], bool(is_receiver))
                shown.append(
                    f"{end} {'takes' if is_receiver else 'gives'} {_type_name(sockets[socket].type)}"
                    if socket in sockets
                    else end
                )
            if "do not match" in reason and all("." in end for end in ends):
                reason = "; ".join(shown)
            self._add(place, f"can't connect {ends[0]} to {ends[1]}: {reason}", component=ends[1].partition(".")[0])


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
