"""A state as the page hands it out: without the keys and tokens in its texts, unless they are shown anyway."""

from typing import Any

import msgspec

from ...model.state.state import State
from ...text.secrets.find import hide_secrets
from ...text.secrets.shapes import may_hold_secret


def hidden(state: State) -> dict[str, Any]:
    """The JSON form of a state. A prompt says the same of it: there, too, a key is written `[secret: …]`."""
    data = state.to_dict()
    shown = state.secrets == "show" or not may_hold_secret(msgspec.json.encode(data).decode())
    return data if shown else _without(data)


def _without(value: Any) -> Any:
    if isinstance(value, str):
        return hide_secrets(value)
    if isinstance(value, dict):
        return {hide_secrets(key): _without(inner) for key, inner in value.items()}
    return [_without(item) for item in value] if isinstance(value, list) else value
