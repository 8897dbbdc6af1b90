"""What many agents do alike: how they collect their skills, and how they list them."""

from collections.abc import Iterable

from ...model.agent_rules import Skills
from ...model.recipe.recipe import AgentSection
from ...model.state.files import Skill
from .look import Look
from .skills import Sort, list_home_places, list_places, pick, search

AVAILABLE_SKILLS = AgentSection("skills",
    menu="  <skill>\n    <name>{{ name }}</name>\n    <description>{{ description }}</description>\n    <location>{{ path }}</location>\n  </skill>",
    opens="<available_skills>\n", closes="\n</available_skills>")  # fmt: skip


def list_skills(
    look: Look, wants: Skills, folders: Iterable[str], *,
    home_first: bool = False, sort: Sort = list, once_a_place: bool = False, last: bool = False, every: bool = False,
) -> list[Skill]:  # fmt: skip
    """The skills of these folders of a project, then those under home; `home_first`: the other way round.

    Each folder's are sorted; of one name it lists the first, the `last`, or `every` one.
    """
    places, own = list_places(look, folders, wants.project), list_home_places(look, wants)
    places = own + places if home_first else places + own
    return pick(look, wants, search(look, wants, places, sort=sort, once_a_place=once_a_place), last=last, every=every)
