"""Parameters of requests, checked against the types that Stripe's library has for them."""

import re
from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin
from urllib.parse import parse_qsl

from stripe import RequestOptions
from typing_extensions import get_type_hints, is_typeddict

_INTEGER = re.compile(r"-?[0-9]{1,18}")
_ELSEWHERE = {"StripeContext": object, "Mapping": Mapping}  # imported for type checkers alone


class Refused(Exception):  # noqa: N818 (expected)
    """An error as Stripe's API answers it."""

    def __init__(self, code: str, message: str, status: int = 400, **more: Any) -> None:
        super().__init__(message)
        self.status = status
        kind = "card_error" if status == 402 else "invalid_request_error"
        self.error = {"type": kind, "code": code, "message": message} | more


def decoded(form: str) -> dict[str, Any]:
    """Return `metadata[payment]=x` as {'metadata': {'payment': 'x'}}."""
    values: dict[str, Any] = {}
    for name, value in parse_qsl(form, keep_blank_values=True):
        *path, last = re.findall(r"[^\[\]]+", name)
        at = values
        for part in path:
            at = at.setdefault(part, {})
        at[last] = value
    return values


def checked(values: Any, params: Any, place: str = "") -> dict[str, Any]:
    """Return a decoded form with the types of the library's request type.

    Raises:
        Refused: If a parameter is unknown, missing or of another type.
    """
    fields = _fields(params)
    if not isinstance(values, dict):
        raise _invalid(place)
    if unknown := set(values) - set(fields):
        name = _inside(place, min(unknown))
        raise Refused("parameter_unknown", f"Received unknown parameter: {name}", param=name)
    if missing := (params.__required_keys__ & set(fields)) - set(values):
        name = _inside(place, min(missing))
        raise Refused("parameter_missing", f"Missing required param: {name}.", param=name)
    return {
        name: _converted(value, fields[name], _inside(place, name))
        for name, value in values.items()
    }


@cache
def _fields(params: Any) -> dict[str, Any]:
    fields = get_type_hints(params, localns=_ELSEWHERE)
    options = RequestOptions.__annotations__ if RequestOptions in params.__orig_bases__ else ()
    return {name: hint for name, hint in fields.items() if name not in options}


def _converted(value: Any, hint: Any, place: str) -> Any:
    kinds = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
    words = {word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)}
    if words - {""}:  # the library's types take any text beside the known words
        kinds = tuple(kind for kind in kinds if kind is not str)
    if value == "" and "" not in words:
        message = f"You passed an empty string for '{place}'."
        raise Refused("parameter_invalid_empty", message, param=place)
    failed: Refused | None = None
    for kind in kinds:
        try:
            return _as(value, kind, place)
        except Refused as refused:
            failed = failed or refused
    raise failed or _invalid(place)


def _as(value: Any, kind: Any, place: str) -> Any:
    origin = get_origin(kind)
    if is_typeddict(kind):
        return checked(value, kind, place)
    if origin is list and isinstance(value, dict) and all(key.isdigit() for key in value):
        (of,) = get_args(kind)
        return [_converted(value[key], of, place) for key in sorted(value, key=int)]
    if origin is dict and isinstance(value, dict):
        return {key: _converted(each, str, _inside(place, key)) for key, each in value.items()}
    if isinstance(value, str):
        if kind is str or (origin is Literal and value in get_args(kind)):
            return value
        if kind is int and _INTEGER.fullmatch(value):
            return int(value)
        if kind is bool and value in {"true", "false"}:
            return value == "true"
    raise _invalid(place)


def _invalid(place: str) -> Refused:
    return Refused("parameter_invalid", f"Invalid value for {place}", param=place)


def _inside(place: str, name: str) -> str:
    return f"{place}[{name}]" if place else name
