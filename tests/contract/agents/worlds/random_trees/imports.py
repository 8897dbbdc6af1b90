"""Files of random trees that import others: a few steps deep, in circles, out of the project, to nowhere."""

import os
from collections.abc import Sequence
from random import Random

from .piece import Kit, Piece, spelled
from .texts import body, imports


def importing(rng: Random, kit: Kit, there: Sequence[Piece]) -> list[Piece]:
    """An instruction file whose imports lead to further files, a few steps deep; some lead nowhere."""
    at_home = rng.random() < 0.12
    place = "home" if at_home else rng.choice(kit["places"])
    first = Piece(place, rng.choice(kit["home" if at_home else "names"]), **spelled(rng, body(rng)))
    made = [first]
    for step in range(rng.choice((1, 1, 2, 2, 3, 5, 7))):
        importer = rng.choice((made[-1], made[-1], rng.choice(made)))
        target = _target(rng, importer, (*there, *made), step)
        line = imports(rng, _spelled_path(rng, importer, target))
        at = rng.randint(0, len(importer.lines))
        changed = importer._replace(lines=(*importer.lines[:at], *line, *importer.lines[at:]))
        made = [changed if each is importer else each for each in made]
        made += [] if target.name in [each.name for each in (*there, *made)] or rng.random() < 0.06 else [target]
    return made


def _target(rng: Random, importer: Piece, there: Sequence[Piece], step: int) -> Piece:
    if rng.random() < 0.15:
        return rng.choice(list(there))
    names = (
        "docs/{}.md",
        "{}.md",
        "docs/{}.md",
        "docs/{}.txt",
        "docs/{}",
        "src/{}.py",
        "my docs/{}.md",
        ".hidden/{}.md",
    )
    place = rng.choice((importer.place,) * 4 + ("root", "cwd", "above", "home", "sib"))
    name = rng.choice(names).format(f"{rng.choice(('one', 'two', 'three', 'Four-4', 'five_5'))}{step or ''}")
    return Piece(place, name, **spelled(rng, ["{mark} imported", *["{mark} more"] * rng.randint(0, 1)]))


def _spelled_path(rng: Random, importer: Piece, target: Piece) -> str:
    """A path as somebody writes it: relative, with dots, from home, absolute, to a folder, with spaces escaped."""
    near = os.path.relpath(target.path, os.path.dirname(importer.path))
    ways = [near] * 6 + [f"./{near}"] * 2 + [f"{{folder}}/{target.path}", os.path.dirname(near) or ".", f"{near}/"]
    ways += [f"~/{os.path.relpath(target.path, 'home')}"] * (4 if target.place == "home" else 1)
    ways += [near.replace(" ", "\\ ")] * (9 if " " in near else 0) + [f"docs/../{near}", near.upper()]
    return rng.choice(ways)
