"""Messages about neighborhoods, the waitlist and areas that open."""

from fuel_app import routes
from fuel_app.messages.rules.content.parts import BRAND, Button, Content


def tier_reached(*, neighborhood: str, tier: str, saving: str) -> Content:
    return Content(
        subject=f"{neighborhood} has reached {tier}",
        lead=f"Your neighborhood {neighborhood} has reached {tier}: {saving}.",
        paragraphs=("It comes off your plan with the next renewal.",),
        button=Button("See your neighborhood", routes.ACCOUNT),
    )


def tier_lost(*, neighborhood: str, tier: str, change: str, missing: str) -> Content:
    return Content(
        subject=f"{neighborhood} has lost {tier}",
        lead=f"Your neighborhood {neighborhood} no longer has {tier}: {change}.",
        paragraphs=(f"To have it back it needs {missing}.",),
        button=Button("Invite your neighbors", routes.ACCOUNT),
    )


def _promised(cap: str, whole: str = "") -> tuple[str, ...]:
    if whole:
        return ("Your whole first fill-up is free: no convenience fee, and all the fuel.",)
    said = f"Your first fill-up is free: no convenience fee, and fuel up to {cap}."
    return (said,) if cap else ()


def area_open(
    *, area: str, token: str = "", free_fill_cap: str = "", free_fill_whole: str = ""
) -> Content:
    start = routes.ONBOARDING
    return Content(
        subject=f"{BRAND} is open in {area}",
        lead=f"We now deliver fuel in {area}, and you were on our list.",
        paragraphs=(
            "Sign up with the button below, and all that you were promised comes along.",
            *_promised(free_fill_cap, free_fill_whole),
        ),
        button=Button("Get started", f"{start}?invited={token}" if token else start),
    )


def waitlist_welcome(*, submission: str, free_fill_cap: str = "") -> Content:
    return Content(
        subject=f"You are on the {BRAND} waitlist",
        lead="You are on the list. We write to you as soon as we open in your area.",
        paragraphs=(
            *_promised(free_fill_cap),
            "The more neighbors join, the more everyone saves. Share your own link:",
        ),
        button=Button("Your link to share", routes.referral(submission)),
    )
