"""The dated table of limits and prices: the package's own, a caller's file over it, and the facts of one model."""

import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import cache
from typing import Any, get_args

import msgspec

from ..errors import ConfigError, nearest
from ..model.validation import explained
from .model_facts import Facts, ModelForm, TableForm, Ttl, VendorForm

OWN = tuple(name for name in ModelForm.__struct_fields__)
ANY = "any model"
"""A name that is in no table: what counts is what every model of the provider takes."""


@cache
def packaged() -> TableForm:
    """The table that comes with the package."""
    import tomllib

    data = pkgutil.get_data(__package__, "models.toml")
    assert data is not None
    return table_of(tomllib.loads(data.decode("utf-8")), "models.toml")


def table_of(data: Mapping[str, Any], name: str) -> TableForm:
    """A table from what its TOML file says; `name` is how an error calls that file."""
    # msgspec does not say which provider or model it means, so each is looked at by itself.
    for where, part, form in _parts(data):
        try:
            msgspec.convert(part, form)
        except msgspec.ValidationError as problem:
            raise ConfigError(f"{name}: [{where}] {_explained(problem, form, part)}") from None
    try:
        return msgspec.convert(data, TableForm)
    except msgspec.ValidationError as problem:
        raise ConfigError(f"{name}: {_explained(problem, TableForm, data)}") from None


def _parts(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, type[ModelForm]]]:
    """The tables of a file, the innermost first."""
    for vendor, form in _items(data, "providers"):
        for model, own in _items(form, "models"):
            yield f"providers.{vendor}.models.{model}", own, ModelForm
        yield f"providers.{vendor}", form, VendorForm


def _items(data: Any, key: str) -> list[tuple[str, Any]]:
    found = data.get(key) if isinstance(data, Mapping) else None
    return list(found.items()) if isinstance(found, Mapping) else []


def _explained(problem: msgspec.ValidationError, form: type[msgspec.Struct], data: Any) -> str:
    """The complaint in our words; of a time to live, msgspec gives the key alone."""
    if found := re.search(r"Invalid enum value '(.*)' - at `key` in", str(problem)):
        known = get_args(Ttl)
        return f"write: {found[1]!r} is none of {', '.join(known)}.{nearest(found[1], known)}"
    return explained(problem, form, data)


def over(table: TableForm, own: TableForm, name: str) -> TableForm:
    """`table` with a caller's own numbers over it; a provider that nobody knows is an error."""
    vendors = dict(table.providers)
    for vendor, form in own.providers.items():
        if vendor not in vendors:
            known = ", ".join(vendors)
            raise ConfigError(f"{name}: provider {vendor!r} is not known. Known: {known}.{nearest(vendor, vendors)}")
        vendors[vendor] = _over(vendors[vendor], form)
    return TableForm(own.as_known_on or table.as_known_on, own.note or table.note, vendors)


def _over(old: VendorForm, new: VendorForm) -> VendorForm:
    models = dict(old.models)
    for name, form in new.models.items():
        models[name] = msgspec.structs.replace(models.get(name, ModelForm()), **_given(form))
    return msgspec.structs.replace(
        old,
        **_given(new),
        default=new.default or old.default,
        families=(*old.families, *new.families),
        open=old.open if new.open is None else new.open,
        models=models,
    )


def _given(form: ModelForm) -> dict[str, Any]:
    """The numbers that a form gives."""
    return {name: value for name in OWN if (value := getattr(form, name)) is not None}


def facts_of(table: TableForm, vendor: str, model: str | None = None) -> Facts:
    """What counts for a model of a provider: its own numbers, and else its provider's.

    Of a model that is in no table no price is known: `input` is None unless the provider has one for all.
    """
    form = table.providers[vendor]
    named = model or form.default or ""
    own = nearest_form(form, named)
    given = {**_given(form), **(_given(own) if own is not None else {})}
    return Facts(
        vendor=vendor,
        model=named,
        known=own is not None or not form.models,
        as_known_on=table.as_known_on or date.min,
        **{"input": None, **given},
    )


def window_of(table: TableForm, model: str) -> int:
    """How many tokens a model takes in, whoever provides it."""
    found = [window for vendor in table.providers if (window := facts_of(table, vendor, model).window) is not None]
    if not found:
        known = sorted({name for vendor in table.providers.values() for name in vendor.models})
        raise ConfigError(
            f"The window of {model!r} is not in the table of models.{nearest(model, known)} "
            "Give it as a number of tokens, or add it to a file of your own (the setting `models`)."
        )
    # Where providers differ, the smaller one holds for all of them.
    return min(found)


def vendors_of(table: TableForm, model: str) -> tuple[str, ...]:
    """Those in whose part of the table a model is."""
    return tuple(name for name, form in table.providers.items() if nearest_form(form, model) is not None)


def nearest_form(form: VendorForm, model: str) -> ModelForm | None:
    """The form with the longest name that the model's name holds."""
    found = held(form.models, model)
    return form.models[max(found, key=len)] if found else None


def held(known: Iterable[str], model: str) -> list[str]:
    """Those that the model's name holds, after its start, a `-`, a `.` or a `/`."""
    name = f"-{_plain(model)}"
    return [each for each in known if f"-{_plain(each)}" in name]


def _plain(name: str) -> str:
    return name.lower().replace(".", "-").replace("/", "-")
