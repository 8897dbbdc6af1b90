"""Texts of random trees: frontmatter of every kind, ways of importing, skills as they should and should not be."""

from collections.abc import Sequence
from random import Random

WORDS = "{mark} a line of a file"
SINGLE = ("name: {name}", 'name: "{name}"', "name: Zq Other", "name: {name}-else", "name:", "")
DESCRIPTIONS: tuple[list[str], ...] = (
    *(["description: {mark} Use it for work in the laboratory."],) * 4,
    ['description: "{mark} Use it: quoted."'],
    ["description: Use when: asked, {mark} for work."],
    ["description: >", "  {mark} folded", "  over two lines"],
    ["description: |", "  {mark} as it stands", "  over two lines"],
    ["description: {mark} " + "words that fill the description " * 35],
    ["description: {mark} " + "words that fill the description " * 50],
    ["description:"],
    [],
)
MORE: tuple[list[str], ...] = (
    *([],) * 8,
    ["disable-model-invocation: true"],
    ["user-invocable: false"],
    ["allowed-tools: [Read]"],
    ["when_to_use: {mark} when it fits"],
)


def body(rng: Random) -> list[str]:
    """The lines of an instruction file; some have frontmatter, comments or a fence."""
    lines = [WORDS] * rng.randint(1, 4)
    if rng.random() < 0.15:
        lines = ["---", "title: {mark} a title", "---", *lines]
    if rng.random() < 0.15:
        lines += ["", "<!-- {mark} a comment -->", "", WORDS]
    if rng.random() < 0.1:
        lines += ["<!--", "{mark} over lines", "-->", WORDS]
    if rng.random() < 0.1:
        lines += ["", "```md", "{mark} in a fence", "```", WORDS]
    return lines


def rule(rng: Random, key: str, front: Sequence[str] = ()) -> list[str]:
    """A rule: frontmatter that says when it counts, in one of many ways, then words; `front` is the agent's own."""
    glob = rng.choice(
        ("**/*.txt", "**/*.zzz", "**", "**/*", "*.txt", "pkg/**", "child/*.txt", "./**/*.txt", "*", "src/**/*.py")
    )
    glob = rng.choice((glob, glob, "**/*.{txt,py}", "{other,child}/**", "/data.txt", "**/data.txt", "!**/*.txt"))
    said = rng.choice(_conditions(key, glob))
    more = rng.choice(
        ([], [], ["description: what it is for"], ["alwaysApply: false"], ["alwaysApply: true"], ["type: manual"])
    )
    if front and rng.random() < 0.5:
        more = rng.choice(front).splitlines()
        said = rng.choice((said, []))
    return rng.choice(
        (
            *([["---", *said, *more, "---", "", WORDS, WORDS]] * 6),
            [WORDS, WORDS],
            ["", "---", *said, "---", WORDS],
            ["---", *said, WORDS, WORDS],
            ["---", "---", WORDS],
            ["---", "", "# nothing", "---", WORDS],
            ["---", f'{key}: ["unclosed', "  : - :", "---", WORDS],
            ["---  ", *said, "---  ", WORDS],
            ["---", *said, "...", WORDS, "---", WORDS],
        )
    )


def _conditions(key: str, glob: str) -> list[list[str]]:
    return [
        [f'{key}: "{glob}"'],
        [f"{key}: '{glob}'"],
        [f"{key}: {glob}"],
        [f'{key}: ["{glob}"]'],
        [f'{key}: ["**/*.zzz", "{glob}"]'],
        [f"{key}: [{glob}, '**/*.zzz']"],
        [f"{key}:", f'  - "{glob}"'],
        [f"{key}:", f"- '{glob}'", "- '**/*.zzz'"],
        [f"{key}:", f"  - {glob}"],
        [f'{key}: "**/*.zzz,{glob}"'],
        [f'{key}: "**/*.zzz, {glob}"'],
        [f"{key}: []"],
        [f'{key}: ""'],
        [f"{key}:"],
        [f"{key}: 5"],
        [f"{key}: true"],
        [f"{key}: {{one: two}}"],
        [f'{key.upper()}: "{glob}"'],
        [f'globs: "{glob}"'],
        ["description: only words"],
    ]


def skill(rng: Random, name: str, own: Sequence[str] = ()) -> list[str]:
    """A SKILL.md: mostly as it should be, sometimes without what it needs; `own` are lines of the agent's own."""
    named = rng.choice((SINGLE[0],) * 6 + SINGLE).replace("{name}", name)
    front = [*([named] if named else []), *rng.choice(DESCRIPTIONS), *rng.choice(MORE)]
    front += [rng.choice(own)] if own and rng.random() < 0.3 else []
    if rng.random() < 0.06:
        front.reverse()
    whole = ["---", *front, "---", "", "{mark} body"]
    return rng.choice((*([whole] * 9), ["# A heading", "", "{mark} body alone"], whole[:-3], ["", *whole]))


def imports(rng: Random, path: str) -> list[str]:
    """Lines that import a path, or seem to."""
    return rng.choice(
        (
            *([[f"@{path}"]] * 6),
            [f"See @{path} for more."],
            [f"- @{path}"],
            [f"> @{path}"],
            [f"{WORDS} and @{path}"],
            [f"Look at @{path}, then go on."],
            [f"Look at @{path}."],
            [f"(@{path})"],
            [f"**@{path}**"],
            [f'"@{path}"'],
            [f"word@{path}"],
            [f"`@{path}`"],
            ["```", f"@{path}", "```"],
            ["~~~", f"@{path}", "~~~"],
            ["", f"    @{path}"],
            ["<!--", f"@{path}", "-->"],
            [f"<!-- @{path} -->"],
            [f"@{path} @{path}"],
            [f"# @{path}"],
            [f"@ {path}"],
            [f"@{path}#part"],
            [f"@{path}:1-3"],
            [f"[@{path}](x.md)"],
            [f"\\@{path}"],
            [f"\t@{path}"],
            [f"| @{path} | cell |"],
        )
    )
