"""What a batch says of itself: tokens, the price, limits, and what prompts do not name."""

import json
import re
from pathlib import Path

import pytest

from overture.providers.batch_lines import BATCH_FORMS
from tests.contract.batch.test_batch_command import MAPS, NOW, OPENAI, ROWS, batch, requests, write_rows
from tests.contract.cli.test_build import run


def test_standard_input_is_read_once(tmp_path: Path) -> None:
    """Rows and a state from standard input are refused before anything is written."""
    done = batch(tmp_path, "-", *OPENAI, "--state", "-", stdin='{"message": "a"}\n')
    assert done.code == 2 and "can't both be read from standard input" in done.err
    assert not (tmp_path / "out").exists()


def test_without_tools_the_machine_is_not_named(tmp_path: Path) -> None:
    """Files of the project stay in each prompt, its folder and the host do not; a note says so; --cwd keeps them."""
    (tmp_path / "AGENTS.md").write_text("Use tabs.")
    rows = write_rows(tmp_path, ROWS)
    words = ("batch", "house", rows, *MAPS, *OPENAI, "--home", str(tmp_path), "--set", "tools=[]", "--json")
    done = run(*words, "--out", "out", cwd=tmp_path)
    assert any("--cwd ." in note for note in done.json()["notes"])
    sent = [line["body"]["instructions"] for line in requests(tmp_path)]
    assert all("Use tabs." in text and "prompt-host" not in text and "working directory" not in text for text in sent)
    kept = run(*words, "--cwd", ".", "--out", "kept", cwd=tmp_path)
    assert kept.json()["notes"] == []
    assert f"Your working directory is: {tmp_path}" in (tmp_path / "kept/requests-0001.jsonl").read_text()


def test_a_count_is_exact_as_other_commands_say(tmp_path: Path) -> None:
    """By the tokenizer, whoever the provider is: `context` says the same, and both name model and tokenizer."""
    rows = write_rows(tmp_path, [{"message": "Hello"}])
    claude = batch(tmp_path, rows, "--format", "anthropic", "--model", "claude-opus-5")
    context = run("context", "house", "--no-discover", *NOW, "--model", "claude-opus-5", "--json").json()
    tokens = json.loads((tmp_path / "out/manifest.json").read_text())["tokens"]
    assert (tokens["exact"], tokens["counter"]) == (context["exact"], context["tokenizer"]) == (True, "o200k")
    assert re.search(r"1 file, [\d,]+ tokens \(claude-opus-5, o200k\)", claude.out)
    rough = batch(tmp_path, rows, "--format", "gemini", "--tokenizer", "estimate", "--out", "rough")
    assert re.search(r"1 file, ~[\d,]+ tokens \(estimate\)", rough.out)


def test_the_price_of_output_is_an_upper_bound(tmp_path: Path) -> None:
    """It is known where the request says how long an answer may be."""
    rows = write_rows(tmp_path, [{"message": "Hello"}] * 2)
    assert batch(tmp_path, rows, *OPENAI, "--json").json()["price"]["output"] is None
    limited = batch(tmp_path, rows, *OPENAI, "--request", "max_output_tokens=1000000", "--out", "two")
    price = json.loads((tmp_path / "two/manifest.json").read_text())["price"]
    assert price["output"] == pytest.approx(2 * 15 / 2)
    assert "output is extra, at most $15" in limited.out


@pytest.mark.parametrize("name", sorted({*BATCH_FORMS} - {"openai-responses"}))
def test_the_limits_of_providers_are_documented(name: str) -> None:
    """The table in the manual has the numbers of the code, and the provider's page."""
    form = BATCH_FORMS[name]
    rows = "no limit" if form.max_requests == 10**9 else f"{form.max_requests:,}"
    rows += f", at least {form.min_requests}" if form.min_requests > 1 else ""
    ids = f"{form.max_id}" + (f" of `{form.ids}`" if form.ids != "." else "")
    line = f"| [`{name}`]({form.page}) | {rows} | {form.max_bytes:,} | {ids} |"
    assert line in (Path(__file__).parents[2] / "docs/batch.md").read_text(encoding="utf-8")


def test_cache_and_batch_discount_are_in_the_price(tmp_path: Path) -> None:
    """Rows that share their beginning read it: the price with a cache is far below that without."""
    long = "tide " * 3_000
    rows = write_rows(tmp_path, [{"message": f"m{n}", "memories": [f"{n}"]} for n in range(100)])
    manifest = batch(tmp_path, rows, *OPENAI, "--set", f"agent.soul={long}", "--json").json()
    tokens, price = manifest["tokens"], manifest["price"]
    assert tokens["cache_reads"] > 0.9 * tokens["system"]
    assert price["batch_without_cache"] == pytest.approx(price["without_batch"] / 2)
    assert price["batch"] < 0.3 * price["batch_without_cache"]


def test_tools_of_rows_are_counted(tmp_path: Path) -> None:
    """Each row's own, as `context` counts them, in tokens and price; a form that sends none says so."""
    tools = [{"name": f"tool_{n}", "description": "tide " * 50, "parameters": {"type": "object"}} for n in range(3)]
    rows = write_rows(tmp_path, [{"message": "hi", "tools": tools[:n]} for n in (3, 0, 1)] + [{"message": "hi"}])
    manifest = batch(tmp_path, rows, *OPENAI, "--json").json()
    counts = []
    for number in (3, 1):
        (tmp_path / "state.json").write_text(json.dumps({"tools": tools[:number]}))
        state = ("--no-discover", *NOW, "--state", "state.json", "--model", "gpt-5.4", "--json")
        counts.append(sum(tool["tokens"] for tool in run("context", "house", *state, cwd=tmp_path).json()["tools"]))
    tokens = manifest["tokens"]
    assert tokens["tools"] == pytest.approx(sum(counts), abs=2) and min(counts) > 50
    total = tokens["system"] + tokens["messages"] + tokens["tools"]
    assert manifest["price"]["batch_without_cache"] == pytest.approx(total * 1.25e-6)
    refused = batch(tmp_path, rows, "--format", "bedrock", "--model", "claude-opus-5", "--out", "none")
    assert "Tools are not sent" in refused.out
