"""What a program sets in its session: fields of the State, a budget, more to discover."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from ...errors import ConfigError, SessionError, unknown
from ...model.prompt.budget import Budget, Limit, checked
from ...model.state.state import own_keys
from ...tokens.counter import Count, as_counter
from ..live_session import Live
from .given_fields import given_fields, over
from .triggers import Resources


def update(session: Live, fields: Mapping[str, Any], trigger: Literal["state", "model"], said: str = "") -> None:
    """Give fields of the State; inside a struct, those that are given."""
    given = given_fields(with_mission(session, own_keys(fields)))
    if "tools" in given:
        raise SessionError("update(tools=…) is not how tools change. Use set_tools, register or unregister.")

    def work() -> None:
        for name, value in given.items():
            session.current.given[name] = over(session.current.given.get(name), value)
        session.trigger(trigger, said or f"given: {', '.join(given)}")

    session.do(work)


def with_mission(session: Live, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields, with what is known of the mission where only some of it is given.

    An error is of the turn before: who does not give it again withdraws it.
    """
    new, current = fields.get("mission"), session.current
    known = current.given.get("mission") or (current.state.mission if current.state else None)
    if known is None or not isinstance(new, Mapping):
        return fields
    old = {name: value for name, value in msgspec.to_builtins(known).items() if name != "error"}
    return {**fields, "mission": {**old, **new}}


def withdraw_error(session: Live) -> None:
    """Drop the mission's error once the model has answered the prompt that told it."""
    mission = session.current.given.get("mission")
    told = session.last.state.mission if session.last else None
    if mission is not None and mission.error is not None and told is not None and told.error == mission.error:
        session.current.given["mission"] = msgspec.structs.replace(mission, error=None)
        session.trigger("state", "the model has answered the error of the turn before")


def set_budget(session: Live, budget: Limit | Budget | None, count: Count | None) -> None:
    """Another budget; a section that the recipe does not have is an error."""
    allowed, other = checked(budget), None if count is None else as_counter(count)
    names = [section.name for section in session.current.recipe.sections] if session.current.recipe else []
    for name in allowed.sections if allowed and names else ():
        if name not in names:
            raise ConfigError(unknown("Section", name, names))

    def work() -> None:
        options = session.current.options
        session.current.options = options._replace(budget=allowed, counter=other or options.counter)
        session.trigger("budget", "none" if budget is None else f"at most {budget!r}")

    session.do(work)


def add_resources(session: Live, more: Resources) -> None:
    """Discover more than the recipe looks for; what is known already is no rebuild."""

    def work() -> None:
        new = more - session.added
        if new.paths:
            session.added += more
            session.trigger("resources", ", ".join(new.paths))

    session.do(work)
