"""uvicorn's options and the environment in which Reflex builds and serves the site."""

import os
import sys
from pathlib import Path

HEADERS_S = 10  # a connection without whole request headers for so long is closed
MESSAGE_MAX = 256 * 1024  # characters; a form with the longest fields is a tenth of that
_CONNECTIONS = "fuel_app.server.reflex.websocket"

FRAMEWORK = {
    "REFLEX_USE_NPM": "1",  # Node and npm come with the requirements
    "REFLEX_TELEMETRY_ENABLED": "false",
    "REFLEX_CHECK_LATEST_VERSION": "false",
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
}
SERVING = {
    "REFLEX_SOCKET_MAX_HTTP_BUFFER_SIZE": str(MESSAGE_MAX),
    "REFLEX_ENV_MODE": "prod",
    "__REFLEX_SKIP_COMPILE": "true",
    "__REFLEX_MOUNT_FRONTEND_COMPILED_APP": "true",
}
UVICORN_OPTIONS = {
    "--loop": "uvloop",
    "--backlog": "4096",
    "--http": f"{_CONNECTIONS}:Requests",
    "--timeout-keep-alive": str(HEADERS_S),
    "--ws": f"{_CONNECTIONS}:Websocket",
    "--ws-max-size": str(4 * MESSAGE_MAX),
    # Socket.IO has its own heartbeat, and compression takes memory for each connection.
    "--ws-ping-interval": "0",
    "--ws-per-message-deflate": "false",
    "--timeout-graceful-shutdown": "5",
    "--timeout-worker-healthcheck": "30",
    "--log-level": "warning",
}
# Reflex reads the proxy's headers, and `server/metrics.py` writes the log.
UVICORN_FLAGS = ("--factory", "--no-proxy-headers", "--no-server-header", "--no-access-log")


def uvicorn(app: str, **options: object) -> list[str]:
    """Return the command that serves an app; `options` such as `port=3000` are added."""
    added = {f"--{name}": str(value) for name, value in options.items()}
    pairs = [part for option in (UVICORN_OPTIONS | added).items() for part in option]
    return [sys.executable, "-m", "uvicorn", *UVICORN_FLAGS, *pairs, app]
