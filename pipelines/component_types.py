"""Which component types there are, and what their constructors take."""

import ast
import importlib
import inspect
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from pipelines import PROJECT
from pipelines.loading import TRUSTED_PACKAGES, prepare_haystack


@cache
def own_types() -> tuple[str, ...]:
    """The dotted names of the project's own components and document stores, found without importing them."""
    found = []
    for package in TRUSTED_PACKAGES:
        for file in sorted((PROJECT / package).rglob("*.py")):
            module = ".".join(file.relative_to(PROJECT).with_suffix("").parts)
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and (_is_component(node) or node.name.endswith("DocumentStore")):
                    found.append(f"{module}.{node.name}")
    return tuple(found)


def find_class(dotted: str) -> type | None:
    """The class of that dotted name; None when there is none."""
    prepare_haystack()
    module, _, name = dotted.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name, None)
    except (ImportError, ValueError):
        return None
    return found if isinstance(found, type) else None


def nearest_type(dotted: str) -> str:
    """The known type that is written most like `dotted`; empty when none comes close."""
    name = dotted.rpartition(".")[2]
    by_name = {known.rpartition(".")[2]: known for known in (*_haystack_types(dotted), *own_types())}
    close = get_close_matches(name, by_name, n=1, cutoff=0.6)
    return by_name[close[0]] if close else nearest(dotted, own_types())


def nearest(word: str, known: Any, cutoff: float = 0.6) -> str:
    """The word of `known` that is written most like `word`; empty when none comes close."""
    close = get_close_matches(word, list(known), n=1, cutoff=cutoff)
    return close[0] if close else ""


def instead(proposal: str, allowed: Iterable[str] = ()) -> str:
    """What a message proposes: the nearest name, or all that are allowed."""
    if proposal:
        return f"write {proposal}"
    return f"allowed: {', '.join(allowed)}" if allowed else "check the name"


def parameters(cls: type) -> dict[str, inspect.Parameter] | None:
    """The constructor's parameters by name; None when it takes any name."""
    found = dict(list(inspect.signature(cls.__init__).parameters.items())[1:])  # type: ignore[misc]
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in found.values()):
        return None
    return found


def _haystack_types(dotted: str) -> list[str]:
    """Types in the Haystack module that is nearest to the one named."""
    module = dotted.rpartition(".")[0]
    while module.startswith("haystack"):
        try:
            loaded = importlib.import_module(module)
        except ImportError:
            module = module.rpartition(".")[0]
            continue
        folder = Path(loaded.__file__ or "").parent
        names = [name for name in dir(loaded) if name[:1].isupper()]
        if names or not folder.is_dir():
            return [
                f"{getattr(loaded, name).__module__}.{name}" for name in names if hasattr(getattr(loaded, name), "run")
            ]
        return []
    return []


def _is_component(node: ast.ClassDef) -> bool:
    return any(isinstance(decorator, ast.Name) and decorator.id == "component" for decorator in node.decorator_list)
