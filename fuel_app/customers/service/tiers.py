"""Telling subscribers that their neighborhood has reached a tier, or lost one."""

from fuel_app.customers.queries import members
from fuel_app.kit import outbox
from fuel_app.kit.clock import day_of, now
from fuel_app.kit.db.session import reading, transaction
from fuel_app.messages.service import queue
from fuel_app.neighborhoods.rules import TIERS, Tier, neighbors, tier_for


async def tell_changes() -> int:
    """Queue the messages of every tier that has changed, each once. Return how many changed."""
    async with reading() as session:
        found = await members.tiers(session)
    changed = 0
    for neighborhood_id, name, told, confirmed in found:
        if (tier := tier_for(confirmed)).level != told:
            await _tell(neighborhood_id, name, TIERS[told], tier, confirmed)
            changed += 1
    return changed


async def _tell(neighborhood_id: str, name: str, before: Tier, tier: Tier, confirmed: int) -> None:
    kind = "tier_reached" if tier.level > before.level else "tier_lost"
    async with transaction() as session:
        if not await members.set_told(session, neighborhood_id, before.level, tier.level):
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
        key = f"tier:{neighborhood_id}:{tier.level}:{day_of(now())}"
        drafts = [
            draft
            for person_id in await members.subscribers(session, neighborhood_id)
            for draft in queue.drafts(kind, person_id, payload, key=f"{key}:{person_id}")
        ]
        if drafts:
            await outbox.add_all(session, drafts)
