"""A model's name beside a provider's: whether it can be one of its models, and if not, whose it looks like."""

from ..errors import nearest
from .model_facts import TableForm
from .models_table import held, model_form


def strange(table: TableForm, vendor: str, model: str) -> str | None:
    """What is to be said of a model that a provider does not have; None where it has, or may have, one of that name."""
    form = table.providers[vendor]
    if form.open or _has(table, vendor, model):
        return None
    whose = next((name for name in table.providers if _has(table, name, model)), None)
    looks = f"; it looks like one of {whose}'s" if whose else ""
    return (
        f"model {model!r:.80} is not known as one of {vendor}'s{looks}: what all of {vendor}'s models take is sent."
        f"{nearest(model, form.models)} Name another, or add it with models=, if your endpoint has it."
    )


def _has(table: TableForm, vendor: str, model: str) -> bool:
    """Whether a model is in the table, or its name is of the family."""
    return model_form(table, vendor, model) is not None or bool(held(table.providers[vendor].families, model))
