"""Federal Register documents from federalregister.gov's API: the search, page by page, and each document's body."""

import json
import os
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipelines.download_sources import DownloadSource
from pipelines.fetching import Fetched, Fetcher, FetchError, UnreachableError

if TYPE_CHECKING:
    from pipelines.downloading import Report, SourceReport

_FIELDS = (
    "document_number",
    "title",
    "type",
    "action",
    "abstract",
    "citation",
    "publication_date",
    "effective_on",
    "html_url",
    "cfr_references",
    "docket_ids",
    "body_html_url",
    "full_text_xml_url",
    "raw_text_url",
)
# Where a document's body is, and the field that the converter finds it in; the best form first.
_BODIES = (("body_html_url", "body_html"), ("full_text_xml_url", "body_xml"), ("raw_text_url", "raw_text"))
_PER_PAGE = 100


def fetch_documents(
    fetcher: Fetcher, source: DownloadSource, folder: Path, report: "SourceReport", progress: "Report"
) -> None:
    """
    Fetch all documents of an agency, each into a JSON file of its own with its body in it.

    A published document never changes, so one that is there already is not fetched again.

    :param fetcher: Fetches.
    :param source: What to look for.
    :param folder: Where the files go.
    :param report: What came is counted there.
    :param progress: Is told about it.
    :raises FetchError: When the search itself fails.
    :raises UnreachableError: When the network is gone, or goes in between.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = _search(fetcher, source)
    for done, entry in enumerate(found):
        progress(source.name, done, len(found))
        target = folder / f"{entry['document_number']}.json"
        if target.exists():
            report.add(Fetched("unchanged", target.stat().st_size))
            continue
        try:
            document = {**entry, **_body(fetcher, source, entry)}
        except UnreachableError:
            raise
        except FetchError as error:
            report.fail(str(entry.get("html_url") or target.name), error)
            continue
        partial = folder / f".{target.name}.part"
        partial.write_text(json.dumps(document, ensure_ascii=False, indent=1), encoding="utf-8")
        os.replace(partial, target)
        report.add(Fetched("downloaded", target.stat().st_size))
    progress(source.name, len(found), len(found))
    days = sorted(str(entry.get("publication_date") or "") for entry in found)
    report.edition = f"published {days[0]} to {days[-1]}" if days else f"none since {source.since}"


def _search(fetcher: Fetcher, source: DownloadSource) -> list[dict[str, Any]]:
    """All matching documents; year by year, because the API ends a search after 2,000 of them."""
    first = date.fromisoformat(source.since)
    found: dict[str, dict[str, Any]] = {}
    for year in range(first.year, date.today().year + 1):
        conditions: dict[str, Any] = {
            "conditions[agencies][]": source.agency,
            "conditions[type][]": source.types,
            "conditions[publication_date][gte]": max(first, date(year, 1, 1)).isoformat(),
            "conditions[publication_date][lte]": date(year, 12, 31).isoformat(),
            "order": "oldest",
            "per_page": _PER_PAGE,
            "fields[]": list(_FIELDS),
        }
        page, pages = 1, 1
        while page <= pages:
            url = source.base + source.documents
            answer = _json(fetcher.page(url, {**conditions, "page": page})[0], url)
            pages = int(answer.get("total_pages") or 0)
            for entry in answer.get("results") or []:
                number = str(entry.get("document_number") or "")
                if number and "/" not in number and not number.startswith("."):
                    found[number] = entry
            page += 1
    return list(found.values())


def _json(body: bytes, url: str) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except ValueError as error:
        raise FetchError(f"{url}: what came is not JSON") from error
    if not isinstance(answer, dict) or "count" not in answer:
        raise FetchError(f"{url}: what came is not a search answer of the Federal Register's API")
    return answer


def _body(fetcher: Fetcher, source: DownloadSource, entry: dict[str, Any]) -> dict[str, str]:
    """The document's body in the best form that can be had; nothing where the Office offers none."""
    reason: FetchError | None = None
    for link, name in _BODIES:
        url = entry.get(link)
        if not isinstance(url, str) or not url:
            continue
        if source.official_base and url.startswith(source.official_base):
            url = source.base + url.removeprefix(source.official_base)
        try:
            body = fetcher.page(url)[0].decode("utf-8", errors="replace")
        except UnreachableError:
            raise
        except FetchError as error:
            reason = error
            continue
        if "<" in body or name == "raw_text":
            return {name: body}
        reason = FetchError(f"{url}: what came is no document")
    if reason:
        raise reason
    return {}
