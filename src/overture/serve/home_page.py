"""What a browser gets at the address of the service: that it runs, what it answers, and where that is described."""

from html import escape

from .. import __version__
from .endpoints import ENDPOINTS, READING

PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Overture</title></head>
<body>
<h1>Overture {version} runs here</h1>
<p>Programs ask it for prompts: <a href="openapi.json">openapi.json</a> describes how.</p>
<ul>
{rows}
</ul>
</body>
</html>
"""


def home_page() -> str:
    """A short page, without a script or a style."""
    asked = [("POST", each.path, each.about) for each in ENDPOINTS]
    asked += [("GET", path, about) for path, about in READING.items()]
    rows = [f"<li><code>{method} {escape(path)}</code>: {escape(about)}</li>" for method, path, about in asked]
    return PAGE.format(version=escape(__version__), rows="\n".join(rows))
