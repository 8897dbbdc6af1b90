"""`@path` brings other files along, each stretch with its own file and line, as each agent's rule says."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overture.discovery.discover import ResolvedProject, discover
from overture.discovery.place import locate
from overture.known_agents.kit.find_files import find_agent_files
from overture.model.agent_rules import AgentWants, Imports, Step
from overture.model.recipe.recipe import Recipe
from overture.model.state.discovery import Discovery
from overture.project.resolve import resolve
from tests.contract.effort import examples

INLINE = Imports(
    depth=3, before="<{path}>", after="</{path}>", missing="(no {path})", refused="(far {path})", again="(again)"
)
AFTER = Imports(depth=3, place="after")


def found(folder: Path, imports: Imports, *strip: str) -> Discovery:
    """What a recipe with that rule finds."""
    (folder / ".git").mkdir(exist_ok=True)
    step = Step("project", ("AGENTS.md",), imports=imports, strip=strip)  # type: ignore[arg-type]
    module = SimpleNamespace(files=lambda look: look.each(step, look.walk))
    recipe = Recipe("mine", (), wants=AgentWants(steps=(step,)), search=partial(find_agent_files, module))
    return discover(ResolvedProject(recipe, locate(folder, folder / "home")))


def write(folder: Path, **texts: str) -> Path:
    """Files by their names; `_` stands for a folder and a dot."""
    for name, text in texts.items():
        path = folder / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_an_imported_stretch_keeps_its_own_place(tmp_path: Path) -> None:
    """The text stands where it was named, and each piece knows its file and line."""
    write(tmp_path, AGENTS="One.\nSee @docs/a.md now.\nEnd.\n", docs__a="First\n@b.md\nlast\n", docs__b="Bee.\n")
    (file,) = found(tmp_path, INLINE).state.context_files
    assert file.content == "One.\nSee <docs/a.md>First\n<b.md>Bee.</b.md>\nlast</docs/a.md> now.\nEnd."
    places = [(Path(piece.path).name, piece.line, piece.text) for piece in file.pieces if piece.path]
    assert places == [
        ("AGENTS.md", 1, "One.\nSee "),
        ("a.md", 1, "First\n"),
        ("b.md", 1, "Bee."),
        ("a.md", 2, "\nlast"),
        ("AGENTS.md", 2, " now.\nEnd."),
    ]


@pytest.mark.parametrize(
    ("text", "said", "code"),
    [
        ("@missing.md", "(no missing.md)", "import-missing"),
        ("@docs/", "(no docs/)", "import-missing"),
        ("@vscode/prompt-tsx", "(no vscode/prompt-tsx)", "import-replaced"),
        ("@vscode/prompt-tsx @nobody", "(no vscode/prompt-tsx) (no nobody)", "import-replaced"),
        ("@AGENTS.md", "(again)", "import-cycle"),
        ("@../outside.md", "(far ../outside.md)", "import-outside"),
        ("@/etc/hostname", "(far /etc/hostname)", "import-outside"),
    ],
)
def test_what_can_not_be_imported_is_said(tmp_path: Path, text: str, said: str, code: str) -> None:
    """The agent's own words stand in its place, and we report it with the line."""
    folder = tmp_path / "repo"
    write(folder, AGENTS=f"Words.\n{text}\n", docs__x="X")
    (tmp_path / "outside.md").write_text("Secret.\n")
    result = found(folder, INLINE)
    assert result.state.context_files[0].content == f"Words.\n{said}"
    notes = [(note.code, note.line) for note in result.diagnostics if note.code.startswith("import")]
    assert notes == [(code, 2)]


def test_imports_end_where_the_agent_stops(tmp_path: Path) -> None:
    """The fourth file in a row is not read by an agent that follows three, and that is reported."""
    write(tmp_path, AGENTS="@a.md", a="@b.md", b="@c.md", c="@d.md", d="too deep")
    result = found(tmp_path, INLINE)
    assert "too deep" not in result.state.context_files[0].content
    assert [note.code for note in result.diagnostics] == ["import-deep"]


@pytest.mark.parametrize(
    "shown", ["`@a.md`", "```\n@a.md\n```", "~~~\n@a.md\n~~~", "<!-- @a.md -->", "me@a.md", "@nobody"]
)
def test_what_is_shown_or_is_no_path_imports_nothing(tmp_path: Path, shown: str) -> None:
    """Code and comments are shown, an address is an address, a name is a name."""
    write(tmp_path, AGENTS=f"{shown}\n", a="brought along")
    result = found(tmp_path, AFTER)
    assert [file.content for file in result.state.context_files] == [shown]
    assert not result.diagnostics


def test_comments_are_taken_out_where_the_agent_does_so(tmp_path: Path) -> None:
    """Comments with lines of their own go, those within a line and in code stay; lines keep their numbers."""
    text = "---\nkey: value\n---\nOne <!-- in -->\n<!-- gone\nmore -->\nTwo\n```\n<!-- code -->\n```\n"
    write(tmp_path, AGENTS=text)
    (file,) = found(tmp_path, AFTER, "frontmatter", "comments").state.context_files
    assert file.content == "One <!-- in -->\nTwo\n```\n<!-- code -->\n```"
    assert [(piece.line, piece.text[:3]) for piece in file.pieces] == [(4, "One"), (7, "Two")]


ANY = st.lists(st.text("@abc./~ `<!->\n#", max_size=60), min_size=3, max_size=3)


@settings(max_examples=examples(100), deadline=None)
@given(texts=ANY, rule=st.sampled_from([INLINE, AFTER]))
def test_every_piece_stands_in_its_file(texts: list[str], rule: Imports) -> None:
    """Whatever files hold: what is told of a file stands there, at the line that is named."""
    with TemporaryDirectory() as place:
        folder = write(Path(place), AGENTS=texts[0], a=texts[1], b=texts[2])
        for file in found(folder, rule, "comments").state.context_files:
            assert "".join(piece.text for piece in file.pieces) in (file.content, "")
            for piece in file.pieces:
                if piece.path:
                    line = Path(piece.path).read_text().split("\n")[piece.line - 1]
                    assert piece.text.split("\n")[0] in line, (piece, texts)


def test_claude_code_says_which_files_it_does_not_import(tmp_path: Path) -> None:
    """A Cursor rule is no file that it imports: it is skipped with the line that names it, and so reported."""
    write(tmp_path, CLAUDE="@.cursor/rules/style.mdc\n@docs/style.md\n", docs__style="Tabs.\n")
    (tmp_path / ".cursor/rules").mkdir(parents=True)
    (tmp_path / ".cursor/rules/style.mdc").write_text("Spaces.\n")
    (tmp_path / ".git").mkdir()
    result = resolve("claude-code", locate(tmp_path, tmp_path / "home")).find()
    assert [Path(file.path).name for file in result.state.context_files] == ["CLAUDE.md", "style.md"]
    assert [(note.code, note.line) for note in result.diagnostics] == [("import-kind", 1)]
    (skipped,) = [each for each in result.looked_at if each.path.endswith(".mdc")]
    assert skipped.outcome == "skipped" and "imports no `.mdc` files" in skipped.detail
