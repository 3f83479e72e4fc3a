"""Reading USLM elements: names without namespaces, text without footnotes, tables as lines."""

from collections.abc import Iterator

from lxml import etree

from components.converters.record import clean

LEVELS = frozenset(
    ["subsection", "paragraph", "subparagraph", "clause", "subclause", "item", "subitem", "subsubitem", "level"]
)


def local_name(element: etree._Element) -> str:
    """An element's name without its namespace; "" for what isn't an element."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def iterate(root: etree._Element, name: str) -> Iterator[etree._Element]:
    """All elements of a name below `root`, in any namespace."""
    return root.iter(f"{{*}}{name}")


def first_child(element: etree._Element, name: str) -> etree._Element | None:
    """The first child of a name."""
    return next((child for child in element if local_name(child) == name), None)


def text_of(element: etree._Element | None, *, skip: frozenset[str] = frozenset()) -> str:
    """All text under an element, without footnotes, their marks, and the elements in `skip`."""
    if element is None:
        return ""
    parts = [element.text or ""]
    for child in element:
        name = local_name(child)
        footnote = (name == "ref" and child.get("class") == "footnoteRef") or (
            name == "note" and child.get("type") == "footnote"
        )
        # A superscript digit in statute text is the mark of a footnote that was already given.
        mark = name == "sup" and (child.text or "").strip().isdigit()
        if not footnote and not mark and name not in skip:
            inner = text_of(child, skip=skip)
            # Block elements inside running text don't bring their own white space.
            parts.append(f" {inner} " if name in LEVELS or name in ("p", "chapeau", "content", "num") else inner)
        parts.append(child.tail or "")
    return "".join(parts)


def table_lines(element: etree._Element) -> str:
    """A table's rows as lines, cells parted by bars."""
    rows = list(element.iter("{*}tr", "{*}tocItem"))
    lines = [" | ".join(clean(text_of(cell)) for cell in row) for row in rows]
    return "\n".join(line for line in lines if line.strip(" |"))
