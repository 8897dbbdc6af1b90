"""What an agent's module is written with: where it looks, how it reads what is there, and the record of both."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from msgspec.structs import replace

from ...model.agent_rules import *
from ...model.recipe.recipe import AgentFacts, AgentSection, OwnPrompt, Signs
from ...model.state.files import Skill
from ...model.state.reasons import Reason, because
from .find_files import *
from .menu_entries import parse_skill
from .read_file import *
from .read_file import has_text, make_raw_text

__all__ = [
    "AVAILABLE_SKILLS", "MAX_SETTING_NAMES", "AgentFacts", "AgentSection", "FileLimit", "Flaws", "Found", "FoundSkill",
    "Imports", "Iterable", "Iterator", "Listing", "Look", "OwnPrompt", "Reason", "RuleConditions", "Sequence",
    "Settings", "Signs", "Skill", "SkillMenu", "Skills", "Spot", "Step", "Stripped", "Value", "because",
    "by_name", "check_file_names", "date", "has_text", "ignoring_case", "in_order_of_path", "list_places", "list_skills",
    "make_raw_text", "parse_skill", "pick", "replace", "search",
]  # fmt: skip
