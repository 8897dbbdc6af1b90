"""Escaping for what stands inside the recipe's own words: attributes and XML."""

import re

from ..model.hidden import shown

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
SPECIAL = re.compile("[&<>\"']")
CONTROL = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029]")


def xml(text: str) -> str:
    """All five XML characters escaped. Hidden characters are left to be contained, and so reported."""
    return SPECIAL.sub(lambda m: ENTITIES[m[0]], text)


def attribute(text: str) -> str:
    """For the value of an attribute: escaped in full, and on one line."""
    return escaped(shown(text))


def escaped(text: str) -> str:
    """As `attribute`, for a Part: its hidden characters are left to be contained, and so reported."""
    return CONTROL.sub(lambda m: f"&#{ord(m[0])};", xml(text))


def indented(text: str, by: str) -> str:
    """Every line but the blank ones moved right."""
    return "\n".join(by + line if line.strip() else "" for line in text.split("\n"))
