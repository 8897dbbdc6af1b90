"""What is wrong with comments that ignore: the engine finds it, when it knows what each of them ignored."""

from ..ignores import BARE, UNUSED
from ..rule import Rule

RULES = (
    Rule(BARE, "warning", "an ignore that gives no reason", lambda _: ()),
    Rule(UNUSED, "warning", "an ignore that ignores nothing", lambda _: ()),
)
