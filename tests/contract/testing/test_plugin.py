"""The plugin for pytest, run by pytest as users run it: in a project of its own, alone, with syrupy and with xdist."""

import re
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

QUIET = ("-p", "no:schemathesis", "-p", "no:cacheprovider")
"""Plugins that are here for other tests."""
SNAPSHOT_TEST = """
    from pathlib import Path

    def test_prompt(overture_session, tmp_path, prompt_snapshot):
        (tmp_path / "AGENTS.md").write_text(Path("words.txt").read_text())
        prompt_snapshot(overture_session)
        assert overture_session("pi").turn("Go") == prompt_snapshot

    class TestHouse:
        def test_named(self, overture_session, prompt_snapshot):
            prompt_snapshot(overture_session.prompt, name="a/b: c")
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with snapshot tests and no snapshot."""
    pytester.makepyfile(test_words=SNAPSHOT_TEST)
    (pytester.path / "words.txt").write_text("Use tabs.\n\n```sh\nmake\n```\n\n~~~\n````\n~~~\n", encoding="utf-8")
    return pytester


def run(project: pytest.Pytester, *words: str) -> tuple[int, str]:
    done = project.runpytest_inprocess(*QUIET, "-p", "no:xdist", *words)
    return int(done.ret), done.stdout.str()


def test_a_snapshot_is_written_kept_and_updated(project: pytest.Pytester) -> None:
    """Missing is a failure; `--snapshot-update` writes Markdown; a change fails with its lines, until it is updated."""
    code, text = run(project)
    assert (code, len(re.findall("^E +AssertionError: The prompt has no snapshot yet: ", text, re.M))) == (1, 2)
    assert "`pytest --snapshot-update` writes it" in text and not (project.path / "__prompts__").exists()

    code, text = run(project, "--snapshot-update")
    folder = project.path / "__prompts__/test_words"
    names = ["TestHouse.test_named.a%2Fb%3A c.md", "test_prompt.2.md", "test_prompt.md"]
    assert (code, sorted(path.name for path in folder.iterdir())) == (0, names)
    written = (folder / "test_prompt.md").read_text(encoding="utf-8")
    assert written.startswith("# Prompt of house\n\n## ") and "\n`````text\n" in written
    assert "<tmp_path>" in written and str(project.path) not in written and "pytest-of" not in written

    assert run(project)[0] == 0
    (folder / "test_prompt.md").write_bytes(written.replace("\n", "\r\n").encode())  # as git may check it out
    assert run(project)[0] == 0

    (project.path / "words.txt").write_text("Use spaces.\n", encoding="utf-8")
    code, text = run(project, "-k", "test_prompt")
    assert code == 1 and "test_prompt.md'.\n" in text
    assert re.search(r"E +@@ .* @@\n", text)
    assert "-Use tabs." in text and "+Use spaces." in text and "## identity" not in text
    assert run(project, "--snapshot-update")[0] == 0
    assert run(project)[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("words", [("-p", "no:syrupy"), ("-n", "2"), ()], ids=["alone", "syrupy and xdist", "syrupy"])
def test_the_option_works_with_other_plugins(project: pytest.Pytester, words: tuple[str, ...]) -> None:
    """`--snapshot-update` is there once, whoever brings it; syrupy's own snapshots work beside ours."""
    if "no:syrupy" not in words:
        project.makepyfile(test_other="def test_other(snapshot):\n    assert [1, 2] == snapshot\n")
    done = project.runpytest_subprocess("--snapshot-update", *QUIET, *words)
    done.assert_outcomes(passed=2 if "no:syrupy" in words else 3)
    assert len(list(project.path.glob("__prompts__/test_words/*.md"))) == 3


@pytest.mark.slow
def test_a_run_that_uses_no_fixture_loads_nothing(pytester: pytest.Pytester) -> None:
    """The plugin is loaded in every run of pytest, and then it is one small module."""
    pytester.makepyfile("""
        import sys

        def test_modules():
            print(sorted(name for name in sys.modules if name.startswith(("overture", "msgspec", "yaml", "click"))))
    """)
    done = pytester.runpytest_subprocess("-s", *QUIET, "-p", "no:xdist", "-p", "no:syrupy")
    loaded = next(line for line in done.stdout.lines if "overture.testing.plugin" in line)
    packages = {"agents", "check", "discover", "fit", "testing", "testing.plugin", "version"}
    assert set(re.findall(r"'([\w.]+)'", loaded)) == {"overture", *(f"overture.{name}" for name in packages)}


def test_a_session_sees_its_own_folder_only(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither home, environment, clock nor a link out of the folder counts; the prompt is the same in every folder."""
    home = Path(pytester.path, "user")
    for name in (".config/overture/overture.toml", ".agents/skills/mine/SKILL.md", ".sf/agent/AGENTS.md"):
        (home / name).parent.mkdir(parents=True)
        (home / name).write_text("---\nname: mine\ndescription: SECRET\n---\n" if "SKILL" in name else "SECRET = 1")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("OVERTURE_RECIPE", "opal")
    pytester.makepyfile(f"""
        import pytest

        @pytest.mark.parametrize("recipe", ["house", "pi", "opal", "codex", "claude-code"])
        def test_isolated(overture_session, tmp_path, recipe):
            (tmp_path / "linked").symlink_to({str(home)!r})
            (tmp_path / "CLAUDE.md").symlink_to({str(home / ".sf/agent/AGENTS.md")!r})
            (tmp_path / "AGENTS.md").write_text("Use tabs. @linked/.sf/agent/AGENTS.md")
            session = overture_session(recipe)
            turn = session.turn("Go")
            assert overture_session.prompt.recipe.name == "house" and session.prompt.recipe.name == recipe
            assert "SECRET" not in turn.prompt.text + str(turn.messages)
            text = turn.prompt.text.replace(str(tmp_path), "")
            again = overture_session(recipe).turn("Go").prompt.text.replace(str(tmp_path), "")
            assert text == again and "20" not in text.replace("2026", "")[-200:]
    """)
    assert run(pytester)[0] == 0
