"""What a node says: its text before it is contained."""

from collections.abc import Iterator
from typing import TypeAlias

from .body import Group, Part

Node: TypeAlias = Part | Group | str


def said(node: Node) -> str:
    """The text of a node, before it is contained."""
    if type(node) is Part:
        return node.before + node.text + node.after if node.text else ""
    if isinstance(node, Group):
        inner = node.sep.join([text for _, text in spoken(node)])
        return node.before + inner + node.after if inner else ""
    return node if isinstance(node, str) else ""


def spoken(group: Group) -> Iterator[tuple[Node, str]]:
    """The parts of a group that say anything, each with its text."""
    for part in group.parts:
        if text := said(part):
            yield part, text
