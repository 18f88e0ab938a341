"""Ids as browsers send them."""

import re

_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


def well_formed_id(value: object) -> str | None:
    """Return an id of our form in lower case, or None for anything else."""
    typed = value.strip().lower() if isinstance(value, str) and len(value) <= 64 else ""
    return typed if _ID.fullmatch(typed) else None
