"""Forms: what is read of what a browser sends, and what is said of it."""

from typing import Annotated

import pytest

from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.forms import TYPED_MAX, Form, ZipCode, line

NOT_FORMS = (None, 5, 5.5, True, [], ["Ada"], "x", {}, {"a": 1}, b"Ada", object())


class Move(Form):
    first_name: Annotated[str, line("First name")]
    zip_code: ZipCode
    id: str = ""


def test_form_reads_only_its_own_fields_and_none_of_the_server():
    sent = {"first_name": " Ada ", "zip_code": "34236", "is_staff": "yes", "id": "made-up"}
    assert Move.parse(sent) == Move(first_name="Ada", zip_code="34236")
    assert Move.parse(sent, id="ours").id == "ours"


def test_form_reports_all_its_problems_at_once():
    with pytest.raises(InvalidForm) as refused:
        Move.parse({"first_name": "Ada" * 50})
    assert refused.value.messages == {
        "first_name": "First name must be 100 characters or fewer",
        "zip_code": "ZIP code must be 5 digits",
    }


@pytest.mark.parametrize("sent", NOT_FORMS)
def test_value_that_is_no_form_lacks_every_field(sent):
    assert all(Move.problems(sent).values())
    assert Move.typed(sent) == Move.blank() == {"first_name": "", "zip_code": ""}


def test_form_is_rechecked_only_after_a_refusal():
    fine, wrong = {"first_name": "Ada", "zip_code": "34236"}, {"first_name": "Ada"}
    assert Move.recheck(Move.blank(), wrong) == Move.blank()
    assert Move.recheck({"zip_code": "Wrong"}, wrong)["zip_code"] == "ZIP code must be 5 digits"
    assert Move.recheck({"zip_code": "Wrong"}, fine) == Move.blank()


def test_a_mark_tells_forms_apart_by_their_own_fields():
    ada = {"first_name": "Ada", "zip_code": ["34236"]}
    assert Move.fingerprint(ada) == Move.fingerprint(ada | {"other": "field"})
    assert len({Move.fingerprint(each) for each in (ada, ada | {"zip_code": []}, {}, "x")}) == 3


def test_kept_text_is_bounded():
    assert len(Move.typed({"first_name": "x" * 9000})["first_name"]) == TYPED_MAX
