"""Finding files by the links of web pages."""

import re
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree, html

_NAME = re.compile(r"[\w][\w.@()%, -]*\Z")


def links_of(body: bytes, url: str) -> list[str]:
    """
    The links of a page as whole addresses without fragments, in order.

    :param body: The HTML.
    :param url: Where it came from.
    :returns: The addresses; none when the page can't be read.
    """
    try:
        root = html.document_fromstring(body)
    except (etree.ParserError, ValueError):
        return []
    links = (urljoin(url, anchor.get("href", "").strip()).partition("#")[0] for anchor in root.iterfind(".//a[@href]"))
    return [link for link in dict.fromkeys(links) if urlsplit(link).scheme in ("http", "https") and name_of(link)]


def name_of(url: str) -> str:
    """The file name in an address; "" if it has none that is safe to use as one."""
    name = unquote(urlsplit(url).path).rpartition("/")[2]
    return name if _NAME.match(name) else ""


def natural_order(url: str) -> list[tuple[int, str]]:
    """
    Order of names with numbers in them: release 119-9 comes before 119-73.

    :param url: The address of a file.
    :returns: A sort key.
    """
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name_of(url))]
