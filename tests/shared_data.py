"""The real data beside the project, for tests that check against it where it exists."""

from pathlib import Path

_SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared_data(*parts: str) -> Path | None:
    """
    A file or folder of ../shared/data.

    ```python
    archive = shared_data("us-patent-law", "uspto-mpep-html.tar.xz")
    pages = archive if archive else Path("tests/components/converters/data")
    ```

    :param parts: The path below the data folder.
    :returns: The path; None where it doesn't exist, so that the test runs on the project's own samples.
    """
    path = _SHARED_DATA.joinpath(*parts)
    return path if path.exists() else None
