"""A runner's file -> the names that it defines; `*` where it may define others too."""

import re
import tomllib
from typing import Any

import msgspec

RULE = re.compile(r"^(?![\t#])([^:=#\n]{1,500}?)\s*::?(?![=:])", re.MULTILINE)
PHONY = re.compile(r"^\.PHONY\s*:(.*(?:\\\n.*)*)", re.MULTILINE)
INCLUDES = re.compile(r"^-?s?include\s+(.*)$", re.MULTILINE)
RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)(?:[^\n:]|:=)*:(?!=)", re.MULTILINE)
ALIAS = re.compile(r"^alias\s+([\w-]+)\s*:=", re.MULTILINE)
MODULE = re.compile(r"^mod\b", re.MULTILINE)
PACKAGE = re.compile(r'^name\s*=\s*"([^"]+)"', re.MULTILINE)
SESSION = re.compile(r"@(?:nox\.)?session\b(?:[^\n]*\n(?:[^\n@]*\n)*?)?\s*def\s+(\w+)|name\s*=\s*[\"']([^\"']+)[\"']")
ENVIRONMENT = re.compile(r"^\[testenv:([^\]]+)\]|^(?:envlist|env_list)\s*=", re.MULTILINE)


def npm(text: str) -> set[str]:
    """The scripts of a package.json."""
    data = msgspec.json.decode(text.removeprefix("\ufeff"))
    scripts = data.get("scripts") if isinstance(data, dict) else None
    return {name for name in scripts if isinstance(name, str)} if isinstance(scripts, dict) else set()


def make(text: str) -> set[str]:
    """The targets of a Makefile; `%` stands for anything, and a computed target for all there may be."""
    names: set[str] = set()
    for match in RULE.findall(text):
        names.update(match.split())
    for match in PHONY.findall(text):
        names.update(match.replace("\\\n", " ").split())
    if any("$" in name and not name.strip("$(){}").isupper() for name in names) or "$(eval" in text:
        return {"*"}
    for match in INCLUDES.findall(text):
        if not match.strip().endswith((".mk", ".mak", "Makefile")):
            return {"*"}
    return {name.replace("%", "*") if name != "%" else "*" for name in names if not name.startswith((".PHONY", "$"))}


def just(text: str) -> set[str]:
    """The recipes and aliases of a justfile."""
    return {*RECIPE.findall(text), *ALIAS.findall(text), *({"*"} if MODULE.search(text) else ())}


def task(text: str) -> set[str]:
    """The tasks of a Taskfile."""
    import yaml

    try:
        root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    tables = {key.value: value for key, value in root.value} if isinstance(root, yaml.MappingNode) else {}
    found = {"*"} if "includes" in tables else set()
    tasks = tables.get("tasks")
    if isinstance(tasks, yaml.MappingNode):
        found.update(str(key.value) for key, _ in tasks.value)
    return found | ({"*"} if "aliases" in text else set())


def mise(text: str) -> set[str]:
    """The tasks of a mise.toml. Tasks may be files too, in folders that are not asked for."""
    table = tomllib.loads(text)
    tasks = _table(table, "tasks")
    extra = {"*"} if "task_config" in table or any("alias" in str(each) for each in tasks.values()) else set()
    return {*tasks, *extra}


def deno(text: str) -> set[str]:
    """The tasks of a deno.json."""
    data = msgspec.json.decode(text.removeprefix("\ufeff"))
    return set(_table(data, "tasks")) if isinstance(data, dict) else set()


def poe(text: str) -> set[str]:
    """The tasks that a pyproject.toml gives poe."""
    table = _table(_table(tomllib.loads(text), "tool"), "poe")
    return {*_table(table, "tasks"), *({"*"} if "include" in table or "include_script" in table else ())}


def cargo(text: str) -> set[str]:
    """Whatever is a package, a binary or a dependency in a Cargo.toml or a Cargo.lock."""
    return {"*"} if "name.workspace" in text else set(PACKAGE.findall(text))


def nox(text: str) -> set[str]:
    """The sessions of a noxfile, with their parameters."""
    names = {first or second for first, second in SESSION.findall(text)}
    return {each for name in names for each in (name, f"{name}-*", f"{name}(*")}


def tox(text: str) -> set[str]:
    """The environments of a tox.ini; lists with factors are not worked out."""
    named = {name.strip() for name in ENVIRONMENT.findall(text) if name}
    return {"*"} if "{" in "".join(named) or re.search(r"^env_?list", text, re.MULTILINE) else named


def _table(data: dict[str, Any], key: str) -> dict[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}
