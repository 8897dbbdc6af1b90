"""Finds agents in use here that get different instructions."""

from collections.abc import Iterator

from ...text.normalize import shorten_text
from ..rule import CheckInput, CheckRule, Finding

CODE = "agents-disagree"
MAX_NAMED_FILES = 3


def check_agents_agree(check_input: CheckInput) -> Iterator[Finding]:
    """One finding, at the first file that not all of the agents load."""
    difference = check_input.disagreement
    if difference is None:
        return
    root = check_input.root.rstrip("/") + "/"
    named = [
        f"{' and '.join(file.titles)} {'load' if len(file.titles) > 1 else 'loads'} {file.path.removeprefix(root)}"
        for file in difference.files[:MAX_NAMED_FILES]
        if file.titles
    ]
    more = len(difference.files) - len(named)
    rest = f", and {more} more files differ" if more > 1 else ", and 1 more file differs" if more else ""
    agents = f"{', '.join(difference.titles[:-1])} and {difference.titles[-1]}"
    message = f"{shorten_text(agents, 120)} get different instructions: {'; '.join(named)}{rest}"
    first = next((file.path for file in difference.files if file.path.startswith(root)), None)
    yield Finding(CODE, "warning", message, first)


RULES = (CheckRule(CODE, "warning", "two agents in use here that get different instructions", check_agents_agree),)
