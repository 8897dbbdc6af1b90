"""The dated table of limits and prices, and a caller's own over it."""

import pytest

import overture
from overture.errors import ConfigError
from overture.known_models.model_table import find_facts, packaged_table
from overture.providers.render import facts_for
from overture.testing import FakeWorld, make_state
from tests.contract.providers.sendable import FOUR_PACES, long, paced


def own(text: str) -> FakeWorld:
    return FakeWorld({"/p/models.toml": text})


def test_the_table_has_a_date_and_says_what_it_is() -> None:
    """Numbers that move are shipped with the day on which they were known."""
    assert packaged_table().as_known_on is not None
    assert packaged_table().note


@pytest.mark.parametrize(
    ("vendor", "model", "minimum", "price"),
    [
        ("anthropic", "claude-opus-5", 512, 5.0),
        ("anthropic", "claude-opus-5-5-20261001", 512, 4.0),
        ("anthropic", "Claude-Opus-4.7", 2048, 5.0),
        ("bedrock", "eu.anthropic.claude-opus-4-7-v1:0", 4096, 5.0),
        ("bedrock", "us.amazon.nova-pro-v1:0", 1024, 0.8),
        ("openai", "gpt-5.4-mini-2026-03-17", 1024, 0.75),
        ("gemini", "models/gemini-2.5-flash-lite", 2048, 0.1),
    ],
)
def test_a_model_is_found_by_the_longest_name(vendor: str, model: str, minimum: int, price: float) -> None:
    """Regions, versions and dates around a name do not matter, nor does a dot for a hyphen."""
    facts = find_facts(packaged_table(), vendor, model)
    assert (facts.known, facts.minimum, facts.input) == (True, minimum, price)


def test_an_unknown_model_gets_its_providers_numbers_and_no_price() -> None:
    """Nothing is made up: the general limits count, and what it costs is not known."""
    facts = find_facts(packaged_table(), "anthropic", "claude-minuet-9")
    assert (facts.known, facts.minimum, facts.input) == (False, 1024, None)


def test_a_file_of_ones_own_goes_over_the_table() -> None:
    """It may change a number, name a model that nobody knew, and set the default; all else stays."""
    models = overture.load_models(
        "/p/models.toml",
        world=own(
            'as_known_on = 2027-01-01\n[providers.anthropic]\ndefault = "claude-minuet-9"\n'
            "[providers.anthropic.models]\nclaude-minuet-9 = { minimum = 64, input = 9.5 }\n"
            "claude-opus-5 = { input = 1.0 }\n"
        ),
    )
    facts = facts_for("anthropic", None, models)
    assert (facts.model, facts.known, facts.minimum, facts.input, facts.read) == ("claude-minuet-9", True, 64, 9.5, 0.1)
    assert str(facts.as_known_on) == "2027-01-01"
    opus = facts_for("anthropic", "claude-opus-5", models)
    assert (opus.minimum, opus.input) == (512, 1.0)
    body = overture.render("anthropic", paced(("a", "static", long(100))), model="claude-minuet-9", models=models)
    assert "cache_control" in body["system"][0]


@pytest.mark.parametrize("provider", ["openai-chat", "openai-responses"])
def test_without_a_model_the_request_suits_every_model(provider: str) -> None:
    """Fields that some models refuse are only sent when the model is known: named, or else in the state."""
    plain = overture.render(provider, paced(*FOUR_PACES), tools=True)
    named = overture.render(provider, paced(*FOUR_PACES), tools=True, model="mistral-large")
    assert plain == {key: value for key, value in named.items() if key != "model"}
    assert "prompt_cache_breakpoint" not in str(plain)
    state = make_state(runtime={"model": "gpt-6-sol"})
    stated = overture.render(provider, paced(*FOUR_PACES, state=state))
    assert "prompt_cache_breakpoint" in str(stated)
    assert "model" not in stated
    older = overture.render(provider, paced(*FOUR_PACES, state=state), model="gpt-4o")
    assert "prompt_cache_breakpoint" not in str(older)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[providers.antropic]\nminimum = 1", "unknown provider 'antropic'. Known: anthropic, openai, gemini"),
        ("[providers.antropic]\nminimum = 1", "Did you mean 'anthropic'?"),
        ("[providers.anthropic]\nminimum = 'many'", "expected a whole number or null, got text"),
        ("[providers.anthropic.models.x]\ninput = 'dear'", "expected a number or null, got text"),
        ("[providers.anthropic.models.x]\nprice = 3", "unknown key 'price'"),
        ("[providers.anthropic]\nwrite = { 2d = 1.0 }", "'2d' is not one of 5m, 30m, 1h, 12h, 24h"),
        ("[providers.anthropic]\nwrite = {}", "must not be empty"),
        ("[providers.anthropic]\nstep = 0", "must be at least 1"),
        ("[providers.anthropic]\nread = -1", "[providers.anthropic] read: it must be at least 0 (-1)."),
        ("[providers.anthropic]\nread = nan", "[providers.anthropic] read: it must be at least 0 (nan)."),
        (
            "[providers.openai.models.x]\nminimum = -3",
            "[providers.openai.models.x] minimum: it must be at least 0 (-3)",
        ),
        ("[providers.openai.models]\nx = 3", "[providers.openai.models.x] expected an object, got a whole number"),
        ("as_known_on = 'soon'", "as_known_on: not an ISO 8601 date, e.g. 2026-03-07 ('soon')"),
        (
            "as_known_on = 2027-01-15T00:00:00",
            "as_known_on: expected a date (2026-03-07) or null, got an ISO 8601 time",
        ),
        ("[providers.anthropic]\nway = 'magic'", "'magic' is not one of marked, automatic"),
        ("provider = 3", "unknown key 'provider'. Did you mean 'providers'?"),
        ("[providers.anthropic", "invalid TOML: "),
        ("as_known_on = 'soon'", "as_known_on: "),
    ],
)
def test_a_bad_file_is_refused_in_one_line(text: str, told: str) -> None:
    """The error names the file, what is wrong in it, and what is known."""
    with pytest.raises(ConfigError) as refused:
        overture.load_models("/p/models.toml", world=own(text))
    assert str(refused.value).startswith("/p/models.toml: ")
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)
