"""Schedules of customers: closed accounts to empty, and tiers of neighborhoods to tell."""

from datetime import datetime, time

from fuel_app.customers import queries
from fuel_app.kit import jobs, outbox
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading, transaction
from fuel_app.messages import service as messages
from fuel_app.neighborhoods.rules import TIERS, Tier, neighbors, tier_for


@jobs.scheduled("customers.tell_tiers", jobs.daily(time(4, 30)))
async def tell_tiers(now: datetime) -> int:
    """Tell subscribers, once, of tiers that neighborhoods have reached or lost. Return how many."""
    async with reading() as session:
        found = await queries.list_tiers(session)
    changed = 0
    for neighborhood_id, name, told, confirmed in found:
        if (tier := tier_for(confirmed)).level != told:
            await _tell(neighborhood_id, name, TIERS[told], tier, confirmed, now)
            changed += 1
    return changed


async def _tell(
    neighborhood_id: str, name: str, before: Tier, tier: Tier, confirmed: int, now: datetime
) -> None:
    kind = "tier_reached" if tier.level > before.level else "tier_lost"
    async with transaction() as session:
        if not await queries.set_notified_tier(session, neighborhood_id, before.level, tier.level):
            return
        payload = {"neighborhood": name} | (
            {"tier": tier.label, "saving": tier.saving}
            if kind == "tier_reached"
            else {
                "tier": before.label,
                "change": f"your discount is {tier.monthly_discount.short} a month now, "
                f"no longer {before.monthly_discount.short}",
                "missing": neighbors(before.members_needed - confirmed, more=True)
                + " with a confirmed e-mail",
            }
        )
        key = f"tier:{neighborhood_id}:{tier.level}:{day_of(now)}"
        drafts = [
            draft
            for person_id in await queries.list_subscribers(session, neighborhood_id)
            for draft in messages.drafts(kind, person_id, payload, key=f"{key}:{person_id}")
        ]
        await outbox.add_all(session, drafts)
