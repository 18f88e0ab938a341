"""Kinds that stand in rows and on phones: what the release before has stored is still understood.

A kind may go only with a migration of the rows that wait; then it goes from here, too.
"""

import fuel_app.fuel_app  # noqa: F401 (every job, message, undo and policy)
from fuel_app.dispatch.rules.phones import ACTION_KINDS
from fuel_app.kit import audit, outbox
from fuel_app.kit.jobs.registry import HANDLERS, SCHEDULES
from fuel_app.kit.policies import POLICIES
from fuel_app.messages.rules.kinds import KINDS

_SCHEDULED = """
accounts.delete_expired accounts.delete_sign_ups areas.propose_prices billing.compare
billing.reconcile billing.renew_plans billing.tell_coming customers.empty_deleted
customers.tell_tiers dispatch.close dispatch.follow dispatch.purge jobs.delete_ended
launch.invite leads.delete_rejects leads.purge_deleted messages.empty_bodies
"""
_QUEUED = """
billing.detach_card billing.end_visit billing.open_fill billing.payment billing.refund
billing.release billing.renew billing.settle billing.webhook bookings.authorize leads.import
leads.remove_import message stand_in.event
"""
_MESSAGES = """
account_deleted area_open arrival_moved arrived booking_cancelled booking_confirmed booking_moved
cannot_come completed day_before email_changed email_code failed_sign_ins fee_asked fill_failed
hold_declined hour_before invitation new_sign_in on_again on_the_way password_changed
password_reset payment_failed phone_code plan_changed receipt renewal_coming security_changed
sms_code tier_lost tier_reached verify waitlist_welcome weather_hold
"""
_COMPOSED = "arrival_moved arrived on_again on_the_way payment_failed"  # as they are sent
_UNDOABLE = """
area.change figure.change lead.delete lead.lead_source lead.status neighborhood.merge
neighborhood.pioneer neighborhood.rename route.assign route.break_down route.move route.pin
route.plan route.refill route.unassign truck.bring_back truck.retire waves.pause waves.resume
waves.start weather.hold
"""
_POLICIES = """
arrival_moved_minutes booking_closes_hour deletion_days fills_limit free_fill_cap hold_minutes
horizon_big_family horizon_family horizon_one_time horizon_solo invitations_per_day late_fee
photo_days plan_ends_after_days price_days price_jump referral_credit refill_minutes refund_limit
road_near_meters service_minutes service_minutes_near slot_capacity staff_limit
technician_session_days
"""
_PHONE = "drive arrive fuel complete correct fail back photo"


def test_every_kind_that_may_wait_has_who_handles_it():
    assert set(_SCHEDULED.split()) <= set(SCHEDULES)
    assert set(_SCHEDULED.split()) | set(_QUEUED.split()) <= set(HANDLERS)
    assert set(_MESSAGES.split()) <= set(KINDS)
    assert set(_COMPOSED.split()) <= set(outbox.COMPOSERS)
    assert {tuple(each.split(".")) for each in _UNDOABLE.split()} <= set(audit._REVERTS)
    assert set(_POLICIES.split()) <= set(POLICIES)
    assert set(_PHONE.split()) <= set(ACTION_KINDS)
