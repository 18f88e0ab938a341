"""Parameters that we send to Stripe, checked against the types of its library."""

import pytest
from stripe import api_version
from stripe.params import CustomerCreateParams, PaymentIntentCreateParams
from stripe.params.checkout import SessionCreateParams

from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in.objects import Refused, checked, decoded
from fuel_app.billing.providers.stripe import API_VERSION, Rejected, outcomes

PAYMENT = "amount=4000&currency=usd"


def test_values_get_the_types_of_the_library():
    form = (
        f"{PAYMENT}&confirm=true&off_session=false&metadata[payment]=1"
        "&expand[0]=latest_charge&expand[1]=customer&capture_method=manual"
    )
    assert checked(decoded(form), PaymentIntentCreateParams) == {
        "amount": 4000,
        "currency": "usd",
        "confirm": True,
        "off_session": False,
        "metadata": {"payment": "1"},
        "expand": ["latest_charge", "customer"],
        "capture_method": "manual",
    }


@pytest.mark.parametrize(
    ("form", "code", "param"),
    [
        (f"{PAYMENT}&ammount=1", "parameter_unknown", "ammount"),
        (f"{PAYMENT}&idempotency_key=1", "parameter_unknown", "idempotency_key"),
        ("currency=usd", "parameter_missing", "amount"),
        ("amount=40.00&currency=usd", "parameter_invalid", "amount"),
        ("amount=&currency=usd", "parameter_invalid_empty", "amount"),
        (f"{PAYMENT}&confirm=yes", "parameter_invalid", "confirm"),
        (f"{PAYMENT}&capture_method=by_hand", "parameter_invalid", "capture_method"),
        (f"{PAYMENT}&expand=latest_charge", "parameter_invalid", "expand"),
        (f"{PAYMENT}&expand[a]=latest_charge", "parameter_invalid", "expand"),
        (f"{PAYMENT}&metadata=1", "parameter_invalid", "metadata"),
        (f"{PAYMENT}&metadata[a][b]=1", "parameter_invalid", "metadata[a]"),
        (f"{PAYMENT}&transfer_data=1", "parameter_invalid", "transfer_data"),
        (f"{PAYMENT}&transfer_data[amount]=1", "parameter_missing", "transfer_data[destination]"),
    ],
)
def test_wrong_parameter_is_refused(form, code, param):
    with pytest.raises(Refused) as refused:
        checked(decoded(form), PaymentIntentCreateParams)
    assert (refused.value.error["code"], refused.value.error["param"]) == (code, param)


def test_parameters_inside_of_lists_are_checked():
    with pytest.raises(Refused) as refused:
        checked(
            decoded("line_items[0][price_data][currency]=usd&line_items[0][qty]=1"),
            SessionCreateParams,
        )
    assert refused.value.error["param"] == "line_items[qty]"


def test_text_that_may_be_unset_may_be_empty():
    assert checked(decoded("metadata="), CustomerCreateParams) == {"metadata": ""}


@pytest.mark.usefixtures("sqlite_database")
async def test_call_with_a_wrong_parameter_fails():
    wrong: dict = {"amount": 4000, "currency": "usd", "confirmed": True}
    with pytest.raises(Rejected, match="parameter_unknown"):
        async with outcomes():
            await stripe.client().v1.payment_intents.create_async(wrong)  # type: ignore[arg-type]
    with pytest.raises(Rejected):
        async with outcomes():
            await stripe.client().v1.balance.retrieve_async()


def test_pinned_version_is_the_librarys():
    """A new version of the library needs a look at what has changed, and then at this line."""
    assert api_version == API_VERSION
