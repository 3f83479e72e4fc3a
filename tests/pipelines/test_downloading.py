import io
import json
import runpy
import zipfile
from datetime import date
from pathlib import Path

import pytest
import yaml

from pipelines.corpora import get_corpus
from pipelines.download_links import links_of, name_of, natural_order
from pipelines.download_sources import load_download_sources
from pipelines.downloading import Downloader, _lock
from pipelines.errors import ArgumentError, ConfigError, TansakuError
from pipelines.fetching import Fetcher, RetryPolicy

ROOT = Path(__file__).parents[2]
FileServer = runpy.run_path(str(ROOT / "tests/servers/file_server.py"))["FileServer"]
SAMPLES = ROOT / "samples/us_patent_law"
MPEP = "/web/offices/pac/mpep/"
CFR = "/bulkdata/ECFR/title-37/ECFR-title37.xml"
USC = "/download/releasepoints/us/pl/199/10/xml_usc35@199-10.zip"
API = "/api/v1/documents.json"
OFFICIAL = "https://www.federalregister.gov"


def zipped(name, data):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return buffer.getvalue()


def fr_entry(number, day, **links):
    entry = {"document_number": number, "title": f"Notice {number}", "type": "Notice", "publication_date": day}
    return {**entry, "abstract": "Ours.", "html_url": f"{OFFICIAL}/d/{number}", **links}


ENTRIES = [
    fr_entry("2030-00001", "2025-01-02", body_html_url=f"{OFFICIAL}/body/1.html", raw_text_url=f"{OFFICIAL}/raw/1"),
    fr_entry("2030-00002", "2025-02-02", body_html_url=None, full_text_xml_url=f"{OFFICIAL}/xml/2.xml"),
    fr_entry("2030-00003", "2025-03-02", body_html_url=f"{OFFICIAL}/body/3.html", raw_text_url=f"{OFFICIAL}/raw/3"),
    fr_entry("2030-00004", "2025-04-02"),
    fr_entry("../evil", "2025-04-03"),
]


def search(query):
    """Two documents a page, as the API answers; all documents are of 2025."""
    in_2025 = query["conditions[publication_date][gte]"][0][:4] == "2025"
    found = ENTRIES if in_2025 else []
    page = int(query["page"][0])
    answer = {"count": len(found), "total_pages": -(-len(found) // 2), "results": found[2 * page - 2 : 2 * page]}
    return json.dumps(answer).encode()


@pytest.fixture
def server():
    with FileServer() as running:
        index = (
            "<h1>Manual of Patent Examining Procedure</h1><p>Sample Edition, January 2030</p>"
            '<a href="mpep-0600.html#top">600</a> <a href="mpep-2100.html">2100</a> <a href="mpep-0600.pdf">PDF</a>'
            '<a href="mpep-9015-appx-x.html">X</a><a href="../other/s1.html">x</a><a href="mailto:x@y">y</a>'
            '<a href="https://elsewhere.example/web/offices/pac/mpep/s1.html">z</a>'
        )
        running.files = {
            MPEP + "index.html": index.encode(),
            MPEP + "mpep-0600.html": (SAMPLES / "mpep/mpep-0600.html").read_bytes(),
            MPEP + "mpep-2100.html": (SAMPLES / "mpep/mpep-2100.html").read_bytes(),
            MPEP + "mpep-0600.pdf": b"%PDF-1.7\n...\n%%EOF\n",
            **{MPEP + p.name: p.read_bytes() for p in (SAMPLES / "mpep").glob("s*.html") if p.name[1] in "62"},
            "/download/download.shtml": (
                b'<h3 class="releasepointinformation">Public Law 199-10 (01/15/2030)</h3>'
                b'<a href="releasepoints/us/pl/199/9/xml_usc35@199-9.zip">old</a>'
                b'<a href="releasepoints/us/pl/199/10/xml_usc35@199-10.zip">new</a>'
            ),
            USC: zipped("usc35.xml", (SAMPLES / "usc35.xml").read_bytes()),
            CFR: (SAMPLES / "title-37.xml").read_bytes(),
            API: search,
            "/body/1.html": b"<p>First body.</p>",
            "/xml/2.xml": b"<NOTICE><P>Second body.</P></NOTICE>",
            "/raw/3": b"Third body, as text.",
        }
        yield running


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "law"


def run(server, folder, *only, since=date(2024, 1, 1), bases=None, sleep=lambda seconds: None):
    names = ["mpep-html", "mpep-pdf", "usc", "cfr", "federal-register"]
    addresses = {**dict.fromkeys(names, server.url), **(bases or {})}
    sources = load_download_sources("us-patent-law", list(only), addresses, since)
    policy = RetryPolicy(attempts=2, timeout=5.0, pause=0.0, unreachable_attempts=2)
    seen = []
    downloader = Downloader(
        get_corpus("us-patent-law"),
        folder,
        lambda source: Fetcher(policy, sleep=sleep),
        lambda *step: seen.append(step),
    )
    return {report.name: report for report in downloader.run(sources)}, seen


def visible(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file() and p.name[0] != ".")


def test_everything(server, folder):
    reports, seen = run(server, folder)
    assert all(report.failures == [] for report in reports.values())
    assert {name: report.edition for name, report in reports.items()} == {
        "mpep-html": "Sample Edition, January 2030",
        "mpep-pdf": "Sample Edition, January 2030",
        "usc": "Public Law 199-10 (01/15/2030)",
        "cfr": "Jan. 15, 2030",
        "federal-register": "published 2025-01-02 to 2025-04-02",
    }
    linked = {path.name for pattern in ("s6??.html", "s21??.html") for path in (SAMPLES / "mpep").glob(pattern)}
    assert visible(folder) == sorted(
        [f"mpep-html/{name}" for name in linked]
        + ["mpep-pdf/mpep-0600.pdf", "usc/xml_usc35@199-10.zip", "cfr/ECFR-title37.xml"]
        + [f"federal-register/2030-0000{n}.json" for n in (1, 2, 3, 4)]
    )
    assert ("mpep-html", len(linked), len(linked)) in seen
    assert ("federal-register", 4, 4) in seen
    assert any(step == "cfr KiB" and total for step, _, total in seen)


def test_bodies_of_federal_register_documents(server, folder):
    run(server, folder, "federal-register")
    documents = [json.loads(path.read_text("utf-8")) for path in sorted((folder / "federal-register").glob("*.json"))]
    assert documents[0]["body_html"] == "<p>First body.</p>"
    assert documents[1]["body_xml"] == "<NOTICE><P>Second body.</P></NOTICE>"
    # The HTML of the third is missing on the server, so its text is taken.
    assert documents[2]["raw_text"] == "Third body, as text."
    assert not {"body_html", "body_xml", "raw_text"} & set(documents[3])


def test_a_second_run_fetches_nothing(server, folder):
    run(server, folder)
    server.requests.clear()
    reports, _ = run(server, folder)
    assert {state for report in reports.values() for state in report.states} == {"unchanged"}
    asked = [path for path, _ in server.requests]
    assert not [path for path in asked if path.startswith(("/body", "/xml/", "/raw"))]
    assert server.asked(CFR)[0]["If-None-Match"]
    assert reports["cfr"].edition == "Jan. 15, 2030"


def test_a_newer_version_replaces_the_old_one(server, folder):
    run(server, folder, "cfr")
    server.files[CFR] = server.files[CFR].replace(b"Jan. 15, 2030", b"March 3, 2031")
    server.etags[CFR] = '"newer"'
    reports, _ = run(server, folder, "cfr")
    assert (reports["cfr"].states, reports["cfr"].edition) == ({"downloaded": 1}, "March 3, 2031")


def test_one_failure_does_not_stop_the_rest(server, folder):
    server.files[MPEP + "s608.html"] = None
    server.faults[CFR] = ["garbage"] * 3
    server.faults["/download/download.shtml"] = ["status:500"] * 3
    server.files["/raw/3"] = None
    reports, _ = run(server, folder)
    reasons = {name: [f["reason"] for f in report.failures] for name, report in reports.items()}
    assert reasons["mpep-html"] == ["the server answered 404 Not Found"]
    assert reasons["cfr"] == ["what came is not ecfr_xml but: an HTML page that is not of the MPEP"]
    assert reasons["usc"] == ["the server answered 500 Internal Server Error (tried 2 times)"]
    assert reasons["federal-register"][0].endswith("the server answered 404 Not Found")
    assert reports["federal-register"].files == 3
    assert reports["mpep-html"].files > 10


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (zipped("readme.txt", b"nothing"), "the archive holds no uslm_xml"),
        (zipped("usc35.xml", b"<uscDoc/>" * 999)[:-40], "the archive is not complete"),
        (zipped("usc35.xml", b"<uscDoc>")[:34] + b"#" + zipped("usc35.xml", b"<uscDoc>")[35:], "the archive"),
    ],
    ids=["foreign", "cut", "damaged"],
)
def test_archives_are_checked(server, folder, data, reason):
    server.files[USC] = data
    reports, _ = run(server, folder, "usc")
    assert reason in reports["usc"].failures[0]["reason"]
    assert visible(folder) == []


def test_a_pdf_that_was_cut_without_a_length_is_noticed(server, folder):
    server.faults[MPEP + "mpep-0600.pdf"] = ["unsized:12"] * 2
    reports, _ = run(server, folder, "mpep-pdf")
    assert reports["mpep-pdf"].failures[0]["reason"] == "the PDF is not complete"


def test_a_page_without_the_links_is_named(server, folder):
    server.files[MPEP + "index.html"] = b"<p>moved</p>"
    reports, _ = run(server, folder, "mpep-html")
    assert "the page has no link to" in reports["mpep-html"].failures[0]["reason"]


def test_a_search_that_answers_garbage_is_named(server, folder):
    server.faults[API] = ["garbage"]
    reports, _ = run(server, folder, "federal-register")
    assert reports["federal-register"].failures[0]["reason"].endswith("what came is not JSON")


def test_the_search_asks_year_by_year(server, folder):
    asked = []
    server.files[API] = lambda query: asked.append(query) or search(query)
    run(server, folder, "federal-register", since=date(2024, 6, 15))
    assert asked[0]["conditions[publication_date][gte]"] == ["2024-06-15"]
    assert asked[0]["conditions[publication_date][lte]"] == ["2024-12-31"]
    assert asked[1]["conditions[publication_date][gte]"] == ["2025-01-01"]
    assert asked[0]["conditions[agencies][]"] == ["patent-and-trademark-office"]
    assert asked[0]["conditions[type][]"] == ["RULE", "PRORULE", "NOTICE"]


def test_two_downloads_into_one_folder(server, folder):
    with _lock(folder), pytest.raises(TansakuError, match="another download is writing there"):
        run(server, folder, "cfr")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://x/a/s1813%20-%201816.html", "s1813 - 1816.html"),
        ("https://x/a/xml_usc35@119-73not60.zip?x=1", "xml_usc35@119-73not60.zip"),
        ("https://x/a/..", ""),
        ("https://x/a/%2e%2e%2fetc", "etc"),
        ("https://x/a/.hidden", ""),
        ("https://x/a/", ""),
    ],
)
def test_name_of(url, name):
    assert name_of(url) == name


def test_links_of():
    body = b'<a href=" b.html#x">1</a><a href="b.html">2</a><a>3</a><a href="ftp://h/c.html">4</a>'
    assert links_of(body, "https://h/a/index.html") == ["https://h/a/b.html"]
    assert links_of(b"", "https://h/") == []


def test_natural_order():
    urls = [f"https://h/xml_usc35@119-{n}.zip" for n in ("9", "73not60", "73", "100")]
    assert [name_of(url)[14:-4] for url in sorted(urls, key=natural_order)] == ["9", "73", "73not60", "100"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"corpus": "x"}, "corpus: 'x' is not allowed; it must be one of us-patent-law"),
        ({"only": ["x"]}, "source: 'x' is not allowed; it must be one of mpep-html, mpep-pdf, usc, cfr, federal-r"),
        ({"bases": {"x": "http://h"}}, "source: 'x' is not allowed"),
        ({"bases": {"usc": "h"}}, "base: 'h' is not allowed; it must be an address that starts with http"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ArgumentError, match=message.replace("(", "\\(")):
        load_download_sources(**{"corpus": "us-patent-law", **arguments})


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"title": "T", "base": "http://h", "fil": "/x"}, "'fil' is not one of title, base"),
        ({"title": "T", "base": "http://h"}, "base, and either start with files, or file, or documents are needed"),
        ({"title": "T", "file": "/x"}, "base, and either"),
        ({"title": "T", "base": "http://h", "start": "/", "files": "("}, "s: "),
        ({"base": "http://h", "file": "/x"}, "title"),
        ("x", r"'\?' is not one of"),
    ],
)
def test_wrong_configuration(tmp_path, entry, message):
    path = tmp_path / "downloads.yaml"
    path.write_text(yaml.safe_dump({"us-patent-law": {"s": entry}}))
    with pytest.raises(ConfigError, match=message):
        load_download_sources("us-patent-law", file=path)


@pytest.mark.parametrize("text", ["[1, 2]", "a: [", "a: 1"])
def test_a_file_that_is_no_configuration(tmp_path, text):
    path = tmp_path / "downloads.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"downloads\.yaml"):
        load_download_sources("a", file=path)


def test_without_a_network_each_host_is_given_up_soon(server, folder):
    gone = {"mpep-html": "http://a.invalid", "mpep-pdf": "http://a.invalid", "usc": "http://b.invalid"}
    waits = []

    reports, _ = run(server, folder, "mpep-html", "mpep-pdf", "usc", "cfr", bases=gone, sleep=waits.append)

    assert {name: [failure["reason"] for failure in report.failures] for name, report in reports.items()} == {
        "mpep-html": ["the name a.invalid can't be resolved"],
        "mpep-pdf": ["the name a.invalid can't be resolved"],
        "usc": ["the name b.invalid can't be resolved"],
        "cfr": [],
    }
    assert len(waits) == 1, "the first host alone is tried a second time"


def test_a_network_that_goes_ends_the_source(server, folder):
    moved = [{**entry, "body_html_url": "http://a.invalid/1.html"} for entry in ENTRIES[:3]]
    server.files[API] = json.dumps({"count": 3, "total_pages": 1, "results": moved}).encode()

    reports, _ = run(server, folder, "federal-register")

    assert reports["federal-register"].failures == [
        {"url": "http://a.invalid/1.html", "reason": "the name a.invalid can't be resolved"}
    ]
