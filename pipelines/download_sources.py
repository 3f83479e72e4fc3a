"""What can be downloaded for a corpus: config/downloads.yaml, read and checked."""

import re
from dataclasses import dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from pipelines.errors import ArgumentError, ConfigError
from pipelines.settings import PROJECT

DOWNLOADS_FILE = PROJECT / "config" / "downloads.yaml"
_PATTERNS = ("follow", "files", "edition")


@dataclass(frozen=True)
class DownloadSource:
    """
    One official source, as config/downloads.yaml describes it.

    :param name: Its key in the file, and the name of its folder.
    :param title: For the reader.
    :param base: Scheme and host, in front of the paths below.
    :param start: Page whose links lead to the files.
    :param follow: File names of pages whose links are looked at as well, as a regular expression.
    :param files: File names to fetch, as a regular expression.
    :param newest: Fetch only the last of them in order of their names.
    :param file: Path of one file to fetch, where no page has to be read.
    :param documents: Path of the Federal Register API's document search.
    :param agency: The API's name of the agency.
    :param types: The API's document types.
    :param since: The first day of publication.
    :param expect: Kinds that the files must be recognised as.
    :param edition: Regular expression with one group that finds the edition.
    :param pause: Seconds between two requests.
    :param official_base: `base` as the file has it, where it was replaced.
    """

    name: str
    title: str
    base: str
    start: str = ""
    follow: str = ""
    files: str = ""
    newest: bool = False
    file: str = ""
    documents: str = ""
    agency: str = ""
    types: list[str] = field(default_factory=list)
    since: str = ""
    expect: list[str] = field(default_factory=list)
    edition: str = ""
    pause: float = 0.1
    official_base: str = ""


def load_download_sources(
    corpus: str,
    only: list[str] | None = None,
    bases: dict[str, str] | None = None,
    since: date | None = None,
    file: Path = DOWNLOADS_FILE,
) -> list[DownloadSource]:
    """
    Read what a corpus can be downloaded from.

    ```python
    [source.name for source in load_download_sources("us-patent-law")]  # ["mpep-html", "mpep-pdf", "usc", ...]
    ```

    :param corpus: The corpus's name.
    :param only: Names of the sources wanted; all when empty.
    :param bases: Other hosts by source name.
    :param since: Another first day of publication.
    :param file: The configuration file.
    :returns: The sources, in the file's order.
    :raises ArgumentError: If a corpus or source isn't in the file, or a base is no address.
    :raises ConfigError: If the file is wrong.
    """
    try:
        config = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise ConfigError(f"{file}: {error}") from error
    if not isinstance(config, dict) or not all(isinstance(entry, dict) for entry in config.values()):
        raise ConfigError(f"{file}: the name of a corpus and below it the names of its sources are expected")
    if corpus not in config:
        raise ArgumentError("corpus", corpus, "one of " + ", ".join(config))
    entries = config[corpus]
    for name in [*(only or []), *(bases or {})]:
        if name not in entries:
            raise ArgumentError("source", name, "one of " + ", ".join(entries))
    for base in (bases or {}).values():
        if not re.match(r"https?://[^/\s]+", base):
            raise ArgumentError("base", base, "an address that starts with http:// or https://")
    return [
        _source(file, name, entry, (bases or {}).get(name, ""), since)
        for name, entry in entries.items()
        if not only or name in only
    ]


def _source(file: Path, name: str, entry: Any, base: str, since: date | None) -> DownloadSource:
    known = [field.name for field in fields(DownloadSource) if field.name not in ("name", "official_base")]
    unknown = [key for key in entry if key not in known] if isinstance(entry, dict) else ["?"]
    if unknown:
        raise ConfigError(f"{file}: {name}: {unknown[0]!r} is not one of {', '.join(known)}")
    values = {**entry, "since": str(since or entry.get("since") or "")}
    values["official_base"] = str(entry.get("base", ""))
    values["base"] = (base or values["official_base"]).rstrip("/")
    try:
        source = DownloadSource(name=name, **values)
        for pattern in _PATTERNS:
            re.compile(getattr(source, pattern))
    except (TypeError, re.error) as error:
        raise ConfigError(f"{file}: {name}: {error}") from error
    if not source.base or sum(map(bool, (source.start and source.files, source.file, source.documents))) != 1:
        raise ConfigError(f"{file}: {name}: base, and either start with files, or file, or documents are needed")
    return source
