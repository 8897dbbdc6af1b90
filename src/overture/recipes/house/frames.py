"""The tags of house: names that files of real projects do not use, so that text of theirs is left as it is."""

from ...model.recipe.section import Frame, tag

PREFIX = "prompt-"
"""As in `<prompt-update>`, which a session writes. `<user>`, `<task>` or `<guidelines>` stand in many files."""
FILE = f"{PREFIX}project-context"


def own_tag(name: str) -> Frame:
    """`<prompt-name>` above and `</prompt-name>` below."""
    return tag(PREFIX + name)
