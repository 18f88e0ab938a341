"""An area's form, and the checklist of its opening."""

import pytest

from fuel_app.areas.rules.areas import ZIPS_MAX, AreaForm, checklist
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.legal import TERMS_VERSION


@pytest.mark.parametrize(
    "typed", ["34236 34237", " 34237,34236 ", "34236;\n34237", "34236, 34237, 34236"]
)
def test_zips_are_separated_by_spaces_or_commas_and_each_counts_once(typed):
    form = AreaForm.parse({"name": "  Sarasota  ", "zips": typed})
    assert (form.name, form.zips) == ("Sarasota", ("34236", "34237"))


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (None, "Enter at least one ZIP code"),
        (" , ", "Enter at least one ZIP code"),
        ("34236 3423", "'3423' is not a ZIP code: it must be 5 digits"),
        ("34236-1234", "'34236-1234' is not a ZIP code: it must be 5 digits"),
        ("x" * 99, f"'{'x' * 20}' is not a ZIP code: it must be 5 digits"),
        ("\u0663" * 5, f"'{chr(0x663) * 5}' is not a ZIP code: it must be 5 digits"),
        (
            " ".join(str(code) for code in range(30000, 30001 + ZIPS_MAX)),
            "An area has at most 500 ZIP codes",
        ),
    ],
)
def test_other_texts_are_no_zips(typed, message):
    with pytest.raises(InvalidForm) as refused:
        AreaForm.parse({"name": "", "zips": typed})
    assert refused.value.messages == {"name": "Area name is required", "zips": message}


def test_the_checklist_says_what_is_set_and_what_to_set():
    points = checklist(placeholders=["FUEL_SUPPORT_PHONE"], has_mail=True)
    assert {point.label: (point.done, point.note) for point in points} == {
        "A price for each offered grade": (False, "Comes with a later release"),
        "Delivery windows": (False, "Comes with a later release"),
        "Capacity": (False, "Comes with a later release"),
        "Support phone": (False, "Set FUEL_SUPPORT_PHONE"),
        "Support email": (True, "Set"),
        "Mail": (True, "Set"),
        "Payments": (False, "Comes with a later release"),
        "Terms": (True, f"Version {TERMS_VERSION}"),
    }
    mail = checklist(placeholders=[], has_mail=False)[5]
    assert (mail.done, mail.note) == (False, "No mail server is set (FUEL_SMTP_URL)")
