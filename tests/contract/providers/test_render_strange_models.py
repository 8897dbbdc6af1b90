"""A model that a provider does not have is a warning: where it is named, once, and only where names can be judged."""

import warnings
from pathlib import Path
from typing import Any

import pytest

import overture
from overture import OvertureWarning, Session
from overture.testing import FakeWorld, make_state

from ..cli.run import run

PROMPT = overture.build("opal", make_state(runtime={"cwd": "/p"}))


def said(provider: str, model: str | None, **how: Any) -> list[str]:
    """The warnings of a request."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        overture.render(provider, PROMPT, model=model, **how)
    assert all(each.category is OvertureWarning and each.filename == __file__ for each in caught)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize(
    ("provider", "model", "words"),
    [
        ("anthropic", "gpt-9", "'gpt-9' is not a known model of anthropic; it looks like a model of openai"),
        ("anthropic", "gemini-3.8-flash", "it looks like a model of gemini"),
        ("anthropic", "cluade-opus-5", "Did you mean 'claude-opus-5'?"),
        ("anthropic", "minuet", "'minuet' is not a known model of anthropic"),
        ("gemini", "claude-opus-5", "it looks like a model of anthropic"),
        ("gemini", "o3", "it looks like a model of openai"),
        ("bedrock", "gpt-5.4", "it looks like a model of openai"),
        ("bedrock", "gemini-2.5-pro", "it looks like a model of gemini"),
    ],
)
def test_a_model_that_the_provider_does_not_have_is_a_warning(provider: str, model: str, words: str) -> None:
    """It says whose it looks like, or which one was meant, and what to do if the endpoint has it after all."""
    (warning,) = said(provider, model)
    assert words in warning and "models=" in warning and "\n" not in warning


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("anthropic", "claude-opus-5"),
        ("anthropic", "claude-minuet-9-20271231"),
        ("anthropic", None),
        ("gemini", "gemini-9-flash"),
        ("gemini", "models/gemini-2.5-pro"),
        ("gemini", "gemma-4"),
        ("bedrock", "eu.anthropic.claude-minuet-9-v1:0"),
        ("bedrock", "amazon.nova-9-pro"),
        ("bedrock", "meta.llama9-70b"),
        ("bedrock", "arn:aws:bedrock:eu-west-1:1:application-inference-profile/x"),
        ("openai-chat", "claude-opus-5"),
        ("openai-chat", "my-deployment"),
        ("openai-responses", "anthropic/claude-opus-5"),
        ("openai-responses", "gpt-9"),
        ("ollama", "gpt-oss:20b"),
        ("ollama", "gemma3"),
    ],
)
def test_newer_models_and_open_forms_are_no_warning(provider: str, model: str | None) -> None:
    """A name of the provider's family is as good as one in the table; OpenAI's and Ollama's forms take any name."""
    assert said(provider, model) == []


def test_a_table_of_ones_own_makes_a_model_known(tmp_path: Path) -> None:
    """One model, or a provider whose form others speak: then no name is strange."""
    (tmp_path / "one.toml").write_text('[providers.anthropic.models]\n"glm-5" = { window = 200_000 }\n')
    (tmp_path / "all.toml").write_text("[providers.anthropic]\nopen = true\n")
    (tmp_path / "family.toml").write_text('[providers.anthropic]\nfamilies = ["glm"]\n')
    one, everything, family = (overture.load_models(tmp_path / f"{name}.toml") for name in ("one", "all", "family"))
    assert len(said("anthropic", "glm-5")) == 1
    assert said("anthropic", "glm-5", models=one) == []
    assert said("anthropic", "kimi-k3", models=everything) == []
    assert said("anthropic", "glm-6", models=family) == said("anthropic", "claude-next", models=family) == []


@pytest.mark.parametrize("way", ["render", "to_anthropic"])
def test_a_turn_warns_where_it_is_rendered(way: str) -> None:
    """`turn.render` and `turn.to_anthropic` say the same, at the caller's line."""
    turn = Session("opal", world=FakeWorld()).turn("Go")
    with pytest.warns(OvertureWarning, match="'gpt-9' is not a known model of anthropic") as caught:
        turn.render("anthropic", model="gpt-9") if way == "render" else turn.to_anthropic(model="gpt-9")
    assert [each.filename for each in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        turn.to_anthropic()
        turn.render("anthropic", model="claude-minuet-9")
        turn.to_openai(model="anything")


def test_the_command_line_reports_it() -> None:
    """`build --format anthropic --model gpt-9` gives the request, and the warning on standard error; --strict fails."""
    words = ("build", "opal", "--no-discover", "--format", "anthropic", "--model", "gpt-9")
    done = run(*words)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert done.stderr.startswith("warning: ") and "'gpt-9'" in done.stderr and '"model": "gpt-9"' in done.stdout
    assert run(*words, "--strict").returncode == 1
