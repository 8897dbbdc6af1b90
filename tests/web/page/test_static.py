"""The page's own files: exact names, right types, kept by the browser for as long as they are the same."""

import re
from pathlib import Path

import pytest

from .shown import Paged, paged

TOKEN = "correct-horse-battery-staple"


def test_the_address_is_the_page(page: Paged) -> None:
    """HTML with one script and one style, both of this address; no script in the text is allowed."""
    answer = page.client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert len(re.findall(r'<script type="module" src="/static/page-[0-9a-f]{16}\.js"></script>', answer.text)) == 1
    assert answer.text.count("<script") == answer.text.count('rel="stylesheet"') == 1
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'; style-src 'self';" in policy
    assert "unsafe" not in policy
    assert answer.headers.get_list("content-security-policy") == [policy]


@pytest.mark.parametrize(
    "path",
    ["/static/", "/static/none.js", "/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py",
     "/static/%2e%2e%2f%2e%2e%2fapi.py", "/static//etc/passwd", "/static/%2fetc%2fpasswd", "/static/index.html%00.js",
     "/static/./index.html", "/static/INDEX.HTML", "/static/..%5capp.py",
     "/page/file/..%2f..%2fetc%2fpasswd", "/page/file/%2fetc%2fpasswd", "/page/sheet/../../etc/passwd"],
)  # fmt: skip
def test_no_path_leads_out_of_the_page(page: Paged, path: str) -> None:
    """404 as problem details for what is no name of a part, written plainly or encoded."""
    with page.raw() as connection:  # a client would clean the path
        connection.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{page.door.port}\r\nConnection: close\r\n\r\n".encode()
        )
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert answer.startswith(b"HTTP/1.1 404")
    assert b"application/problem+json" in answer


def test_with_a_token_the_page_is_open_and_its_data_is_not(tmp_path: Path) -> None:
    """Whoever has no token gets the page, which asks for it, and nothing of the project."""
    with paged(tmp_path, token=TOKEN) as page:
        assert page.client.get("/").status_code == 200
        assert page.client.get("/static/icon.svg").status_code == 200
        for path in ("/page/sheet", "/page/turns", "/page/state", "/page/events", "/static/../page/sheet"):
            answer = page.client.get(path)
            assert answer.status_code == 401
            assert answer.json()["type"].endswith(":token")
        assert page.client.get("/page/sheet", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
        assert page.client.get(f"/page/sheet?token={TOKEN}").status_code == 401
