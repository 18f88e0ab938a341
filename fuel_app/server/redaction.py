"""Redaction of personal data in all log entries, libraries' included."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_WORD_MAX = 60  # characters; event names and outcomes are worth caching
TEXT_MAX = 20_000  # an attacker may have us log a megabyte

_PRIVATE_KEYS = frozenset(
    {
        *("address", "client_ip", "contact", "cookie", "email", "first_name", "form", "headers"),
        *("ip", "last_name", "link", "name", "password", "payload", "phone", "phone_number"),
        *("recovery", "seed", "token"),
    }
)
# Libraries repeat an event's data in their messages, up to the end of the line.
_DATA = re.compile(
    r"(event data|received event|with value|but got|with base \d+|parameters|payload|input_value"
    r"|headers|router_data)\b.*",
    re.IGNORECASE,
)
# The same where a text of several lines was sent.
_ARGUMENT = re.compile(r"(Error transforming event payload for handler [\w.]+).*", re.DOTALL)
_ID = "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_PATTERNS = (
    (_ARGUMENT, r"\1 [left out]"),
    (_DATA, r"\1 [left out]"),
    # The bound (RFC 5321) also keeps a long text without an address from taking forever.
    (re.compile(r"[^\s/@\"'<>(){}\[\],;:=]{1,64}@[\w-]+(?:\.[\w-]+)+"), "[email]"),
    (re.compile(rf"\b{_ID}\.[\w-]{{20,}}", re.IGNORECASE), "[link]"),
    (re.compile(rf"\b{_ID}\b", re.IGNORECASE), "[id]"),
    (re.compile(r"(?<![\w.-])(?:\+?1[ .-]?)?\(?\d{3}\)?[ .-]?\d{3}[ .-]?\d{4}(?!\w)"), "[phone]"),
    (re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"), "[ip]"),
    (re.compile(r"(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}[0-9a-f:]*[0-9a-f]\b", re.IGNORECASE), "[ip]"),
)
_OURS = frozenset({"timestamp", "level", "logger", "request_id", "code"})


def redacted(text: str) -> str:
    """Return a text without people's addresses, phone numbers and ids."""
    return _redacted_word(text) if len(text) <= _WORD_MAX else _redacted(_shortened(text))


def _redacted(text: str) -> str:
    for pattern, instead in _PATTERNS:
        text = pattern.sub(instead, text)
    return text


_redacted_word = lru_cache(maxsize=500)(_redacted)  # entries for events repeat the same few


def _shortened(text: str) -> str:
    """Cut the middle of a long text: an error's place is at the start, its name at the end."""
    if len(text) <= TEXT_MAX:
        return text
    half = TEXT_MAX // 2
    return f"{text[:half]} [{len(text) - 2 * half} characters left out] {text[-half:]}"


def redact(_logger: Any, _method: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Redact every value, nested ones too; a structlog processor."""
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
