"""Options -> what the rules look at, and what they found."""

from ..discover.configuration.values import Config
from ..project.project import settle
from ..terminal.gather_state import Gathered
from ..terminal.options import command_line
from ..terminal.progress import doing
from .choice import Choice, chosen
from .find_ground import find_ground
from .ground import Ground, saved_ground
from .run import Checked, run


def check_here(gathered: Gathered, given: Choice) -> tuple[Ground, Checked]:
    """Let the rules look at a prompt, and at the files behind it where there are any."""
    prompt = gathered.build()
    doing("checking")
    ground, config = _ground(gathered, saved_ground(prompt, gathered.found.looked_at))
    return ground, run(ground, chosen(config, prompt.recipe.name, given, "--"))


def _ground(gathered: Gathered, saved: Ground) -> tuple[Ground, Config]:
    """Of what was saved, or given with --no-discover, nothing on this disk is known to be behind it."""
    ask = gathered.ask
    if ask.no_discover:
        return saved, Config({})
    settled = settle(
        gathered.recipe, cwd=ask.cwd, home=ask.home, root=ask.root, config=command_line(ask), world=ask.world
    )
    return find_ground(settled, saved.prompt, gathered.found), settled.config
