"""`GET /page/agents`: who loads, truncates or skips which instruction file; what is touched changes it."""

from collections.abc import Iterator

import pytest

from .asking import Asking, page_of

FILES: dict[str, str | bytes] = {
    "/p/AGENTS.md": "Run `make test` before each commit.\n" + "Keep to the plan of the harbour.\n" * 1_200,
    "/p/CLAUDE.md": "Use tabs.\n",
    "/p/.codex/config.toml": "",
    "/p/.claude/rules/api.md": '---\npaths: ["src/api/**"]\n---\nName routes in English.\n',
    "/p/src/api/routes.py": "SECRET_TEXT = 1\n",
    "/home/user/.codex/AGENTS.md": "Be brief.\n",
}


@pytest.fixture(scope="module")
def page() -> Iterator[Asking]:
    with page_of(FILES) as asked:
        yield asked


def test_what_is_touched_is_never_shown(page: Asking) -> None:
    """No word of the file is in the answer, and it is no row."""
    answer = page.get("agents?touching=src/api/routes.py")
    assert "SECRET_TEXT" not in answer.text
    assert "src/api/routes.py" not in [file["path"] for file in answer.json()["files"]]
    assert page.file("/p/src/api/routes.py").status_code == 404


def test_rows_are_those_of_the_table(page: Asking) -> None:
    """Each file with what each agent does with it, as `agents --files --json` has it; and what never arrives."""
    answer = page.data("agents")
    [file] = [file for file in answer["files"] if file["path"] == "AGENTS.md"]
    uses = {use["agent"]: use for use in file["uses"]}
    assert (uses["codex"]["how"], uses["codex"]["reason"]["code"]) == ("truncated", "limit")
    assert uses["claude-code"]["how"] == "skipped" and {use["start"] for use in uses.values()} == {"."}
    assert {agent["name"] for agent in answer["agents"]} >= {"codex", "claude-code"}
    assert {"agents-disagree", "truncated"} <= {note["code"] for note in answer["findings"]}


def test_what_is_touched_is_loaded(page: Asking) -> None:
    """A rule that waits for such a file is loaded then, and not before."""
    for query, how in (("agents", "on_demand"), ("agents?touching=src/api/routes.py", "loaded")):
        [rule] = [file for file in page.data(query)["files"] if file["path"] == ".claude/rules/api.md"]
        assert {use["how"] for use in rule["uses"] if use["agent"] == "claude-code"} == {how}


@pytest.mark.parametrize(
    "path",
    [
        "..", "../x", "src/../../x", "/etc/passwd", "/p/src/a.py", "%2e%2e%2fx", "%252e%252e%252fx", "%2Fetc%2Fpasswd",
        "%252Fetc", "..%5Cx", "%255c..", "a%00b", "x" * 5_000,
    ],
)  # fmt: skip
def test_a_path_that_leaves_the_project_is_a_problem(page: Asking, path: str) -> None:
    """However it is written, it is refused with the name of the parameter."""
    answer = page.get(f"agents?touching={path}")
    assert answer.status_code == 422
    assert answer.json()["path"] == "touching"
    assert answer.json()["detail"].startswith("touching: ")
