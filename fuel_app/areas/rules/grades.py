"""Grades of fuel."""

GRADE_LABELS = {"regular": "Regular", "plus": "Plus", "premium": "Premium", "diesel": "Diesel"}
GRADES = tuple(GRADE_LABELS)
DIESEL = "diesel"
