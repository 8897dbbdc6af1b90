"""The dated table of windows and prices: the package's own, a caller's file over it, the facts of one model."""

import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import cache
from typing import Any, NamedTuple, get_args

import msgspec

from ..errors import ConfigError, find_similar, suggest
from ..model.struct import explain_error
from .model_facts import ModelFacts, ModelForm, PriceChange, TableForm, Ttl, VendorForm

RESOURCE = re.compile(
    r"arn:[^/]*:(?:foundation-model|inference-profile)/"
    r"|(?:projects/[^/]+/locations/[^/]+/)?(?:publishers/[^/]+/)?models/"
    r"|bedrock/(?:converse/)?(?:[a-z]{2}(?:-[a-z]+)+-\d/)?"
)
"""Paths in which clouds put the id of a model."""

MAKER = re.compile(
    r"(?:openrouter/)?(?:openai|anthropic|google|gemini|vertex_ai|x-?ai|deepseek|moonshot(?:ai)?|z-?ai|minimax|qwen)/"
)
"""Prefixes of gateways: by whom the model is made, and so sold at its own price."""

BEDROCK = re.compile(r"(?:(?P<region>us|eu|apac|jp|au|ca|us-gov|global)\.)?(?:anthropic|amazon|openai|meta|mistral)\.")

VERSION = re.compile(r"(?:[-@](?:20\d{6}|20\d\d-\d\d-\d\d|latest|default|001))?(?:-v1(?::\d+)*)?(?:\[1m\])?$")
"""A date or a revision of one and the same model, as each provider writes it."""


class ModelId(NamedTuple):
    """An id, taken apart."""

    names: tuple[str, ...]
    """Under which it may be in a table: with its date first, then without."""
    bedrock: bool = False
    region: str | None = None
    """Of Bedrock: `us`, `global`, …; None: the id names none."""


def parse_model_id(text: str) -> ModelId:
    """The names that an id stands for, with Bedrock's region."""
    model_id = text.strip().lower()
    name = MAKER.sub("", RESOURCE.sub("", model_id, count=1), count=1) if "/" in model_id else model_id
    prefix = BEDROCK.match(name)
    name = name[prefix.end() :] if prefix else name
    # Gateways keep their own prefixes: nothing is known of their prices.
    names = dict.fromkeys(map(plain_name, (model_id, name, VERSION.sub("", name))))
    return ModelId(tuple(filter(None, names)), prefix is not None, prefix["region"] if prefix else None)


def plain_name(name: str) -> str:
    """A name in the compared form: `Claude-Opus-4.7` is `claude-opus-4-7`."""
    return name.lower().replace(".", "-")


def find_name(known: tuple[tuple[str, tuple[str, ...]], ...], model: str) -> str | None:
    """The known name that an id stands for; each has aliases."""
    named = _index_by_plain_name(known)
    return next((named[each] for each in parse_model_id(model).names if each in named), None)


@cache
def _index_by_plain_name(known: tuple[tuple[str, tuple[str, ...]], ...]) -> dict[str, str]:
    return {plain_name(each): name for name, aliases in known for each in (*aliases, name)}


NUMBER = re.compile(r"^([a-z]+)-(\d+)(?:-(\d{1,2}))?(?=-|$)")


def is_model_since(model: str, first: str) -> bool:
    """Whether a model is of the same line as another, and of its version or a later one."""
    start = NUMBER.match(plain_name(first))
    for name in parse_model_id(model).names:
        own = NUMBER.match(name)
        if own and start and own[1] == start[1]:
            return _parse_version(own) >= _parse_version(start)
    return False


def _parse_version(found: re.Match[str]) -> tuple[int, int]:
    return int(found[2]), int(found[3] or 0)


ANY_MODEL = "any model"
"""A name that is in no table: what counts is what every model of the provider takes."""
MAX_NAMED_MODELS = 3
"""Models that an error names; there are too many to list."""


@cache
def packaged_table() -> TableForm:
    """The table that comes with the package."""
    import tomllib

    data = pkgutil.get_data(__package__, "models.toml")
    assert data is not None
    return parse_table(tomllib.loads(data.decode("utf-8")), "models.toml")


def parse_table(data: Mapping[str, Any], name: str) -> TableForm:
    """A table from its TOML file; errors call that file `name`."""
    # msgspec does not name the provider or model of an error, so each is converted by itself.
    for where, part, form in _list_model_forms(data):
        try:
            msgspec.convert(part, form)
        except msgspec.ValidationError as problem:
            raise ConfigError(f"{name}: [{where}] {_explain_table_error(problem, form, part)}") from None
    try:
        return msgspec.convert(data, TableForm)
    except msgspec.ValidationError as problem:
        raise ConfigError(f"{name}: {_explain_table_error(problem, TableForm, data)}") from None


def _list_model_forms(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, type[ModelForm]]]:
    """The tables of a file, the innermost first."""
    for vendor, form in _list_table_items(data, "providers"):
        for key in ("models", "since"):
            for model, own in _list_table_items(form, key):
                yield f"providers.{vendor}.{key}.{model}", own, ModelForm
        yield f"providers.{vendor}", form, VendorForm


def _list_table_items(data: Any, key: str) -> list[tuple[str, Any]]:
    found = data.get(key) if isinstance(data, Mapping) else None
    return list(found.items()) if isinstance(found, Mapping) else []


def _explain_table_error(problem: msgspec.ValidationError, form: type[msgspec.Struct], data: Any) -> str:
    """The error in our words; for a time to live, msgspec reports only the key."""
    if match := re.search(r"Invalid enum value '(.*)' - at `key` in", str(problem)):
        known = get_args(Ttl)
        return f"write: {match[1]!r} is not one of {', '.join(known)}.{suggest(match[1], known)}"
    return explain_error(problem, form, data)


def overlay_table(table: TableForm, own: TableForm, name: str) -> TableForm:
    """`table` with a caller's own numbers over it; an unknown provider is an error."""
    vendors = dict(table.providers)
    for vendor, form in own.providers.items():
        if vendor not in vendors:
            known = ", ".join(vendors)
            raise ConfigError(
                f"{name}: unknown provider {vendor!r}.", hint=f"Known: {known}.", tip=find_similar(vendor, vendors)
            )
        vendors[vendor] = _merge_vendor_forms(vendors[vendor], form)
    sources = {**table.sources, **own.sources}
    return TableForm(own.as_known_on or table.as_known_on, own.note or table.note, sources, vendors)


def _merge_vendor_forms(old: VendorForm, new: VendorForm) -> VendorForm:
    """A provider's part of the table with the caller's numbers over it."""
    models = dict(old.models)
    for name, form in new.models.items():
        models[name] = msgspec.structs.replace(
            models.get(name, ModelForm()), **_collect_given_numbers(form), **_drop_price_changes(form)
        )
    return msgspec.structs.replace(
        old,
        **_collect_given_numbers(new),
        default=new.default or old.default,
        families=(*old.families, *new.families),
        open=old.open if new.open is None else new.open,
        models=models,
        models_of=new.models_of or old.models_of,
        since={**old.since, **new.since},
    )


def _collect_given_numbers(form: ModelForm) -> dict[str, Any]:
    return {name: value for name in ModelForm.__struct_fields__ if (value := getattr(form, name)) is not None}


def _drop_price_changes(form: ModelForm) -> dict[str, Any]:
    """Of a price of the caller's own, no change is announced."""
    priced = any(getattr(form, name) is not None for name in ("input", "output", "read", "write"))
    return {"changes": ()} if priced and form.changes is None else {}


def find_facts(table: TableForm, vendor: str, model: str | None = None, on: date | None = None) -> ModelFacts:
    """The facts about a model of a provider: its own numbers, and else its provider's, on a day.

    A model in no table has no known price: `input` is None unless the provider has one for all. Without a
    day, the prices are those of the day of the table.
    """
    form = table.providers[vendor]
    named = model or form.default or ""
    own = find_model_form(table, vendor, named)
    lines = [_collect_given_numbers(each) for first, each in form.since.items() if is_model_since(named, first)]
    rows = [_collect_given_numbers(form), *lines, *([own] if own is not None else [])]
    values = {name: value for row in rows for name, value in row.items()}
    values |= _find_prices_on_day(values.pop("changes", ()), on or table.as_known_on)
    sources = dict.fromkeys(key for row in rows for key in row.get("sources", ()))
    values.pop("aliases", None)
    values["region"] = _find_region_factor(named, values.pop("regional", 1.0), sold=form.models_of is not None)
    values["sources"] = tuple(table.sources.get(key, key) for key in sources)
    return ModelFacts(
        vendor=vendor,
        model=named,
        known=own is not None or not form.models,
        as_known_on=table.as_known_on or date.min,
        **{"input": None, **values},
    )


def _find_prices_on_day(changes: Iterable[PriceChange], day: date | None) -> dict[str, Any]:
    past = [each for each in changes if day is not None and each.since <= day]
    rows = [(each.input, each.output, each.read) for each in sorted(past, key=lambda each: each.since)]
    return {n: v for row in rows for n, v in zip(("input", "output", "read"), row, strict=True) if v is not None}


def _find_region_factor(model: str, regional: float, *, sold: bool) -> float | None:
    """The factor of an id's region; None if prices depend on it and the id does not name it."""
    model_id = parse_model_id(model)
    if regional == 1.0 or model_id.region == "global":
        return 1.0
    if model_id.region:
        return regional
    return None if model_id.bedrock or sold else 1.0


def find_window(table: TableForm, model: str) -> int:
    """How many tokens a model takes in, whichever provider serves it."""
    windows = [window for vendor in table.providers if (window := find_facts(table, vendor, model).window) is not None]
    if not windows:
        known = sorted({name for vendor in table.providers.values() for name in vendor.models})
        raise ConfigError(
            f"The context window of {model!r} is not in the table of models.",
            message=f"No model named {model!r}",
            noun="model",
            tip=find_similar(model, known),
            hint=f"{name_models(table)} Pass a number of tokens, or add yours to a file (the setting `models`).",
        )
    # Where providers differ, the smaller one holds for all of them.
    return min(windows)


def name_models(table: TableForm) -> str:
    """`Known models: …`: the first model of the first providers, and how many more the table has."""
    names = list(dict.fromkeys(name for vendor in table.providers.values() for name in vendor.models))
    first = [next(iter(vendor.models)) for vendor in table.providers.values() if vendor.models][:MAX_NAMED_MODELS]
    return f"Known models: {', '.join(f'`{name}`' for name in first)} and {len(names) - len(first)} more."


def find_vendors(table: TableForm, model: str) -> tuple[str, ...]:
    """Those in whose part of the table a model is."""
    return tuple(name for name in table.providers if find_model_form(table, name, model) is not None)


KEYS_OF_MODEL = (
    "minimum",
    "write",
    "read",
    "input",
    "output",
    "window",
    "steps",
    "changes",
    "unsure",
    "aliases",
    "sources",
)
"""Keys that a model keeps when another provider sells it; that provider sets how its requests are written."""


def find_model_form(table: TableForm, vendor: str, model: str) -> dict[str, Any] | None:
    """The numbers of a model in a provider's part of the table, or in that of the provider whose models it sells."""
    form = table.providers[vendor]
    if parse_model_id(model).bedrock and form.regional is None:
        return None  # Bedrock's prices for this provider's models are not known.
    own = find_named_form(form, model)
    shared = find_named_form(table.providers[form.models_of], model) if form.models_of in table.providers else None
    if own is None and shared is None:
        return None
    sold = _collect_given_numbers(shared or ModelForm())
    kept = {name: value for name, value in sold.items() if name in KEYS_OF_MODEL}
    return kept | _collect_given_numbers(own or ModelForm())


def find_named_form(form: VendorForm, model: str) -> ModelForm | None:
    """The entry of a model in a provider's part of the table."""
    found = find_name(tuple((name, tuple(own.aliases or ())) for name, own in form.models.items()), model)
    return form.models[found] if found is not None else None


# A model's name beside a provider's: whether it can be one of its models, and if not, whose it looks like.


def explain_unknown_model(table: TableForm, vendor: str, model: str) -> str | None:
    """The message about a model that a provider does not have; None if it has, or may have, one of that name."""
    form = table.providers[vendor]
    if form.open or _has_model(table, vendor, model):
        return None
    whose = next((name for name in table.providers if _has_model(table, name, model)), None)
    similar = f"; it looks like a model of {whose}" if whose else ""
    return (
        f"model {model!r:.80} is not a known model of {vendor}{similar}: the request uses what all models "
        f"of {vendor} accept.{suggest(model, form.models)} Use another model, or add it with models= if "
        "your endpoint has it."
    )


def _has_model(table: TableForm, vendor: str, model: str) -> bool:
    """Whether a model is in the table, or its name is of the family: after its start, a `-`, a `.` or a `/`."""
    name, *families = (f"-{plain_name(each)}".replace("/", "-") for each in (model, *table.providers[vendor].families))
    return find_model_form(table, vendor, model) is not None or any(family in name for family in families)
