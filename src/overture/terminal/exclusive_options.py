"""Options that exclude or need each other: what was typed is looked at before a command begins."""

from collections.abc import Iterator

import click
from click.core import ParameterSource

from ..errors import ConfigError


def refuse_combinations(*groups: tuple[str, ...]) -> None:
    """The first option of each group excludes all others of it: typed together, they are an error."""
    typed = set(_list_typed())
    for first, *others in groups:
        for other in others:
            if first in typed and other in typed:
                raise ConfigError(f"`{first}` and `{other}` can't be combined.", hint="Drop one of them.")


def require_option(needed: str, *options: str) -> None:
    """Each of these options means something only with `needed`."""
    typed = set(_list_typed())
    for option in options:
        if option in typed and needed not in typed:
            raise ConfigError(f"`{option}` needs `{needed}`.", hint=f"Add `{needed}`, or drop `{option}`.")


def is_typed(name: str) -> bool:
    """Whether an option, or an argument by the word of its help, is on the command line."""
    return name in _list_typed()


def _list_typed() -> Iterator[str]:
    """All names of the options and arguments that were typed; what has its default was not."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE:
            yield from parameter.opts if isinstance(parameter, click.Option) else (parameter.human_readable_name,)
