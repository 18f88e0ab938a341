"""A phone number that formats itself to (XXX) XXX-XXXX while it is typed."""

from typing import Any

import reflex as rx
from reflex_components_core.el.elements.forms import BaseInput

from fuel_app.kit.ui.fields import field
from fuel_app.kit.ui.script import Script


class _PhoneInput(Script, BaseInput):
    tag = "PhoneInput"
    FILE = "phone_field.js"
    _is_tag_in_global_scope = False


def phone_field(label: str, name: str, **props: Any) -> rx.Component:
    """The whole field. The form around it hears of every change, already formatted."""
    return field(
        label,
        name,
        make=_PhoneInput.create,
        placeholder="(XXX) XXX-XXXX",
        auto_complete="tel-national",
        **props,
    )
