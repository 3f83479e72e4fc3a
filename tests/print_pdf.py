"""Prints HTML to PDF with headless Chromium, laid out like a chapter of the manual: the tests' source of real PDFs."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# The running heads and feet of the manual: section and chapter above, edition and "2100-12" below, sides alternating.
_PAGE = """
@page {{ size: letter; margin: 25mm 19mm 22mm 19mm;
  @top-left {{ content: "{head_left}"; font: {head_font}; }}
  @top-right {{ content: "{head_right}"; font: {head_font}; }}
  @bottom-left {{ content: "{revision}"; font: {head_font}; }}
  @bottom-right {{ content: "{chapter}-" counter(page); font: {head_font}; }} }}
@page :left {{
  @bottom-left {{ content: "{chapter}-" counter(page); }}
  @bottom-right {{ content: "{revision}"; }} }}
html {{ font: {size}pt/1.25 "Liberation Serif", "Times New Roman", serif; }}
body {{ margin: 0; columns: {columns}; column-gap: 8mm; text-align: justify; overflow-wrap: break-word; }}
h1 {{ font-size: {h1}pt; text-align: left; }}
h2, h3, h4 {{ font-size: {size}pt; text-align: left; }}
h1, h2, h3, h4 {{ break-after: avoid; }}
.chapter, .wide {{ column-span: all; }}
.chapter {{ font-size: 18pt; text-align: center; margin: 4mm 0; }}
a {{ color: inherit; text-decoration: none; }}
table {{ border-spacing: 6pt 2pt; text-align: left; }}
td, th {{ vertical-align: top; }}
"""


def find_browser() -> str:
    """
    :returns: The Chromium to print with.
    :raises RuntimeError: If there is none.
    """
    for name in _BROWSERS:
        path = shutil.which(name)
        if path:
            return path
    raise RuntimeError("these tests print with Chromium, which is missing: run tests/install_chromium.sh")


def chapter_css(
    columns: int = 1,
    *,
    head_left: str = "",
    head_right: str = "PATENTABILITY",
    revision: str = "Rev. 07.2015, November 2015",
    chapter: str = "2100",
    size: float = 10,
) -> str:
    """
    The style sheet that lays pages out like the manual's.

    :param columns: Columns a page.
    :param head_left: Text above the page, left; "" for none.
    :param head_right: Text above the page, right.
    :param revision: The edition line below the page.
    :param chapter: What page numbers start with.
    :param size: Body size in points.
    :returns: CSS.
    """
    return _PAGE.format(
        columns=columns,
        head_left=head_left,
        head_right=head_right,
        head_font='9pt "Liberation Serif", "Times New Roman", serif',
        revision=revision,
        chapter=chapter,
        size=size,
        h1=size + 2,
    )


def shy(html: str, every: int = 4) -> str:
    """
    Put soft hyphens into long words, so that lines break inside words whatever hyphenation rules the browser has.

    :param html: HTML.
    :param every: Letters between two soft hyphens.
    :returns: The HTML, tags and entities left alone.
    """

    def split(match: re.Match[str]) -> str:
        word = match.group()
        if word[0] in "<&":
            return word
        return "&shy;".join(word[place : place + every] for place in range(0, len(word), every))

    return re.sub(r"<[^>]*>|&\w+;|\b[a-z]{9,}\b", split, html)


def print_pdf(body: str, css: str) -> bytes:
    """
    Print one HTML page.

    ```python
    data = print_pdf("<h1>2106 Eligibility</h1><p>Text.</p>", chapter_css(columns=2))
    ```

    :param body: The HTML inside `<body>`.
    :param css: The style sheet, as from `chapter_css`.
    :returns: The PDF.
    :raises RuntimeError: If there is no browser or it printed nothing.
    """
    head = f'<meta charset="utf-8"><style>{css}</style>'
    page = f'<!DOCTYPE html><html lang="en"><head>{head}</head><body>{body}</body></html>'
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page, encoding="utf-8")
        command = [
            find_browser(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={target}",
            source.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "HOME": folder})
        if done.returncode or not target.exists():
            raise RuntimeError(f"{command[0]} printed nothing: {done.stderr[-500:]}")
        return target.read_bytes()
