"""Instructions that contradict each other, and the many that only seem to."""

import pytest

from ..look import findings, places


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use pnpm.", "Use npm, never pnpm."),
        ("Always use `pnpm` for package management.", "Use yarn as the package manager."),
        ("Package manager: bun", "This project uses npm."),
        ("Use tabs for indentation.", "Indent with 2 spaces."),
        ("Use two spaces for indentation.", "Use 4 spaces for indentation."),
        ("Always run `make lint` before committing.", "Never run `make lint`."),
        ("Run `cargo fmt` after every change.", "Do not run `cargo fmt`."),
        ("**Always** use `foo_bar`.", "NEVER use `foo_bar`!"),
        ("Use pytest for testing.", "Use unittest for all tests."),
        ("Use single quotes for strings.", "Always use double quotes."),
        ("Use uv for dependency management.", "Use poetry for dependency management."),
        ("Use semicolons.", "No semicolons."),
        ("Always write tests.", "Do not write tests!"),
        ("Commit directly to main.", "**Never** commit directly to `main`."),
        ("You must ask before you push.", "Don't ask before you push"),
        ("Always use tabs for indentation.", "Never use tabs for indentation."),
        ("Never use npm.", "Use npm for everything."),
        ("Do not use pip / mypy, or `black`.", "This monorepo uses `pip` for dependency management."),
        ("**Package manager**: pnpm (version 9)", "We use `yarn` in this repository."),
    ],
)
def test_two_that_want_different_things_are_found(one: str, other: str) -> None:
    """In one file or in two that are read for the same folder, in either order."""
    both = [
        {"AGENTS.md": f"- {one}\n- {other}\n"},
        {"AGENTS.md": f"- {other}\n- {one}\n"},
        {"AGENTS.md": one, "GEMINI.md": other},
    ]
    for files in both:
        [found] = findings("contradiction", files)
        assert found.severity == "warning" and "contradicts" in found.message
    assert places("contradiction", both[0]) == [("AGENTS.md", 2)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use pnpm.", "Use pnpm, not npm."),
        ("Use pnpm for the web app.", "Use npm for the docs site."),
        ("Do not run `cargo test` directly. Use `just test`.", "Run `cargo test -p core`."),
        ("Never run `make deploy` on Fridays.", "Run `make deploy` after every change."),
        ("If CI is red, never use `git push`.", "Use `git push`."),
        ("Use spaces for indentation.", "Use 2 spaces for indentation."),
        ("Always use `select`.", "Never use `include`."),
        ("Use npm to publish.", "Use pnpm."),
        ("Use npm (in the docs only).", "Use pnpm."),
        ("Write tests.", "Do not write tests unless asked."),
        ("Commit.", "Do not commit."),
        ("Should we write tests?", "Do not write tests."),
        ("Never use npm.", "Use pnpm."),
        ("Never use npm.", "Do not use yarn."),
        ("Don't use `any` unless there is no other way.", "Use `any`."),
        ("Use jest for unit tests in `web/`.", "Use pytest."),
        ("Use tabs to separate columns.", "Use spaces for indentation."),
    ],
)
def test_two_that_can_both_be_followed_are_not_found(one: str, other: str) -> None:
    """Conditions, places, other objects and words that say more of the same are no contradiction."""
    assert not places("contradiction", {"AGENTS.md": f"- {one}\n- {other}\n"})


@pytest.mark.parametrize(
    "files",
    [
        {"AGENTS.md": "# P\n\n## Python\n\nUse 4 spaces for indentation.\n\n## Web\n\nUse 2 spaces for indentation.\n"},
        {
            "AGENTS.md": "# P\n\n## Python\n\nUse 4 spaces for indentation.\n",
            "GEMINI.md": "# P\n\n## Style of the web part\n\nUse 2 spaces for indentation.\n",
        },
        {"AGENTS.md": "Use npm.", ".cursor/rules/a.mdc": '---\nglobs: "web/**"\n---\nUse pnpm.'},
        {"AGENTS.md": "Use npm.\n\n```\nUse pnpm.\n```\n"},
        {"AGENTS.md": "Use npm.", "README.md": "Use pnpm."},
        {"AGENTS.md": "# P\n\nFor the web app:\n\n- Use npm.\n\nFor the docs:\n\n- Use pnpm.\n"},
        {"AGENTS.md": "# P\n\n**Web**\n\nSay it.\n\nUse npm.\n\n**Docs**\n\n- Use pnpm.\n"},
        {"AGENTS.md": "# P\n\n1. Web\n   - Use npm.\n2. Docs\n   - Use pnpm.\n"},
        {"AGENTS.md": "# P\n\n- Use pnpm.\n\n❌ Wrong:\n\n- Use npm.\n"},
        {"AGENTS.md": "# P\n\nNever do this:\n\n- Push to main.\n\nWhen you work:\n\n- Never push to main.\n"},
        {"AGENTS.md": "# P\n\n## Releases\n\n- Push to main.\n\n## Work\n\n- Do not push to main.\n"},
        {"AGENTS.md": "# P\n\n## Releases\n\n- Push to main.\n", "GEMINI.md": "Do not push to main."},
    ],
    ids=[
        *("headings", "headings of two files", "globs", "code", "readme", "labels", "bold titles", "items"),
        *("wrong", "never", "steps", "steps of another file"),
    ],
)
def test_what_is_said_of_another_part_is_no_contradiction(files: dict[str, str]) -> None:
    """Headings and front matter say which part is meant; code and the README instruct nobody."""
    assert not places("contradiction", files)


def test_a_label_belongs_to_its_list_alone() -> None:
    """What follows a list of wrong examples is an instruction again, and so are the items of one list."""
    wrong = "# P\n\nWrong:\n\n- Use yarn.\n\nUse npm.\n\nRight:\n\n- Lint.\n- Use pnpm.\n"
    assert places("contradiction", {"AGENTS.md": wrong}) == [("AGENTS.md", 12)]
    assert places("contradiction", {"AGENTS.md": "# P\n\nRules:\n\n- Use npm.\n\n- Use pnpm.\n"}) == [("AGENTS.md", 7)]


def test_a_folder_may_say_otherwise() -> None:
    """A deeper file that wants something else does so on purpose."""
    assert not places("contradiction", {"AGENTS.md": "Use npm.", "web/AGENTS.md": "Use pnpm."}, cwd="/p/web")


def test_very_many_prohibitions_of_one_thing_take_no_longer_each() -> None:
    """Each is compared with the requests for the same, not with all the others."""
    lines = "- Never write tests.\n" * 5_000
    assert places("contradiction", {"AGENTS.md": f"{lines}- Always write tests.\n"}) == [("AGENTS.md", 5_001)]
