"""What holds for all tests."""

import os

# Before any test imports Haystack: tests tell nobody anything.
os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
