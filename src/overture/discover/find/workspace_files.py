"""AGENTS.md and TOOLS.md of the agent's data directory."""

from ...model.diagnostic import Diagnostic
from ...model.recipe.wants.wanted_files import WorkspaceFiles
from ...model.state.files import WorkspaceFile
from ...sections.leading_comments import uncommented
from ..disk.reader import Reader
from .context_files import load_document


def find_workspace(reader: Reader, wants: WorkspaceFiles, home: str) -> tuple[WorkspaceFile, ...]:
    """Those that are there and say something, in the recipe's order."""
    folder = f"{home.rstrip('/')}/{wants.folder}"
    found = []
    for name in wants.names:
        sighting = reader.sight(folder, name, home, "workspace")
        file: WorkspaceFile | None = load_document(reader, sighting, "workspace", _file)
        if file is not None:
            found.append(file)
    return tuple(found)


def _file(text: str, path: str) -> tuple[WorkspaceFile, tuple[Diagnostic, ...]]:
    """The file as it is written; one that holds comments alone is as good as empty."""
    said = uncommented(text)
    return WorkspaceFile(path, text if said.text else "", name=path.rpartition("/")[2]), ()
