"""The kinds of pieces in random trees: each is drawn with what there is already in view."""

import os
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from ..names import NAMES
from ..places import PLACES
from .imports import importing
from .piece import Kit, Piece, spelled
from .texts import body, rule, skill


class Maker(NamedTuple):
    """Makes pieces of one kind, so often beside the other kinds."""

    weight: int
    make: Callable[[Random, Kit, Sequence[Piece]], list[Piece]]


def main(rng: Random, kit: Kit, there: Sequence[Piece]) -> list[Piece]:
    name = rng.choice(NAMES) if rng.random() < 0.1 else rng.choice(kit["names"])
    return [Piece(rng.choice(kit["places"]), name, **spelled(rng, body(rng)))]


def _home(rng: Random, kit: Kit, there: Sequence[Piece]) -> list[Piece]:
    return [Piece("home", rng.choice(kit["home"]), **spelled(rng, body(rng)))]


def _rule(rng: Random, kit: Kit, there: Sequence[Piece]) -> list[Piece]:
    place = "home" if rng.random() < 0.15 else rng.choice(kit["places"])
    folders = kit.get("home_rules" if place == "home" else "rules") or kit.get("rules")
    if not folders:
        return []
    folder, pattern, key = rng.choice(folders)
    deep = rng.choice(("", "", "", "sub/", "sub/deep/", ".hidden/"))
    name = pattern.format(rng.choice(("one", "two", "b", "a", "Z", "10", "9", "with space", "README", ".dot")))
    # A menu names skills alone: a name that is also a word is found anywhere.
    name = f"flat-{name}" if folder.endswith(("skills", "lessons")) else name
    name = rng.choice(
        (name,) * 12 + (name.upper(), f"{name}.txt", name.replace(".md", ".mdc"), name.replace(".instructions", ""))
    )
    return [Piece(place, f"{folder}/{deep}{name}", **spelled(rng, rule(rng, key, kit.get("rule_front", ()))))]


def _link(rng: Random, kit: Kit, there: Sequence[Piece]) -> list[Piece]:
    """A link to a file or folder that is there, sometimes to none."""
    if not there:
        return []
    target = rng.choice(list(there))
    place = "home" if rng.random() < 0.1 else rng.choice(kit["places"])
    aim = target.path
    if rng.random() < 0.4 and "/" in target.name:
        aim, name = os.path.dirname(target.path), rng.choice((os.path.dirname(target.name), *kit.get("skills", ())))
        name = rng.choice((name, f"{name}/linked"))
    else:
        name = rng.choice(kit["home" if place == "home" else "names"])
    link = os.path.relpath(aim, os.path.dirname(f"{PLACES[place]}/{name}"))
    return [Piece(place, name, link=link if rng.random() < 0.9 else "nowhere.md")]


def _skill(rng: Random, kit: Kit, there: Sequence[Piece]) -> list[Piece]:
    place = "home" if rng.random() < 0.25 else rng.choice(kit["places"])
    folders = kit.get("home_skills" if place == "home" else "skills") or kit.get("skills")
    if not folders:
        return []
    name = rng.choice(("zq-alpha", "zq-beta", "zq-gamma", "Zq-Delta", "zq_under", "zq two", "zq9", "x" * 70, "zq--b"))
    deep = rng.choice(("", "", "", "", "", "group/", "a/b/c/", ".hidden/"))
    file = rng.choice(("SKILL.md",) * 12 + ("skill.md", "Skill.md", "zq-other.md"))
    path = f"{rng.choice(folders)}/{deep}{name}" + (".md" if rng.random() < 0.05 else f"/{file}")
    return [Piece(place, path, **spelled(rng, skill(rng, name)))]


def _helper(rng: Random, kit: Kit, there: Sequence[Piece]) -> list[Piece]:
    if not kit.get("helpers"):
        return []
    name = rng.choice(("helper", "runner", "Big One", "check_it"))
    place = "home" if rng.random() < 0.25 else rng.choice(kit["places"])
    patterns = kit["home_helpers"] if place == "home" and "home_helpers" in kit else kit["helpers"]
    lines = skill(rng, name, kit.get("helper_front", ()))
    return [Piece(place, rng.choice(patterns).format(name), **spelled(rng, lines))]


def _large(rng: Random, kit: Kit, there: Sequence[Piece]) -> list[Piece]:
    at_home = rng.random() < 0.15
    name = rng.choice(kit["home" if at_home else "names"])
    return [
        Piece(
            "home" if at_home else rng.choice(kit["places"]),
            name,
            size=rng.choice(kit["limits"]) + rng.choice((0, -64, 64)),
        )
    ]


def _settings(rng: Random, kit: Kit, there: Sequence[Piece]) -> list[Piece]:
    if not kit.get("settings"):
        return []
    place, name, text = rng.choice(kit["settings"])
    return [Piece(place, name, tuple(text.splitlines()))]


def _ignore(rng: Random, kit: Kit, there: Sequence[Piece]) -> list[Piece]:
    name = rng.choice((".gitignore", ".gitignore", kit.get("ignore", ".gitignore")))
    lines = rng.sample(("*.md", "AGENTS.md", "docs/", ".*/", "/pkg/", "rules/", "!keep.md", "skills/", "# words"), 2)
    folder = rng.choice(("", "", *(f"{each}/" for each in kit.get("ignored_in", ()))))
    return [Piece(rng.choice(("root", "root", "cwd", "mid1")), f"{folder}{name}", tuple(lines))]


MAKERS = {
    "main": Maker(30, main),
    "home": Maker(6, _home),
    "rule": Maker(20, _rule),
    "imports": Maker(14, importing),
    "link": Maker(8, _link),
    "skill": Maker(18, _skill),
    "helper": Maker(8, _helper),
    "large": Maker(3, _large),
    "settings": Maker(4, _settings),
    "ignore": Maker(3, _ignore),
}
