"""The service around Hayhooks: settings, access, logging, health, REST and MCP."""

import os

# Read by Haystack when it is imported, so it is set before anything here can import it.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
