"""A form that the browser itself sends: a POST whose answer is a page."""

from typing import Any

import reflex as rx
from reflex_components_core.el.elements.base import BaseHTML


class _PlainForm(BaseHTML):
    """`rx.el.form` never sends."""

    tag = "form"
    method: rx.Var[str]
    action: rx.Var[str]


def plain_form(*children: Any, action: str, class_name: str = "") -> rx.Component:
    """A form that posts to `action`, whatever the page is doing."""
    return _PlainForm.create(*children, method="post", action=action, class_name=class_name)
