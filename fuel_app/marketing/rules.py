"""The opening of the company, as public pages tell of it."""

from dataclasses import dataclass

from fuel_app.bookings.rules.slots import CUTOFF_TEXT
from fuel_app.neighborhoods.rules import TIERS

Question = tuple[str, str]  # with its answer


@dataclass(frozen=True, slots=True)
class OpenArea:
    """An area that takes bookings."""

    name: str
    zips: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Opening:
    """Whether the company has opened, and the areas that are open now."""

    is_open: bool = False
    areas: tuple[OpenArea, ...] = ()


# Of the landing page, for search engines and link previews.
DESCRIPTION = (
    "Mobile fuel delivery in Sarasota and Bradenton. Join the waitlist, get your first fill-up "
    "free (fuel up to the cap in our Terms), and save every month with your neighbors."
)
DESCRIPTION_ONCE_OPEN = (
    "Mobile fuel delivery in Sarasota and Bradenton. Check your ZIP, choose a plan or a one-time "
    "fill, book a two-hour window, and save every month with your neighbors."
)

_ALWAYS: tuple[Question, ...] = (
    (
        "What do I pay for the fuel itself?",
        "The market price of fuel. Your plan pays for the visits, and the fuel is added.",
    ),
    (
        "Can my plan cost less?",
        "Yes, with your neighbors. Every month each member of a group saves "
        + ", ".join(
            f"{tier.monthly_discount.short} from {tier.members_needed} members"
            for tier in TIERS[1:]
        )
        + ".",
    ),
    ("Can I move an appointment?", f"Yes, up to {CUTOFF_TEXT} before the scheduled time."),
)
QUESTIONS: tuple[Question, ...] = (
    (
        "What is the free trial?",
        "Your first fill-up. Join the waitlist now, and it is free when we start near you: no "
        "convenience fee, and fuel up to the amount in our Terms.",
    ),
    *_ALWAYS,
    (
        "Where do you deliver, and when do you start?",
        "In Sarasota and Bradenton, Florida. We are not delivering yet: we write to the waitlist "
        "first, neighborhood by neighborhood.",
    ),
)
QUESTIONS_ONCE_OPEN: tuple[Question, ...] = (
    (
        "How do I start?",
        "Check your ZIP, choose a plan and confirm your email. Nothing is charged before you press "
        "the button that starts your plan, and a one-time fill needs no account at all.",
    ),
    *_ALWAYS,
    (
        "Where do you deliver?",
        "We open Sarasota and Bradenton, Florida, area by area. Check your ZIP: where we are not "
        "open yet, the waitlist hears first.",
    ),
)
