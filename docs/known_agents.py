"""The agents that Overture knows, as pages show them: their rules numbered in the order in which they are told."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
from names_in_words import listed
from rules_in_words import is_later
from who_reads import project_names

from overture.known_agents import AGENTS, agent, read_recipe_tables
from overture.model.file_steps import FileStep
from overture.model.recipe.recipe import AgentFacts, Recipe
from overture.model.wants import Wants, fill_settings
from overture.recipes.toml.make_section import RecipeForm, SectionForm

COMMON = 5
"""So many names are those that everybody asks about."""
ABOUT = 2
GUESSED = "{{ path }}\n\n{{ text }}"


class Known(NamedTuple):
    """One agent."""

    name: str
    recipe: Recipe
    facts: AgentFacts
    wants: Wants
    sections: tuple[SectionForm, ...]

    @property
    def folder(self) -> str:
        """Where its recipe lies."""
        return self.name.replace("-", "_")

    @property
    def rules(self) -> tuple[FileStep, ...]:
        """Its rules: instructions at the start, then those that come later, then sub-agents and commands."""
        told = [step for section in self.sections for step in section.files]
        given = sorted(self.wants.files, key=lambda rule: told.index(rule.step) if rule.step in told else len(told))
        return tuple(sorted(given, key=lambda rule: (rule.kind in ("agent", "command"), is_later(rule))))

    def called(self, steps: Sequence[str]) -> str:
        """`number 2`, `numbers 1 and 3`: rules as its page numbers them."""
        all_steps = [rule.step for rule in self.rules]
        numbers = sorted(all_steps.index(step) + 1 for step in dict.fromkeys(steps))
        several = len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1))
        said = f"{numbers[0]} to {numbers[-1]}" if several else listed(map(str, numbers))
        return f"number{'s' * (len(numbers) > 1)} {said}"

    @property
    def order_is_known(self) -> bool:
        """Whether anything is known of how it puts its files together."""
        return not any(section.files and is_guessed(section) for section in self.sections)


def has_own_remark(rule: FileStep) -> bool:
    """Whether its remark is about one name or two, and so about the file that somebody asks for."""
    return bool(rule.remark) and len(rule.names) <= ABOUT


def is_guessed(section: SectionForm) -> bool:
    """Whether a section says nothing but path and text, as recipes do where nothing is known."""
    return section.each == GUESSED and not section.opens and not section.closes


def known_agents() -> tuple[Known, ...]:
    """All of them, by their titles."""
    return tuple(sorted(map(_known, AGENTS), key=lambda each: each.facts.title.casefold()))


def _known(name: str) -> Known:
    recipe = agent(name)
    form = msgspec.convert(read_recipe_tables(name), RecipeForm)
    assert recipe.agent is not None
    return Known(name, recipe, recipe.agent, fill_settings(recipe.wants, recipe.settings), form.sections)


def names_by_readers(agents: tuple[Known, ...]) -> dict[str, int]:
    """The names that agents look for in a project, with how many do; the most common first."""
    counts: dict[str, int] = {}
    for each in agents:
        for name in project_names(each.wants):
            counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0].casefold(), item[0])))


def spellings(names: Iterable[str]) -> dict[str, list[str]]:
    """Names that differ in letter case alone, by the first of them."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.casefold(), []).append(name)
    return {names[0]: names for names in found.values()}


def common_names(agents: tuple[Known, ...]) -> list[str]:
    """The names that most agents look for."""
    return [name for name in spellings(names_by_readers(agents)) if "*" not in name][:COMMON]
