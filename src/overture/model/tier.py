"""Tiers: who gave a text, from the most trusted to the least."""

from typing import Literal, get_args

Tier = Literal["built in", "user", "project", "dependency", "remote", "data"]
"""built in: the recipe, its rules, the program · user: home, the user's settings, the caller · project: its files ·
dependency: files that others wrote and that lie in the project · remote: fetched from elsewhere · data: values"""
TIERS: tuple[Tier, ...] = get_args(Tier)


def is_below(tier: Tier, other: Tier) -> bool:
    """Whether a tier is trusted less than another."""
    return TIERS.index(tier) > TIERS.index(other)
