"""Files and skills of an agent are told in its frames, and within its limits to the character."""

from overture.model.file_steps import FileLimit
from overture.model.recipe.body import Group, Skip
from overture.model.skill_dirs import SkillMenu
from overture.model.state.agent_and_runtime import Runtime
from overture.model.state.files import Skill, TextFile
from overture.sections.agent_files import FileTemplate, cut_files, render_agent_files
from overture.sections.skill_menu import render_agent_skills


def text_of(body: object) -> str:
    """All that a body says."""
    if isinstance(body, Group):
        return body.sep.join(text_of(part) for part in body.parts)
    assert not isinstance(body, Skip)
    return body if isinstance(body, str) else f"{body.text}{body.after}"  # type: ignore[attr-defined]


def told(each: str, *files: TextFile) -> str:
    """The files in a frame, for an agent that works in /r/p."""
    return text_of(render_agent_files(FileTemplate(("s",), {"": each}), files, {}, Runtime(cwd="/r/p", project="/r")))


def test_a_path_is_told_as_the_agent_calls_it() -> None:
    """Whole, from the working directory, from the root, or from the working directory where it lies below."""
    file, above = TextFile("/r/p/a/A.md", "x", kind="s"), TextFile("/r/A.md", "x", kind="s")
    assert told("{{ path }} {{ relative }} {{ in_project }}", file) == "/r/p/a/A.md a/A.md p/a/A.md"
    assert told("{{ nearby }}", file, above) == "a/A.md\n\n/r/A.md"
    assert told("{{ opened }}", file, above) == "p/a/A.md\n\np/../A.md"


def test_a_frame_may_say_what_the_frontmatter_says() -> None:
    """A text as it is, a list with commas, nothing for a key that is not there or a block that can't be read."""
    file = TextFile("/r/A.md", "---\npaths: [a, b]\nwhen: now\n---\nx", kind="s")
    assert told("{{ front.paths }}|{{ front.when }}|{{ front.none }}", file) == "a, b|now|"
    assert told("<{{ front.paths }}>", TextFile("/r/A.md", "---\npaths: [a\nx", kind="s")) == "<>"


def test_frames_and_a_note_take_their_room() -> None:
    """So many characters for each file besides its text, and so many more where one is cut."""
    files = [TextFile(f"/{name}", "x" * 60, kind="s") for name in "abc"]
    limit = FileLimit("l", ("s",), 100, frames=5, kept=10)
    assert {index: cut.chars for index, cut in cut_files(files, [limit], {}).items()} == {1: 20, 2: 0}
    waiting = TextFile("/w", "x" * 60, kind="s:waiting")
    assert set(cut_files([waiting, *files], [limit], {})) == {2, 3}, "a file that is only announced takes no room"
    assert not cut_files(files[:1], [FileLimit("l", ("s",), 65, frames=5, kept=10)], {})
    assert cut_files(files[:1], [FileLimit("l", ("s",), 64, frames=5, kept=10)], {})[0].chars == 49


def test_a_name_alone_takes_less_room() -> None:
    """Where the names of all count first, a description costs what its line has beyond that of a name alone."""
    skills = [Skill(f"s{number}", "d" * 10, f"/s/s{number}/SKILL.md") for number in range(4)]
    menu = SkillMenu(most=4 * 3 + 2 * 12, bare="{{ name }}", counts="names")
    assert text_of(render_agent_skills("{{ name }}: {{ description }}", menu, skills)).splitlines() == [
        f"s0: {'d' * 10}", f"s1: {'d' * 10}", "s2", "s3",
    ]  # fmt: skip


def test_a_description_is_never_longer_than_its_limit() -> None:
    """Also where the mark that it is cut is longer than that."""
    menu = SkillMenu(entry=2, mark="...")
    body = render_agent_skills("{{ description }}", menu, [Skill("s", "d" * 10, "/s/SKILL.md")])
    assert text_of(body) == ".."


def test_names_and_descriptions_alone_may_take_the_room() -> None:
    """What an agent writes around them then costs nothing."""
    skills = [Skill(f"s{number}", "d" * 10, f"/s/s{number}/SKILL.md") for number in range(4)]
    menu = SkillMenu(most=3 * 12, counts="words", over="drop")
    assert (
        text_of(render_agent_skills("<skill>{{ name }}: {{ description }}</skill>", menu, skills)).count("<skill>") == 3
    )


def test_names_alone_have_their_own_room() -> None:
    """Beyond it a skill is not listed, and a note says so."""
    skills = [Skill(f"s{number}", "d" * 10, f"/s/s{number}/SKILL.md") for number in range(5)]
    menu = SkillMenu(most=15, bare="{{ name }},", bare_most=8)
    body = render_agent_skills("{{ name }}: {{ description }}", menu, skills)
    assert text_of(body).splitlines() == [f"s0: {'d' * 10}", "s1,", "s2,"]
    assert isinstance(body, Group)
    assert [note.message.partition(":")[0] for note in body.notes] == [
        "only its name is listed", "only its name is listed", "it is not listed", "it is not listed",
    ]  # fmt: skip


def test_a_skill_is_told_by_what_the_agent_calls_it() -> None:
    """Its name stays what it is elsewhere."""
    skill = Skill("folder", "It helps.", "/s/folder/SKILL.md", called="folder (name)")
    assert (
        text_of(render_agent_skills("- {{ name }}: {{ description }}", None, [skill])) == "- folder (name): It helps."
    )
