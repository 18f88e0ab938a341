"""The preview's sample figures of the admin view, by label."""

from fuel_app.kit.money import Money

_REVENUE, _COMPLETED = Money(147_60), 3

ADMIN_FIGURES = {
    "Scheduled fill-ups": "12",  # the day's stops are what is left of them
    "Completed": str(_COMPLETED),
    "Average gallons": "13.8",
    "Total customers": "156",
    "Active subscriptions": "142",
    "Service area": "Sarasota and Bradenton",
    "Today's revenue": str(_REVENUE),
    "Average per fill-up": str(_REVENUE.per(_COMPLETED)),
    "Subscription revenue": "$6,240",
}
