"""What breaks in production, broken on purpose: see docs/decisions/faults.md."""
