"""Logging of the service: one JSON object a line on standard error, whichever library speaks."""

import json
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the request that is being answered; every line logged meanwhile carries it."""

OWN_LOGGERS = ("service", "pipelines", "components")


class JsonFormatter(logging.Formatter):
    """Writes a record as one line of JSON; `extra={"fields": {...}}` adds fields to it."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if request_id.get():
            line["request_id"] = request_id.get()
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def log_as_json(level: str) -> None:
    """
    Send every log line of the process to standard error as JSON.

    :param level: The least severe kind of line of our own that is logged; libraries are heard from WARNING on.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    for name in OWN_LOGGERS:
        logging.getLogger(name).setLevel(level)


def quiet_libraries() -> None:
    """
    Let the web server and Hayhooks speak through the standard logging, from WARNING on.

    Hayhooks writes the arguments of a run at INFO, through loguru, whose own sink also shows the values of variables in
    a traceback; what people search for doesn't belong in a log. It takes over the web server's loggers when its
    application is built, so this is called before and after that.
    """
    from loguru import logger as loguru_logger

    loguru_logger.remove()
    loguru_logger.add(_to_standard_logging, level="WARNING", format="{message}", backtrace=False, diagnose=False)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "fastapi"):
        library = logging.getLogger(name)
        library.handlers, library.propagate = [], True
        library.setLevel(logging.WARNING)


def _to_standard_logging(message: Any) -> None:
    logging.getLogger("hayhooks").log(message.record["level"].no, message.record["message"])
