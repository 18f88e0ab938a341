"""What staff can do to a group, as its history tells it."""

KINDS = ("rename", "merge", "pioneer")
