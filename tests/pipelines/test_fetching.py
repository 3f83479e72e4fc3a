import email.utils
import runpy
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pipelines.fetching import USER_AGENT, Fetched, Fetcher, FetchError, RetryPolicy, UnreachableError

FileServer = runpy.run_path(str(Path(__file__).parents[1] / "servers/file_server.py"))["FileServer"]
BODY = bytes(range(256)) * 1000  # 256,000 bytes
PATH = "/folder/title.xml"


@pytest.fixture
def server():
    with FileServer() as running:
        running.files[PATH] = BODY
        yield running


@pytest.fixture
def waits():
    return []


@pytest.fixture
def fetcher(waits):
    policy = RetryPolicy(attempts=4, first_wait=1.0, longest_wait=60.0, timeout=0.5, pause=0.0)
    with Fetcher(policy, sleep=waits.append) as made:
        yield made


@pytest.fixture
def target(tmp_path):
    return tmp_path / "new" / "title.xml"


def good(path):
    return "" if path.read_bytes() == BODY else "not the body"


def hidden_files(target):
    return sorted(path.name for path in target.parent.glob(".*"))


def test_a_plain_file(server, fetcher, target):
    seen = []
    fetched = fetcher.file(server.url + PATH, target, good, progress=lambda done, total: seen.append((done, total)))
    assert fetched == Fetched("downloaded", 256_000, '"256000"')
    assert target.read_bytes() == BODY
    assert seen[-1] == (256_000, 256_000)
    assert hidden_files(target) == []
    assert server.asked(PATH)[0]["User-Agent"] == USER_AGENT
    assert USER_AGENT.startswith("Tansaku/")


@pytest.mark.parametrize("fault", ["cut:100000", "unsized:100000"])
def test_a_cut_connection_is_resumed(server, fetcher, target, waits, fault):
    server.faults[PATH] = [fault, "reset"]
    # Without a length, only the check can see that something is missing: the file is then fetched anew.
    fetched = fetcher.file(server.url + PATH, target, good)
    assert target.read_bytes() == BODY
    ranges = [headers.get("Range") for headers in server.asked(PATH)]
    if fault.startswith("cut"):
        assert ranges == [None, "bytes=100000-", "bytes=100000-"]
        assert server.asked(PATH)[1]["If-Range"] == '"256000"'
        assert fetched.state == "downloaded"
    else:
        assert ranges == [None, None, None]
    assert len(waits) == 2


def test_a_stopped_run_is_resumed_by_the_next(server, fetcher, target):
    server.faults[PATH] = ["cut:100000", "status:404"]
    with pytest.raises(FetchError, match="404"):
        fetcher.file(server.url + PATH, target, good)
    assert hidden_files(target) == [".title.xml.part", ".title.xml.part.json"]
    assert not target.exists()
    assert fetcher.file(server.url + PATH, target, good).state == "resumed"
    assert server.asked(PATH)[-1]["Range"] == "bytes=100000-"
    assert target.read_bytes() == BODY


def test_a_part_that_is_complete_needs_no_bytes(server, fetcher, target):
    server.faults[PATH] = ["cut:256000"]
    fetcher.file(server.url + PATH, target, good)
    target.rename(target.with_name(".title.xml.part"))
    target.with_name(".title.xml.part.json").write_text(
        f'{{"url": "{server.url + PATH}", "etag": "\\"256000\\"", "modified": ""}}'
    )
    assert fetcher.file(server.url + PATH, target, good).state == "resumed"
    assert target.read_bytes() == BODY


@pytest.mark.parametrize("fault", ["full", "shift", "416"])
def test_servers_that_ignore_or_mistake_ranges(server, fetcher, target, fault):
    server.faults[PATH] = ["cut:100000", fault]
    fetcher.file(server.url + PATH, target, good)
    assert target.read_bytes() == BODY


def test_a_changed_file_is_not_patched_together(server, fetcher, target):
    server.faults[PATH] = ["cut:100000", "status:404"]
    with pytest.raises(FetchError):
        fetcher.file(server.url + PATH, target, good)
    server.files[PATH] = b"another edition"
    fetcher.file(server.url + PATH, target, lambda path: "")
    assert target.read_bytes() == b"another edition"


@pytest.mark.parametrize("etag", ["", 'W/"1"'])
def test_parts_without_a_strong_mark_are_thrown_away(server, fetcher, target, etag):
    server.etags[PATH] = etag
    server.faults[PATH] = ["cut:100000", "status:404"]
    with pytest.raises(FetchError):
        fetcher.file(server.url + PATH, target, good)
    assert fetcher.file(server.url + PATH, target, good).state == "downloaded"
    assert [headers.get("Range") for headers in server.asked(PATH)] == [None, None, None]


def test_a_date_is_mark_enough(server, fetcher, target):
    server.etags[PATH] = ""
    server.dates[PATH] = "Mon, 07 Jan 2030 10:00:00 GMT"
    server.faults[PATH] = ["cut:100000"]
    assert fetcher.file(server.url + PATH, target, good).modified == server.dates[PATH]
    assert server.asked(PATH)[1]["If-Range"] == server.dates[PATH]


@pytest.mark.parametrize("known", [('"256000"', ""), ("", "Mon, 07 Jan 2030 10:00:00 GMT")])
def test_an_unchanged_file_is_left_alone(server, fetcher, target, known):
    server.dates[PATH] = "Mon, 07 Jan 2030 10:00:00 GMT"
    target.parent.mkdir()
    target.write_bytes(BODY)
    assert fetcher.file(server.url + PATH, target, good, known) == Fetched("unchanged", 256_000, *known)


def test_a_file_that_was_deleted_is_fetched_again(server, fetcher, target):
    assert fetcher.file(server.url + PATH, target, good, ('"256000"', "")).state == "downloaded"


def test_a_packed_answer_is_unpacked(server, fetcher, target):
    server.faults[PATH] = ["gzip"]
    fetcher.file(server.url + PATH, target, good)
    assert target.read_bytes() == BODY


@pytest.mark.parametrize(("after", "low", "high"), [("7", 7, 7), ("0", 0, 0), ("", 0.5, 1.0), ("soon", 0.5, 1.0)])
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_honoured(server, fetcher, target, waits, status, after, low, high):
    server.faults[PATH] = [f"status:{status}:{after}"]
    fetcher.file(server.url + PATH, target, good)
    assert len(waits) == 1 and low <= waits[0] <= high


def test_retry_after_as_a_date(server, fetcher, target, waits):
    date = email.utils.format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    server.faults[PATH] = [f"status:503:{date}"]
    fetcher.file(server.url + PATH, target, good)
    assert 20 <= waits[0] <= 30


def test_a_server_that_asks_for_too_much_patience_is_left_alone(server, fetcher, target, waits):
    server.faults[PATH] = ["status:503:3600"]
    with pytest.raises(FetchError, match=r"503 Service Unavailable; the server asks to come back in 3600 s"):
        fetcher.file(server.url + PATH, target, good)
    assert waits == []


def test_waits_double_up_to_the_number_of_attempts(server, fetcher, target, waits):
    server.faults[PATH] = ["status:500"] * 9
    with pytest.raises(FetchError, match=r"the server answered 500 Internal Server Error \(tried 4 times\)"):
        fetcher.file(server.url + PATH, target, good)
    assert [low <= wait <= 2 * low for low, wait in zip([0.5, 1.0, 2.0], waits, strict=True)] == [True] * 3


def test_attempts_that_bring_something_do_not_count(server, fetcher, target):
    server.faults[PATH] = [f"cut:{70_000}"] * 3 + ["reset", "reset"]
    fetcher.file(server.url + PATH, target, good)
    assert target.read_bytes() == BODY


def test_crumbs_and_starting_over_count(server, fetcher, target):
    server.etags[PATH] = ""
    server.faults[PATH] = ["cut:100000"] * 20
    with pytest.raises(FetchError, match="tried 4 times"):
        fetcher.file(server.url + PATH, target, good)
    server.etags[PATH] = '"x"'
    server.faults[PATH] = ["cut:10"] * 20
    with pytest.raises(FetchError, match="tried 4 times"):
        fetcher.file(server.url + PATH, target, good)


def test_a_silent_server_times_out_with_a_clear_message(server, target):
    server.faults[PATH] = ["hang:0.6"] * 2
    policy = RetryPolicy(attempts=2, timeout=0.3, pause=0.0)
    with (
        Fetcher(policy, sleep=lambda seconds: None) as fetcher,
        pytest.raises(FetchError, match=r"no answer from 127.0.0.1 within 0.3 s \(tried 2 times\)"),
    ):
        fetcher.file(server.url + PATH, target, good)


def test_garbage_is_refused_and_asked_for_only_once_more(server, fetcher, target):
    server.faults[PATH] = ["garbage"] * 5
    with pytest.raises(FetchError, match="not the body"):
        fetcher.file(server.url + PATH, target, good)
    assert len(server.asked(PATH)) == 2
    assert not target.exists() and hidden_files(target) == []


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("/none.xml", "the server answered 404 Not Found"),
        ("ftp://127.0.0.1/x", "ftp"),
        ("http://127.0.0.1:1/x", r"the connection failed: .*\(tried 4 times\)"),
    ],
)
def test_hopeless_addresses(server, fetcher, target, url, reason):
    with pytest.raises(FetchError, match=reason):
        fetcher.file(url if "://" in url else server.url + url, target, good)


def test_a_folder_that_cannot_be_written_is_named(server, fetcher, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(FetchError, match="can't be written"):
        fetcher.file(server.url + PATH, tmp_path / "file" / "title.xml", good)


def test_pages(server, fetcher):
    server.faults["/page"] = ["status:503:0"]
    server.files["/page"] = lambda query: query["n"][0].encode()
    assert fetcher.page(server.url + "/page", {"n": "7"}) == (b"7", f"{server.url}/page?n=7")


def test_pause_between_requests(server, waits):
    with Fetcher(RetryPolicy(pause=5.0), sleep=waits.append) as fetcher:
        fetcher.page(server.url + PATH)
        fetcher.page(server.url + PATH)
    assert len(waits) == 1 and 4.0 < waits[0] <= 5.0


def test_a_host_that_can_not_be_reached_is_not_tried_for_long(fetcher, target, waits):
    with pytest.raises(UnreachableError) as error:
        fetcher.file("http://law.invalid/title.xml", target, good)

    assert str(error.value) == "http://law.invalid/title.xml: the name law.invalid can't be resolved"
    assert len(waits) == 2
