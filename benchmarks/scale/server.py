"""What a search server says of an index and of itself."""

import os
from pathlib import Path
from typing import Any

import httpx

from components.stores.elasticsearch_client import authorization


class SearchServerFigures:
    """
    Asks an Elasticsearch or OpenSearch server for sizes.

    Usage example:
    ```python
    SearchServerFigures("http://127.0.0.1:9200").index("chunks")["bytes"]
    ```

    :param url: Its URL; ELASTICSEARCH_API_KEY, or ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD, let in.
    """

    def __init__(self, url: str):
        names = ("API_KEY", "USERNAME", "PASSWORD")
        header = authorization(*(os.environ.get(f"ELASTICSEARCH_{name}") for name in names))
        headers = {"authorization": header} if header else {}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=600, verify=_trusted())

    def index(self, name: str) -> dict[str, int]:
        """
        Write out what is in memory, and measure.

        :param name: The index.
        :returns: "documents", "bytes" on disk and "segments".
        """
        self._http.post(f"/{name}/_flush").raise_for_status()
        figures = self._get(f"/{name}/_stats/docs,store,segments")["_all"]["primaries"]
        return {
            "documents": figures["docs"]["count"],
            "bytes": figures["store"]["size_in_bytes"],
            "segments": figures["segments"]["count"],
        }

    def fields(self, name: str) -> dict[str, int]:
        """
        What each field takes.

        :param name: The index.
        :returns: Field -> bytes; none where the server can't tell.
        """
        answer = self._http.post(f"/{name}/_disk_usage?run_expensive_tasks=true")
        if answer.status_code != httpx.codes.OK:
            return {}
        found = answer.json()[name]["fields"]
        return {field: figures["total_in_bytes"] for field, figures in found.items() if figures["total_in_bytes"]}

    def merge(self, name: str) -> None:
        """
        Make one segment of an index.

        :param name: The index.
        """
        self._http.post(f"/{name}/_forcemerge?max_num_segments=1", timeout=7200).raise_for_status()

    def memory(self) -> dict[str, int]:
        """
        What its process takes, if it runs here.

        :returns: "heap_mib", the heap's limit, and "peak_mib" of the process.
        """
        [node] = self._get("/_nodes/jvm,process")["nodes"].values()
        figures = {"heap_mib": node["jvm"]["mem"]["heap_max_in_bytes"] >> 20}
        status = Path(f"/proc/{node['process']['id']}/status")
        if status.is_file():
            lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
            figures["peak_mib"] = int(lines["VmHWM"].split()[0]) >> 10
        return figures

    def cpu_seconds(self) -> float:
        """
        What the server has computed since it started, which other processes on the machine don't change.

        :returns: Seconds of one core.
        """
        [node] = self._get("/_nodes/stats/process")["nodes"].values()
        return node["process"]["cpu"]["total_in_millis"] / 1000

    def _get(self, path: str) -> Any:
        return self._http.get(path).raise_for_status().json()


def _trusted() -> Any:
    return os.environ.get("ELASTICSEARCH_CA_CERTS") or True
