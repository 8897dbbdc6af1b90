"""Worlds that ask what becomes of frontmatter that is not as it should be: in rules, skills, sub-agents, commands."""

from .files import write_data
from .helpers import COMMANDS, HOME_SUB_AGENTS, SUB_AGENTS
from .places import PLACES, ROOT
from .rules import FOLDERS
from .tree import Tree, mark
from .world import World

SKILL_FOLDERS = (".agents/skills", ".claude/skills", ".github/skills", ".gemini/skills", ".qwen/skills", ".pi/skills")
WORDS = "{mark} words that stand below"

AROUND = {
    "bom": "\ufeff---\n{front}---\n{words}\n",
    "blank": "\n---\n{front}---\n{words}\n",
    "after-first": "---  \n{front}---\n{words}\n",
    "after-last": "---\n{front}---  \n{words}\n",
    "crlf": "---\r\n{front}---\r\n{words}\r\n",
    "unended": "---\n{front}{words}\n",
}
"""What stands around frontmatter, and how it is spelled."""
PATHS = {
    "plain": "{key}: **/*.txt",
    "item": "{key}:\n  - **/*.txt",
    "colon": "description: a: b\n{key}: '**/*.zzz'",
    "bracket": "{key}: [unclosed",
    "number": "{key}: 5",
    "truth": "{key}: true",
    "empty": '{key}: ""',
    "star": '{key}: "*"',
    "anywhere": '{key}: "**/*"',
    "folder": '{key}: "app/**"',
    "dotted": '{key}: "./**/*.txt"',
}
"""Conditions that YAML, or an agent, may take otherwise than they are meant."""
FIELDS = {
    "fine": "name: {name}\ndescription: {mark} words\n",
    "noname": "description: {mark} words\n",
    "nullname": "name:\ndescription: {mark} words\n",
    "number": "name: 90210\ndescription: {mark} words\n",
    "other": "name: {name}-too\ndescription: {mark} words\n",
    "blanks": "name: {name} two\ndescription: {mark} words\n",
    "long": "name: {name}" + "x" * 70 + "\ndescription: {mark} words\n",
    "colon": "name: {name}\ndescription: Use when: asked, {mark} words\n",
    "bracket": "name: {name}\ndescription: {mark} words\nx: [unclosed\n",
    "twice": "name: {name}\nname: {name}-more\ndescription: {mark} words\n",
    "nodesc": "name: {name}\n",
    "nomodel": "name: {name}\ndescription: {mark} words\ndisable-model-invocation: true\n",
    "strange": "name: {name}\ndescription: {mark} words\nunheard-of: 1\n",
}
"""Frontmatter of skills, sub-agents and commands."""


def _text(tree: Tree, place: str, path: str, text: str, encoding: str = "utf-8") -> None:
    """Write a text whose lines carry marks, with its own line ends and bytes."""
    lines = [line.replace("{mark}", mark(place, path, number)) for number, line in enumerate(text.split("\n"), 1)]
    tree.path(place, path).write_bytes("\n".join(lines).encode(encoding))


def rules_odd(tree: Tree) -> None:
    """Rules whose frontmatter is spelled oddly, in every folder of rules."""
    write_data(tree)
    for folder, (pattern, key, _) in FOLDERS.items():
        for name, text in AROUND.items():
            front = f'{key}: "**/*.zzz"\n'.replace("\n", "\r\n" if name == "crlf" else "\n")
            spelled = text.replace("{front}", front).replace("{words}", WORDS)
            _text(tree, "root", f"{folder}/{pattern.format(name)}", spelled)
        for name, front in PATHS.items():
            text = f"---\n{front.replace('{key}', key)}\n---\n{WORDS}\n"
            _text(tree, "root", f"{folder}/{pattern.format(name)}", text)
        for path in (pattern.format(".dot"), f".hidden/{pattern.format('inner')}"):
            tree.small("root", f"{folder}/{path}")
        _text(tree, "root", f"{folder}/{pattern.format('latin')}", f"{WORDS} caf\xe9\n", "latin-1")


def _known_by_name(tree: Tree, place: str, pattern: str, start: str) -> None:
    """One file for each oddity; its name begins with `start`, so that no prompt says it by chance."""
    for kind, front in FIELDS.items():
        name = f"{start}-{kind}"
        text = f"---\n{front.replace('{name}', name)}---\n\n{WORDS}\n"
        _text(tree, place, pattern.format(name), text)
    for kind, text in AROUND.items():
        name = f"{start}-{kind}"
        front = FIELDS["fine"].replace("{name}", name).replace("\n", "\r\n" if kind == "crlf" else "\n")
        _text(tree, place, pattern.format(name), text.replace("{front}", front).replace("{words}", WORDS))
    fine = f"---\n{FIELDS['fine'].replace('{name}', f'{start}-latin')}---\n\n{WORDS} caf\xe9\n"
    _text(tree, place, pattern.format(f"{start}-latin"), fine, "latin-1")
    _text(tree, place, pattern.format(f".{start}-dot"), fine.replace("latin", "dot"))


def skills_spelled(tree: Tree) -> None:
    """Skills whose frontmatter is spelled oddly."""
    write_data(tree)
    for folder in SKILL_FOLDERS:
        _known_by_name(tree, "root", f"{folder}/{{}}/SKILL.md", f"q-{folder.split('/')[0].strip('.')}")


def helpers_odd(tree: Tree) -> None:
    """Sub-agents and commands whose frontmatter is spelled oddly, or missing, or that lie in a folder below."""
    write_data(tree)
    known = [("root", pattern) for pattern in (*SUB_AGENTS, *COMMANDS)]
    known += [("home", pattern) for pattern in (".gemini/agents/{}.md", *HOME_SUB_AGENTS)]
    for place, pattern in known:
        start = f"q-{pattern.partition('/{}')[0].strip('.').replace('/', '-').replace('.', '')}"
        _known_by_name(tree, place, pattern, start)
        _text(tree, place, pattern.format(f"{start}-bare"), f"# A heading\n\n{WORDS}\n\n{WORDS}\n")
        deep = FIELDS["fine"].replace("{name}", f"{start}-deep")
        _text(tree, place, pattern.format(f"deep/{start}-deep"), f"---\n{deep}---\n\n{WORDS}\n")


WORLDS = (
    World("rules-odd", "What of rules spelled oddly?", rules_odd, cwd=ROOT, reads=(f"{PLACES['child']}/data.txt",)),
    World("skills-spelled", "Which skills are listed that are spelled oddly?", skills_spelled, cwd=ROOT),
    World("helpers-odd", "Which sub-agents and commands are told of that are spelled oddly?", helpers_odd, cwd=ROOT),
)
