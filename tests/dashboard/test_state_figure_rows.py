"""The staff's figures as texts and shares."""

from fuel_app.dashboard.rules import TypeCount
from fuel_app.dashboard.state import TypeBar


def test_a_bar_is_divided_by_status_from_left_to_right():
    bar = TypeBar.of(TypeCount("fleet", {"Not Contacted": 1500, "Contacted": 250, "Other": 250}))
    assert (bar.label, bar.leads) == ("Fleet", "2,000")
    assert [(part.status, part.leads, part.left, part.width) for part in bar.parts] == [
        ("Not Contacted", "1,500", "0.00%", "75.00%"),
        ("Contacted", "250", "75.00%", "12.50%"),
        ("Other", "250", "87.50%", "12.50%"),
    ]


def test_a_type_without_leads_has_an_empty_bar():
    assert TypeBar.of(TypeCount("fleet", {})).parts == []
