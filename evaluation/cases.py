"""Cases that tell how robust a search is: spellings of one query, and queries that name a thing."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from pipelines.errors import TansakuError

CASES = Path(__file__).parent / "cases"
_VARIATION, _ENTITY = "variation_cases", "entity_cases"
_FIELDS = {
    _VARIATION: ("canonical_form", "variations", "ground_truth_doc_id"),
    _ENTITY: ("query", "ground_truth_doc_ids", "should_not_match"),
}


class CaseError(TansakuError):
    """A case can't be used; the message names the file, the line and the fault."""

    def __init__(self, path: Path, line: int, fault: str):
        self.path, self.line, self.fault = path, line, fault
        super().__init__(f"{path}:{line}: {fault}")


@dataclass(frozen=True)
class VariationCase:
    """
    One document that is searched for in several spellings.

    :param canonical_form: The usual spelling.
    :param variations: Others that mean the same.
    :param ground_truth_doc_id: The document that each of them should find first.
    """

    canonical_form: str
    variations: tuple[str, ...]
    ground_truth_doc_id: str

    @property
    def queries(self) -> tuple[str, ...]:
        """The canonical form, then the variations."""
        return (self.canonical_form, *self.variations)


@dataclass(frozen=True)
class EntityCase:
    """
    A query that names a project, a document, a person, a company, a product or a day.

    :param query: The query.
    :param ground_truth_doc_ids: All documents that hold what it names.
    :param should_not_match: Documents that hold something near it.
    """

    query: str
    ground_truth_doc_ids: tuple[str, ...]
    should_not_match: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cases:
    """All cases of a folder."""

    variations: tuple[VariationCase, ...]
    entities: tuple[EntityCase, ...]


def load_cases(folder: Path = CASES) -> Cases:
    """
    Read the cases of all YAML files in a folder.

    Usage example:
    ```python
    cases = load_cases()
    print(len(cases.variations), len(cases.entities))
    ```

    :param folder: The folder; each file may hold `variation_cases` and `entity_cases`.
    :returns: The cases, in the order of the files' names.
    :raises CaseError: If a file can't be read or a case is wrong.
    """
    found: dict[str, list[dict[str, Any]]] = {_VARIATION: [], _ENTITY: []}
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise CaseError(folder, 1, "there are no cases (*.yaml) in it")
    for path in paths:
        for kind, case in _cases(path):
            found[kind].append(case)
    return Cases(
        tuple(
            VariationCase(case["canonical_form"], tuple(case["variations"]), case["ground_truth_doc_id"])
            for case in found[_VARIATION]
        ),
        tuple(
            EntityCase(case["query"], tuple(case["ground_truth_doc_ids"]), tuple(case.get("should_not_match", ())))
            for case in found[_ENTITY]
        ),
    )


def _cases(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        text = path.read_text(encoding="utf-8")
        data, root = yaml.safe_load(text), yaml.compose(text, Loader=yaml.SafeLoader)
    except (OSError, ValueError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        raise CaseError(path, mark.line + 1 if mark else 1, " ".join(str(error).split())) from error
    if not isinstance(data, dict) or not isinstance(root, yaml.MappingNode):
        raise CaseError(path, 1, f"{_VARIATION} or {_ENTITY} are expected")
    for key, node in root.value:
        kind = key.value
        if kind not in _FIELDS or not isinstance(data[kind], list):
            raise CaseError(path, key.start_mark.line + 1, f"a list {_VARIATION} or {_ENTITY} is expected, not {kind}")
        for case, place in zip(data[kind], node.value, strict=True):
            if fault := _fault(kind, case):
                raise CaseError(path, place.start_mark.line + 1, fault)
            yield kind, case


def _fault(kind: str, case: Any) -> str:
    """What is wrong with a case; empty when nothing is."""
    names = _FIELDS[kind]
    if not isinstance(case, dict) or set(case) - set(names):
        return f"a case has the fields {', '.join(names)}"
    for name in names:
        value = case.get(name)
        if name in ("variations", "ground_truth_doc_ids", "should_not_match"):
            if name == "should_not_match" and value is None:
                continue
            if not isinstance(value, list) or not value or not all(isinstance(item, str) and item for item in value):
                return f"{name!r} must be a list of strings that aren't empty, not {value!r}"
        elif not isinstance(value, str) or not value.strip():
            return f"{name!r} must be a string that isn't empty, not {value!r}"
    both = set(case.get("ground_truth_doc_ids", ())) & set(case.get("should_not_match") or ())
    return f"{sorted(both)[0]!r} can't both match and not match" if both else ""
