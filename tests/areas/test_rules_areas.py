"""An area's form, and the checklist of its opening."""

import pytest

from fuel_app.areas.rules.areas import ZIPS_MAX, AreaForm, checklist, percent
from fuel_app.areas.rules.hours import Hours, default_week
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.legal import TERMS_VERSION

FORM = {"name": "Sarasota", "zips": "34236", "grades": ["regular"], "tax": "0"}


@pytest.mark.parametrize(
    "typed", ["34236 34237", " 34237,34236 ", "34236;\n34237", "34236, 34237, 34236"]
)
def test_zips_are_separated_by_spaces_or_commas_and_each_counts_once(typed):
    form = AreaForm.parse(FORM | {"name": "  Sarasota  ", "zips": typed})
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
        AreaForm.parse(FORM | {"name": "", "zips": typed})
    assert refused.value.messages == {"name": "Area name is required", "zips": message}


@pytest.mark.parametrize(
    ("typed", "points", "shown"),
    [("0", 0, "0"), (" 7 % ", 700, "7"), ("7.5", 750, "7.5"), ("6.05", 605, "6.05"),
     ("10", 1000, "10"), ("20.00", 2000, "20")],
)  # fmt: skip
def test_a_tax_rate_is_kept_in_basis_points(typed, points, shown):
    assert AreaForm.parse(FORM | {"tax": typed}).tax == points
    assert percent(points) == shown


@pytest.mark.parametrize("typed", [None, "", "-1", "20.01", "7,5", "7.123", "\u0667", "x" * 99])
def test_other_texts_are_no_tax_rate(typed):
    with pytest.raises(InvalidForm) as refused:
        AreaForm.parse(FORM | {"tax": typed})
    assert refused.value.messages == {"tax": "Enter a percentage from 0 to 20, such as 7.5"}


def test_the_ticked_grades_are_offered_at_least_one_and_streets_are_allowed_by_a_tick():
    for ticked, grades in (
        ("diesel", ("diesel",)),
        (["diesel", "regular", "hay"], ("regular", "diesel")),
    ):
        assert AreaForm.parse(FORM | {"grades": ticked}).grades == grades
    for nothing in (None, [], "hay", [{}]):
        with pytest.raises(InvalidForm) as refused:
            AreaForm.parse(FORM | {"grades": nothing})
        assert refused.value.messages == {"grades": "Offer at least one grade"}
    ticks = ("yes", None, [])
    allowed = [AreaForm.parse(FORM | {"streets": each}).streets for each in ticks]
    assert allowed == [True, False, False]


def test_the_checklist_says_what_is_set_and_what_to_set():
    points = checklist(
        "area",
        placeholders=["FUEL_SUPPORT_PHONE"],
        has_mail=True,
        has_payments=True,
        hours=Hours(default_week(6)),
        unpriced=["plus", "diesel"],
    )
    assert {point.label: (point.done, point.note) for point in points} == {
        "A price for each offered grade": (False, "No current price: Plus, Diesel"),
        "Delivery windows": (True, "18 windows a week"),
        "Capacity": (True, "108 fills a week"),
        "Support phone": (False, "Set FUEL_SUPPORT_PHONE"),
        "Support email": (True, "Set"),
        "Address": (True, "Set"),
        "Mail": (True, "Set"),
        "Payments": (True, "Set"),
        "Terms": (True, f"Version {TERMS_VERSION}"),
    }
    price, windows, capacity, _, _, _, mail, payments, _ = checklist(
        "area", placeholders=[], has_mail=False, has_payments=False, hours=Hours(), unpriced=[]
    )
    assert (price.done, price.note) == (True, "Set")
    assert (windows.done, windows.note) == (False, "Add them under Hours")
    assert (capacity.done, capacity.note) == (False, "Add them under Hours")
    assert [each.href for each in (price, windows, capacity, mail, payments)] == [
        "",
        *["/settings/areas?hours=area"] * 2,
        "/settings/messages",
        "/settings/money",
    ]
    assert (mail.done, mail.note) == (False, "No mail server is set (FUEL_SMTP_URL)")
    assert payments.note == "No live key is set (FUEL_STRIPE_SECRET_KEY)"
