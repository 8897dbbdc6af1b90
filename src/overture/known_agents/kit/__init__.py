"""What an agent's module is written with: where it looks, how it reads what is there, and the record of both."""

from collections.abc import Iterator
from datetime import date

from msgspec.structs import replace

from ...model.agent_rules import (
    FileLimit,
    Flaws,
    Imports,
    Listing,
    Needs,
    RuleConditions,
    Settings,
    SkillMenu,
    Skills,
    Step,
    Stripped,
)
from ...model.recipe.recipe import AgentFacts, AgentSection, OwnPrompt, Signs
from ...model.state.files import Skill
from ...model.state.reasons import Reason, because
from .look import Look
from .read_file import Found, Spot
from .settings import split_names
from .skills import (
    FoundSkill,
    by_name,
    ignoring_case,
    in_order_of_path,
    list_borrowed_places,
    list_home_places,
    list_places,
    pick,
    prefix_names,
    search,
    search_below,
)
from .usual import AVAILABLE_SKILLS, list_skills

__all__ = [
    "AVAILABLE_SKILLS",
    "AgentFacts",
    "AgentSection",
    "FileLimit",
    "Flaws",
    "Found",
    "FoundSkill",
    "Imports",
    "Iterator",
    "Listing",
    "Look",
    "Needs",
    "OwnPrompt",
    "Reason",
    "RuleConditions",
    "Settings",
    "Signs",
    "Skill",
    "SkillMenu",
    "Skills",
    "Spot",
    "Step",
    "Stripped",
    "because",
    "by_name",
    "date",
    "ignoring_case",
    "in_order_of_path",
    "list_borrowed_places",
    "list_home_places",
    "list_places",
    "list_skills",
    "pick",
    "prefix_names",
    "replace",
    "search",
    "search_below",
    "split_names",
]  # fmt: skip
