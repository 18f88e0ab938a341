"""The preview's account: the sample customer, changed in the hands of whoever holds it."""

from dataclasses import asdict

from fuel_app.domain.customers import Personal
from fuel_app.services import customers
from tests.factories import personal_form


async def test_everybody_starts_with_the_sample_customer():
    assert (await customers.account()).plan.name == "Family Plan"


async def test_saving_answers_with_the_changed_customer_and_leaves_the_sample_alone():
    sample = await customers.account()
    ada = Personal.parse(personal_form())
    saved = await customers.save_personal(sample, ada)
    assert saved.personal == ada
    assert saved.plan == sample.plan
    assert (await customers.account()).personal == sample.personal


async def test_a_notification_is_toggled_for_one_customer():
    sample = await customers.account()
    changed = await customers.toggle_notification(sample, "push")
    assert changed.notifications.push
    assert asdict(changed) == asdict(sample) | {"notifications": asdict(changed.notifications)}
    assert not (await customers.account()).notifications.push
