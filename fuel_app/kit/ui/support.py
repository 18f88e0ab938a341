"""Links to our phone and e-mail."""

import re

import reflex as rx

from fuel_app.kit.ui.cards import TEXT, email_text
from fuel_app.settings import settings


def phone_link(class_name: str = "link whitespace-nowrap") -> rx.Component:
    phone = settings.support_phone
    return rx.el.a(phone, href="tel:" + re.sub(r"[^0-9+]", "", phone), class_name=class_name)


def email_link(class_name: str = "link") -> rx.Component:
    email = settings.support_email
    return rx.el.a(email_text(email), href=f"mailto:{email}", class_name=class_name)


def call_us() -> rx.Component:
    """Return the last line of a page that needs no signing in."""
    return rx.el.p(
        *("Questions? Call us: ", phone_link(), ", or write to ", email_link(), "."),
        class_name=f"mt-4 text-pretty {TEXT}",
    )
