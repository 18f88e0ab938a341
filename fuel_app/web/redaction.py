"""The last line of defence: nothing about a person stays in a log line, whoever wrote it."""

import re
from collections.abc import Mapping
from typing import Any

_PRIVATE_KEYS = frozenset(
    {
        "address",
        "client_ip",
        "contact",
        "cookie",
        "email",
        "first_name",
        "form",
        "headers",
        "ip",
        "last_name",
        "name",
        "password",
        "payload",
        "phone",
        "phone_number",
        "token",
    }
)

# What other people's messages repeat of an event's data, up to the end of the line.
_DATA = re.compile(
    r"(event data|received event|with value|with base \d+|parameters|payload|input_value"
    r"|headers|router_data)\b.*",
    re.IGNORECASE,
)
_PATTERNS = (
    (_DATA, r"\1 [left out]"),
    (re.compile(r"[^\s/@\"'<>(){}\[\],;:=]+@[\w-]+(?:\.[\w-]+)+"), "[email]"),
    (re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE), "[id]"),
    (re.compile(r"(?<![\w.-])(?:\+?1[ .-]?)?\(?\d{3}\)?[ .-]?\d{3}[ .-]?\d{4}(?!\w)"), "[phone]"),
    (re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"), "[ip]"),
    (re.compile(r"(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}[0-9a-f:]*[0-9a-f]\b", re.IGNORECASE), "[ip]"),
)
_OURS = frozenset({"timestamp", "level", "logger", "request_id", "code"})


def redacted(text: str) -> str:
    """A text without addresses, numbers and ids of people."""
    for pattern, instead in _PATTERNS:
        text = pattern.sub(instead, text)
    return text


def redact(_logger: Any, _method: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """A structlog processor: redact every value, nested ones too."""
    return {key: value if key in _OURS else _clean(key, value) for key, value in entry.items()}


def _clean(key: str, value: Any) -> Any:
    if key in _PRIVATE_KEYS:
        return "[left out]"
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, Mapping):
        return {inner: _clean(str(inner), item) for inner, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_clean("", item) for item in value]
    return value if isinstance(value, bool | int | float | None) else redacted(repr(value))
