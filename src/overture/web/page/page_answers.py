"""What play and copy answer."""

from typing import Any

import msgspec

from ...model.prompt.prompt import Prompt
from ...providers.render import native, request
from ...providers.write.tools import order_tools
from ...report.sheet.compare_sheets import SheetWithTools
from ...session.publish.draw_sheet import SheetDetails, draw_sheet
from ..play.made_by import MadeBy
from ..play.played import Played, Player
from ..play.wishes import CopyWishes, Wishes
from ..service.problems import refusing


def played(player: Player, wishes: Wishes) -> dict[str, Any]:
    """The prompt with these wishes, drawn; its state; and what makes it."""
    prompt, made = player.play(wishes)
    by = _made_by(player, wishes, made)
    sheet = _drawn(player, wishes, prompt, made).sheet
    return {
        "sheet": sheet,
        "state": made.state,
        "recipe": prompt.recipe.name,
        "command": by.command,
        "python": by.python,
    }


def _drawn(player: Player, wishes: Wishes, prompt: Prompt, made: Played) -> SheetWithTools:
    live = player.live
    shown = live.history.turn()
    drawn = SheetDetails(shown.sheet.turn, shown.sheet.at, shown.sheet.broken, made.least) if shown else SheetDetails()
    drawn = drawn._replace(provider=wishes.provider).looking(made.looked)
    return draw_sheet(prompt, live.place, live.models, drawn)


def copied(player: Player, wishes: CopyWishes) -> dict[str, str]:
    """The prompt in the form that is wanted, or what makes it."""
    prompt, made = player.play(wishes)
    if wishes.form == "text":
        return {"text": prompt.text}
    if wishes.form in ("python", "command"):
        return {"text": getattr(_made_by(player, wishes, made), wishes.form)}
    if wishes.form == "json":
        return {"text": _indented(prompt.to_dict())}
    with refusing("state", "state"):
        tools = order_tools(native(prompt), prompt.recipe)
        laid = request(wishes.form, prompt, (), tools, model=wishes.model, models=player.live.models)[1]
    return {"text": _indented(laid.body)}


def _made_by(player: Player, wishes: Wishes, made: Played) -> MadeBy:
    live = player.live
    return MadeBy(made.given, live.session.current.options, live.settled.cwd, player.budget(wishes))


def _indented(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
