import json
import logging
import sys

from loguru import logger as loguru_logger

from service.logs import JsonFormatter, quiet_libraries, request_id


def formatted(**fields) -> dict:
    record = logging.LogRecord("service.test", logging.INFO, __file__, 1, "said %s", ("改行\n",), None)
    record.__dict__.update(fields)
    line = JsonFormatter().format(record)
    assert "\n" not in line
    return json.loads(line)


def test_a_record_becomes_one_line_of_json():
    line = formatted(fields={"status": 200})

    assert (line["level"], line["logger"], line["message"], line["status"]) == (
        "info",
        "service.test",
        "said 改行\n",
        200,
    )
    assert line["time"].endswith("+00:00")
    assert "request_id" not in line


def test_a_line_carries_the_id_of_the_request():
    token = request_id.set("r-1")
    try:
        assert formatted()["request_id"] == "r-1"
    finally:
        request_id.reset(token)


def test_an_exception_is_part_of_the_line():
    try:
        raise ValueError("broken")
    except ValueError:
        line = formatted(exc_info=sys.exc_info())

    assert "ValueError: broken" in line["exception"]


def test_hayhooks_is_heard_from_warnings_on_and_shows_no_arguments(caplog, capsys):
    quiet_libraries()

    loguru_logger.bind(params={"query": "confidential"}).info("Running pipeline")
    loguru_logger.bind(params={"query": "confidential"}).warning("odd")

    assert [(record.name, record.levelname, record.message) for record in caplog.records] == [
        ("hayhooks", "WARNING", "odd")
    ]
    assert "confidential" not in caplog.text + capsys.readouterr().err
