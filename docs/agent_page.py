"""One agent -> its page, in the words of its module, and for its data in those of the notes that the fields have."""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from posixpath import join, normpath
from textwrap import indent
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from markdown_table import table
from python_reference import field_note

from overture.agents.show.agent_table_cells import EVIDENCE_PHRASE
from overture.known_agents import agent_about, agent_facts, agent_wants, load
from overture.model.agent_rules import TEXT_KINDS, FileLimit, Skills, Step, fill_in
from overture.model.recipe.recipe import AgentSection
from overture.text.words import join_words

TOLD = {"step", "names", "place", "at_home", "kind", "tells", "from_root", "known", "remark"}
TOLD |= {"project", "here", "home", "needs_known"}
"""Fields that a page tells in its tables."""
HEADS = {
    "alone_needs": "what a file that is a skill by itself must have",
    "bare_most": "maximum characters of the skills without descriptions; the rest is not listed",
    "called": "the agent's name for a file",
    "dotted": "hidden folders are searched",
    "flat": "a file NAME.md is a skill too",
    "folders": "written between folders and file name in its name",
    "longest_name": "maximum characters of its name",
    "needs": "what it must have",
}
"""Fields without a note, or with one that cannot stand before a value."""
PHRASES = {
    "blank=keep": "of an empty file, the frame is written",
    "broken=items": "with invalid frontmatter, each line that looks like a key or an item of its list is read",
    "broken=mended": "invalid YAML is read again with quotes around its values",
    "case=any": "names are not case-sensitive",
    "described=words": "what replaces a missing description: its first line that is not a heading",
    "dotted=all": "`*` also matches files and folders that begin with a dot",
    "dotted=itself": "a hidden folder may be a skill, but is not searched",
    "dotted=none": "`*` does not match names that begin with a dot",
    "links=never": "symlinks are not followed",
    "named=both": "it is listed as `folder (name)`",
    "named=folder": "its name is that of its folder",
    "named=name": "its name is the `name` of its frontmatter, else its file name",
    "patterns=gitignore": "patterns match as in a .gitignore",
    "patterns=relative": "a pattern that begins with `/` matches nothing",
    "links=rules-inside": "symlinks to rules may only lead to files of the project",
}
"""Values that the note of their field does not tell, or not in words that can stand alone."""
WORDS = {
    "announced=model": "those that the model asks for", "announced=waiting": "those for matching files",
    "base=folder": "the one that has the folder of the rules", "cwd": "the working directory",
    "within=cwd": "those below the working directory", "within=folder": "those below the folder of the first file",
    "inside": "in the project", "manual": "when the user names it", "model": "when the model asks for it",
    "comments": "HTML comments", "comment": "HTML comments", "backticks": "code blocks", "span": "code within a line",
    "indented": "indented code", "tildes": "code blocks of `~~~`",
    "bom": "a byte order mark before it", "broken-frontmatter": "invalid frontmatter",
    "blank-lines": "blank lines before it", "unended": "no last line", "yaml": "no invalid YAML", "utf-8": "UTF-8",
    "blanks-after-first": "spaces after its first line", "blanks-after-last": "spaces after its last line",
    "name": "a `name`", "description": "a `description`", "words": "text below its frontmatter",
    "name-is-folder": "the name of its folder", "name-like-folder": "the name of its folder (in any letter case)",
    "lower-case-name": "a name of lower-case letters, digits and hyphens",
    "keys-once": "no duplicate keys",
    "texts": "only strings in `name` and `description`", "keys": "the keys `name` and `description`, even if empty",
    "texts-or-none": "only strings or nothing in `name` and `description`",
}  # fmt: skip
"""Values, of one field or of all."""
PLACES = {
    "text": "the text", "alias": "short path", "runtime.cwd": "the working directory", "relative": "relative path",
    "in_project": "path in the project", "opened": "path, from the name of the opened folder on",
    "nearby": "path, relative to the working directory if it is below it",
}  # fmt: skip
"""Placeholders of frames, where the name does not say it."""
PARTS = {"": "", "touched": " on demand", "waiting": " that wait for a file", "model": " that the model may ask for"}
"""Of a step, which of its files a section has."""

LISTED = ("agent", "command")
QUOTE = '"'
GUESSED = "{{ path }}\n\n{{ text }}"
"""How files are written of which nothing more is known."""
SETS = {"adds": "adds to", "replaces": "replaces the files of", "enables": "enables or disables", "limits": "changes"}
WHERE = {"cwd": "of the working directory", "root": "of the root", "walk": "of each folder from the root down"}


def quoted(names: Iterable[str]) -> str:
    """Names in backticks; of `a|b`, the first that exists."""
    return ", ".join(", else ".join(f"`{each}`" for each in name.split("|")) for name in names)


def bullets(lines: Iterable[str]) -> str:
    """A list."""
    return "".join(f"- {_begin(line).rstrip('.')}.\n" for line in lines)


def _begin(text: str) -> str:
    """As the beginning of a sentence; a file keeps its name."""
    return text if "." in text.partition(" ")[0] else f"{text[:1].upper()}{text[1:]}"


def explain(struct: msgspec.Struct, own: Mapping[str, str] = {}) -> Iterator[str]:
    """What is not the default: a sentence for each such field, in the words of its note."""
    hints = get_type_hints(type(struct), include_extras=True)
    for field in msgspec.structs.fields(struct):
        value = getattr(struct, field.name)
        limited = field.name == "over" and getattr(struct, "most", None)  # what happens over a limit is always told
        if field.name not in TOLD and not isinstance(value, msgspec.Struct) and (value != field.default or limited):
            note = re.sub(r"; (none|empty|`key=value`).*| -> .*", "", field_note(hints[field.name]))
            said = _say(HEADS.get(field.name, note), field.name, value, _literals(hints[field.name]))
            if value != {}:
                yield re.sub(r"\bcwd\b", WORDS["cwd"], fill_in(said.replace("`{folder}", "`~/{folder}"), own))


def _say(note: str, name: str, value: Any, literals: Sequence[str]) -> str:
    """A note and a value: `how deep imports may nest`, 4 -> `how deep imports may nest: 4`."""
    if callable(value):
        return inspect.getdoc(value) or note
    if value is True:
        return note
    if value is False:  # `links are followed` -> `links are not followed`
        return re.sub(r"(.*\b(?:is|are|may))( not)?\b", lambda found: found[1] + ("" if found[2] else " not"), note)
    if told := PHRASES.get(f"{name}={value}") or (_choose(note, value, literals) if value in literals else ""):
        return told
    head, semicolon, more = note.partition(";")
    if isinstance(value, tuple) and ": " in head:
        head = f"{head.replace(': ', ' (', 1)})"
    colon = " in" if name in ("dotted", "flat") else ":"
    return f"{head}{colon} {_value(name, value, literals)}{semicolon}{more}"


def _choose(note: str, value: str, literals: Sequence[str]) -> str:
    """`where it goes: here, there, or nowhere`, the second of three -> `where it goes: there`; or nothing."""
    head, tail = [*re.split(r"[.:] ", note, maxsplit=1), ""][:2]
    given = re.split(" · " if " · " in tail else r", or |, ", tail or note)
    named = {value: words for value, _, words in (each.partition(": ") for each in given) if words}
    if not tail:  # `over the limit, do this, or that`
        head, *given = given
    return f"{head}: {named.get(value) or given[literals.index(value)]}" if len(given) == len(literals) else ""


def _value(name: str, value: Any, literals: Sequence[str] = ()) -> str:
    if isinstance(value, Mapping):
        return join_words([f"{quoted([key])} is `{word}`" for key, word in value.items()])
    if isinstance(value, tuple | frozenset):
        keys = sorted(value) if isinstance(value, frozenset) else value
        words = [_value(name, key, literals) if key in literals else f"`{key.replace('=', ': ')}`" for key in keys]
        return join_words(words) if words else "none"
    if isinstance(value, int):
        return f"{value:,}"
    known = WORDS.get(f"{name}={value}") or WORDS.get(value)
    return known or (value.replace("-", " ") if value in literals else f"`{value.strip()}`")


def _literals(hint: Any) -> list[str]:
    """The texts that a field may have, if they are given."""
    if get_origin(hint) is Literal:
        return [each for each in get_args(hint) if each]
    return [each for part in get_args(hint) for each in _literals(part)]


class Page:
    """One agent, and its steps with the numbers that its page gives them."""

    def __init__(self, name: str) -> None:
        self.name, self.module, self.facts = name, load(name), agent_facts(name)
        self.own = agent_wants(name).own_folders({})
        self.wants = agent_wants(name).fill(self.own)
        self.texts = [step for step in self.wants.steps if step.kind not in LISTED]
        self.lists = [step for step in self.wants.steps if step.kind in LISTED]

    @property
    def project_names(self) -> list[str]:
        """The names that it looks for in a project."""
        steps = (step for step in self.texts if step.place != "home" and step.kind in TEXT_KINDS)
        return list(dict.fromkeys(name for step in steps for name in step.names if name[0] not in "~/"))

    @property
    def skill_folders(self) -> list[str]:
        """The folders in which it looks for skills, those of a project first."""
        skills = self.wants.listed or Skills()
        home = [folder if folder.startswith("/") else f"~/{folder}" for folder in skills.home]
        return [fill_in(folder, self.own) for folder in (*skills.here, *skills.project, *home)]

    def write(self) -> str:
        """The whole page."""
        file = f"../../src/overture/known_agents/{self.name.replace('-', '_')}.py"
        limits = bullets(map(self._limit, self.wants.limits))
        parts = (
            f"# What {self.facts.title} reads\n\n{agent_about(self.name)}\n\n{self._facts()}",
            _section("What it loads, and in which order", self._does("files"), self._table(self.texts)),
            _section("How it reads these files", self._explain(self.texts) or "As [usual](README.md#what-is-usual).\n"),
            _section("When a rule is loaded", self._explain(self.texts, "conditions")),
            _section("Imports", self._explain(self.texts, "imports") or "None known: `@path` stays as it is.\n"),
            _section("Limits", limits or "None known: files are loaded whole.\n"),
            _section("Settings and variables", *self._settings(), self._variables()),
            _section("Skills", self._does("skills"), *self._skills()),
            _section("Sub-agents", self._does("agents"), *self._list("agent")),
            _section("Commands", self._does("commands"), *self._list("command")),
            _section("What it writes around them", *self._frames()),
            _section("What is unusual or unknown", "".join(f"- {note}\n" for note in self.facts.notes)),
            f"[All agents, and what is usual](README.md) · [The module of this page]({file})\n",
        )
        return "\n".join(filter(None, parts))

    def _does(self, function: str) -> str:
        found = getattr(self.module, function, None)
        return f"{inspect.getdoc(found)}\n" if found else ""

    def _facts(self) -> str:
        facts, own, signs = self.facts, self.facts.own, self.facts.signs
        sizes = {
            f"{own.characters or 0:,} characters": own.characters,
            f"{own.tools} tools of {own.tool_characters or 0:,} characters": own.tools,
            f"{own.messages or 0:,} characters in the first message": own.messages,
        }
        size = join_words([size for size, given in sizes.items() if given])
        found = {" in a project": signs.project, " at home": signs.home, " on the PATH": signs.programs}
        rows = {
            "Version": facts.version,
            "Last checked": str(facts.checked),
            "How it is known": facts.evidence,
            "Its own prompt": f"about {size}" if size else "not measured",
            "How it shows what it has loaded": quoted(filter(None, facts.shows.split(", "))) or "unknown",
            "What it loads in your project": f"`overture agents {self.name}`",
            "Signs that it is set up": "; ".join(quoted(names) + where for where, names in found.items() if names),
            "Other names": ", ".join(facts.also_called),
        }
        return table(("", facts.title), [row for row in rows.items() if row[1]])

    def _table(self, steps: Sequence[Step]) -> str:
        known = (f"{EVIDENCE_PHRASE[step.known or self.facts.known]}, {self.facts.checked}" for step in steps)
        rows = [
            (self._numbers([step.step]), _names(step), _place(step), how, step.remark)
            for step, how in zip(steps, known, strict=True)
        ]
        return table(("", "files", "where", "how known", "note"), rows)

    def _numbers(self, steps: Sequence[str]) -> str:
        found = [number for number, step in enumerate((*self.texts, *self.lists), 1) if step.step in steps]
        if len(found) > 2 and found[-1] - found[0] == len(found) - 1:
            return f"{found[0]} to {found[-1]}"
        return join_words([str(number) for number in found])

    def _called(self, steps: Sequence[str]) -> str:
        """`number 2`, `numbers 1 and 3`: steps as the page numbers them."""
        return f"number{'s' * (len(set(steps)) > 1)} {self._numbers(steps)}"

    def _explain(self, steps: Sequence[Step], part: str = "") -> str:
        """What is to be said of steps or a part of them, each sentence once, with the steps that it holds for."""
        found: dict[str, list[str]] = {}
        holders = {step.step: getattr(step, part) if part else step for step in steps}
        holders = {name: holder for name, holder in holders.items() if holder}
        for name, holder in holders.items():
            for said in explain(holder, self.own):
                found.setdefault(said, []).append(name)
        some = f"For {self._called([*holders])}:\n\n" if found and len(holders) < len(steps) else ""
        lines = [f"{said} ({self._called(of)})" if len(of) < len(holders) else said for said, of in found.items()]
        heads = list(dict.fromkeys(line.partition(":")[0] for line in lines))
        return some + bullets(sorted(lines, key=lambda line: heads.index(line.partition(":")[0])))

    def _limit(self, limit: FileLimit) -> str:
        which = "each file" if limit.over == "file" else "all files together"
        then = f", and the model gets `{limit.says.strip()}`" if limit.says else " silently"
        return f"{limit.most:,} {limit.unit} of {which} ({self._called(limit.of)}); the rest is dropped{then}"

    def _settings(self) -> Iterator[str]:
        for file in self.wants.configured:
            keys = [(key, does, of) for kind, does in SETS.items() for key, of in getattr(file, kind).items()]
            lines = [f"`{key.strip(QUOTE)}` {does} {self._changed(of)}" for key, does, of in keys]
            lines += [f"`{key.strip(QUOTE)}` switches folders on and off" for key in file.folders]
            lines += _report(key.strip(QUOTE) for key in file.unmodelled)
            own = [path for path in file.paths if path[0] in "~/"]
            rest = [path for path in file.paths if path not in own]
            named = [quoted(own)] * bool(own) + [f"{quoted(rest)} {WHERE[file.where]}"] * bool(rest)
            if lines:
                yield f"In {fill_in(', and in '.join(named), self.own)}:\n\n{bullets(lines)}"

    def _changed(self, target: str) -> str:
        """What a setting changes: steps, by their numbers, skills, or a limit."""
        steps = [name for name in target.split() if self.wants.find(name)]
        return self._called(steps) if steps else "the skills" if target == "skills" else "the limit"

    def _variables(self) -> str:
        folders = self.wants.folders.values()
        lines = [f"{quoted(['|'.join(others)])} replaces `~/{home}`" for home, *others in folders if others]
        lines += _report(self.wants.variables)
        return f"Environment variables:\n\n{bullets(lines)}" if lines else ""

    def _skills(self) -> Iterator[str]:
        if skills := self.wants.listed:
            own = [folder for folder in self.skill_folders if folder[0] in "~/"]
            rest = [folder for folder in self.skill_folders if folder not in own]
            places = {"Folders of the project": rest, "Folders at home": own}
            found = [f"{place}: {quoted(names)}" for place, names in places.items() if names]
            yield bullets([*found, *explain(skills, self.own)])
            if skills.menu:
                remark = [skills.menu.remark] if skills.menu.remark else []
                yield f"Its list of skills:\n\n{bullets([*explain(skills.menu, self.own), *remark])}"

    def _list(self, kind: str) -> Iterator[str]:
        if steps := [step for step in self.lists if step.kind == kind]:
            yield self._table(steps)
            yield self._explain(steps) + self._explain(steps, "listing") + self._explain(steps, "conditions")

    def _frames(self) -> Iterator[str]:
        rows = self.module.SECTIONS
        unknown = any(row.each == GUESSED and not row.opens for row in rows)
        yield from (self._frame(row) for row in rows if not unknown or row.opens)
        yield "Unknown.\n" if unknown else ""

    def _frame(self, row: AgentSection) -> str:
        """What stands around files or skills, indented, since some frames have fences."""
        of: dict[str, list[str]] = {}
        for step, _, how in (each.partition(":") for each in row.files):
            of.setdefault(how, []).append(step)
        what = join_words([self._called(steps) + PARTS[how] for how, steps in sorted(of.items())]) or "skills"
        each = list(dict.fromkeys(row.each.values())) if isinstance(row.each, dict) else [row.menu or row.each]
        between = row.turning or ("\n\n" if row.between is None else row.between)
        text = row.opens + between.join(each * 2 if row.turning else each) + row.closes
        text = re.sub(r"\{\{ *(?:front\.)?([\w.]+) *\}\}", lambda found: f"[{PLACES.get(found[1], found[1])}]", text)
        about = f"{row.about[:1].lower()}{row.about[1:]}".rstrip(".")
        where = "in the first message" if row.place == "user" else "in the system prompt"
        where = about if about.startswith("in ") else f"{where} ({about})" if about else where
        return f"{_begin(what)}, {where}:\n\n{indent(text, ' ' * 4)}\n"


def _report(names: Iterable[str]) -> list[str]:
    """Settings whose effect is not modelled."""
    shown = quoted(names)
    return [f"may change what is loaded; Overture only reports that it is set: {shown}"] if shown else []


def _section(title: str, *texts: str) -> str:
    text = "\n".join(filter(None, texts))
    return f"## {title}\n\n{text}" if text else ""


def _names(step: Step) -> str:
    """The names of a step; those under home with their folders."""
    tops = step.at_home if step.place == "home" else ()
    at_home = [
        "|".join(normpath(join("~", top, part.removeprefix("~/"))) for part in name.split("|"))
        for top in tops
        for name in step.names
    ]
    return quoted(dict.fromkeys(at_home or step.names)) or "what a setting names"


def _place(step: Step) -> str:
    """Where a step looks."""
    first = {name[0] for name in step.names}
    if step.place == "later":
        place = "folders in which it works" + ", and those from the root down" * step.from_root
    elif first == {"~"} or (step.at_home and step.place == "home"):
        place = "home"
    elif step.place == "home":
        place = "the machine" if first == {"/"} else "folders that a variable names"
    else:
        tops = quoted(normpath(join("~", top)) for top in step.at_home)
        place = (f"{tops}, then " if tops else "") + "the project" + " and home" * ("~" in first)
    return place if step.tells == "text" else f"{place}; only its {step.tells}"
