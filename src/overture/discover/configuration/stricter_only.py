"""What a project's own file may only make stricter: it can hide more from whoever reads the prompt, never less."""

from ...model.diagnostic import Diagnostic, warning
from .values import PROJECT, Layer

LOOSE = {"secrets": "show", "audience": "private"}
"""Settings that keep something from readers, and the value that keeps nothing."""


def stricter_only(layers: list[Layer], user_file: str, notes: list[Diagnostic]) -> list[Layer]:
    """The layers without what a project's file would show that its user may have hidden."""
    return [_tightened(layer, user_file, notes) if layer.rank == PROJECT else layer for layer in layers]


def _tightened(layer: Layer, user_file: str, notes: list[Diagnostic]) -> Layer:
    refused = [key for key, value in layer.values.items() if LOOSE.get(key.rpartition(".")[2]) == value]
    if layer.origin == user_file or not refused:
        return layer
    for key in refused:
        said = f"{key} = {layer.values[key]!r} is not used: a project can hide more, not less"
        notes.append(
            warning(
                "config-untrusted", f"{said}. Write it in {user_file}, or give it with -c, if you mean it", layer.origin
            )
        )
    return layer._replace(values={key: value for key, value in layer.values.items() if key not in refused})
