"""Grades of fuel."""

GRADES = ("regular", "plus", "premium", "diesel")
GRADE_LABELS: dict[str, str] = dict(
    zip(GRADES, ("Regular", "Plus", "Premium", "Diesel"), strict=True)
)
