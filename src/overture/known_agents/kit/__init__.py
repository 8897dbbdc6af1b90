"""What an agent's module is written with: where it looks, how it reads what is there, and the record of both."""

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
from ...model.recipe.recipe import AgentFacts, OwnPrompt, Signs
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

__all__ = [
    "AgentFacts",
    "FileLimit",
    "Flaws",
    "Found",
    "FoundSkill",
    "Imports",
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
    "ignoring_case",
    "in_order_of_path",
    "list_borrowed_places",
    "list_home_places",
    "list_places",
    "pick",
    "prefix_names",
    "search",
    "search_below",
    "split_names",
]  # fmt: skip
