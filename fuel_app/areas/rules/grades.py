"""Grades of fuel."""

GRADES = ("regular", "plus", "premium", "diesel")
