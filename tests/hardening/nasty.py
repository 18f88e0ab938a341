"""Values that attackers send."""

from typing import Any

RTL = "\u202egpj.exe\u202c"


def deep(levels: int = 300) -> list:
    value: list = []
    for _ in range(levels):
        value = [value]
    return value


NASTY: dict[str, Any] = {
    "nothing": None,
    "yes": True,
    "zero": 0,
    "negative": -1,
    "enormous": 10**400,  # too large for a float, too
    "nan": float("nan"),
    "infinite": float("inf"),
    "empty": "",
    "long": "x" * 100_000,
    "wide": "ﷺ " * 30_000,
    "digits": "9" * 5_000,  # more than Python makes a number of
    "other digits": "²٣߉",
    "lone surrogate": "\ud800",
    "nul": "\x00",
    "lines": "a\r\nSet-Cookie: b=c\x85\u2028",
    "right to left": RTL,
    "markup": "\"'><script>alert(1)</script>",
    "sql": "' OR '1'='1",
    "template": "{0.__class__} %s %(x)s ${x} {{7*7}}",
    "path": "..%2f" * 4 + "etc/passwd",
    "a date that is none": "0000-13-32T99:99:99+99:99",
    "a private field": "_submission_id",
    "empty list": [],
    "list": [None, {"a": [1]}, "x" * 100_000],
    "deep": deep(),
    "empty dict": {},
    "dict": {"": None, "_submission_id": "x", "stage": "picker", "a": deep()},
}
