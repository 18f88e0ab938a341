"""Every parser of the rules parses or refuses any value.

Parsers of untrusted values are discovered by the annotation `object`, so that a new one is tried
from its first day.
"""

import contextlib
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import fuel_app
from fuel_app.areas.rules.prices import GradeLine
from fuel_app.dispatch.rules.day import Day
from fuel_app.kit import contact
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form
from fuel_app.messages.rules.kinds import NotificationSettings
from fuel_app.preview import samples as customer_sample
from fuel_app.preview import samples as slot_sample
from tests.hardening.nasty import NASTY

SENT = (object, Mapping[str, object])
FIELDS = (
    *("email", "phone", "zip", "make", "model", "year", "notes", "sort", "page", "min"),
    "fuel_types",
)
TEXTS = st.text(st.characters(codec=None, categories=None), max_size=40)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
KEYS = st.sampled_from(FIELDS) | TEXTS
ANYTHING = st.sampled_from(list(NASTY.values())) | st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
# Trusted arguments of parsers.
KNOWN = {
    "clean": contact.email,
    "seed": "JBSWY3DPEHPK3PXP",
    "now": datetime(2026, 11, 22, tzinfo=UTC),
    "last_step": 0,
    "garage": customer_sample.VEHICLES,
    "self": NotificationSettings(),
    "slots": slot_sample.DAYS[0].slots,
    "stops": 3,
    "day": Day(date(2026, 11, 22)),
    "today": date(2026, 11, 22),
    "lines": [GradeLine(key="area-regular")],
    "columns": (0, 1),
    "name": "email",
    "label": "Valid to",
}
FORMS = st.dictionaries(KEYS, ANYTHING, max_size=5)
STRATEGIES = {object: ANYTHING, Mapping[str, object]: FORMS, bytes: st.binary()}


RULES = {"rules", "contact", "csv", "errors", "clock"}


def _parsers() -> Iterator[tuple[str, Callable[..., Any]]]:
    for found in pkgutil.walk_packages(fuel_app.__path__, "fuel_app."):
        if not RULES & set(found.name.split(".")):
            continue
        module = importlib.import_module(found.name)
        for owner in (module, *_classes_of(module)):
            named = getattr(owner, "__qualname__", module.__name__)
            for name, part in inspect.getmembers(owner):
                if _is_parser(part) and part.__module__ == module.__name__:
                    yield f"{named}.{name}", part


def _classes_of(module: Any) -> list[type]:
    classes = [part for _, part in inspect.getmembers(module, inspect.isclass)]
    return [
        each
        for each in classes
        if each.__module__ == module.__name__ and not each.__name__.startswith("_")
    ]


def _is_parser(part: Any) -> bool:
    if not inspect.isfunction(part) and not inspect.ismethod(part):
        return False
    if inspect.iscoroutinefunction(part):  # of an interface; rules do nothing that waits
        return False
    parameters = inspect.signature(part).parameters.values()
    return not part.__name__.startswith("_") and any(each.annotation in SENT for each in parameters)


PARSERS = dict(_parsers())  # imports every module of rules


def _forms(base: type[Form]) -> Iterator[type[Form]]:
    for form in base.__subclasses__():
        yield form
        yield from _forms(form)


FORM_CLASSES = [form for form in _forms(Form) if form.__module__.startswith("fuel_app.")]


@pytest.mark.parametrize("form", FORM_CLASSES)
def test_nasty_values_in_a_form_are_parsed_or_refused(form):
    for value in NASTY.values():
        _parse_form(form, dict.fromkeys(form.names(), value))


@pytest.mark.parametrize("form", FORM_CLASSES)
@given(data=st.data())
def test_any_form_is_parsed_or_refused(form, data):
    _parse_form(form, data.draw(st.fixed_dictionaries(dict.fromkeys(form.names(), ANYTHING))))


def _parse_form(form: type[Form], sent: dict[str, Any]) -> None:
    try:
        form(**sent)
    except ValidationError as refused:
        raised = {type(each["ctx"]["error"]) for each in refused.errors()}  # type: ignore[reportTypedDictNotRequiredAccess]
        assert raised == {ValueError}  # not a mistake of the parser, such as UnicodeError


@pytest.mark.parametrize("name", PARSERS)
def test_nasty_values_are_parsed_or_refused(name):
    for value in NASTY.values():
        sent = {object: value, Mapping[str, object]: dict.fromkeys(FIELDS, value), bytes: b"\xff"}
        _parse(name, sent.__getitem__)


@pytest.mark.parametrize("name", PARSERS)
@given(data=st.data())
def test_any_value_is_parsed_or_refused(name, data):
    _parse(name, lambda kind: data.draw(STRATEGIES[kind]))


def _parse(name: str, value_of: Callable[[Any], Any]) -> None:
    arguments = {
        each.name: value_of(each.annotation) if each.annotation in STRATEGIES else KNOWN[each.name]
        for each in inspect.signature(PARSERS[name]).parameters.values()
        if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        and (each.annotation in STRATEGIES or each.default is each.empty)
    }
    with contextlib.suppress(Refusal):
        try:
            PARSERS[name](**arguments)
        except ValueError as refusal:
            if type(refusal) is not ValueError:  # a bug such as UnicodeError
                raise
