"""The page's own files: exact names and right types."""

from pathlib import Path

import pytest

from .shown import Paged, paged

TOKEN = "correct-horse-battery-staple"


def test_the_address_is_the_page(page: Paged) -> None:
    """HTML with one script and one style, both of this address; no script in the text is allowed."""
    answer = page.client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert '<script type="module" src="/static/page.js"></script>' in answer.text
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


def test_with_a_token_nothing_is_open(tmp_path: Path) -> None:
    """Whoever has no token gets neither the page nor anything of the project."""
    with paged(tmp_path, token=TOKEN) as page:
        for path in ("/", "/static/icon.svg", "/page/sheet", "/page/turns", "/page/events", "/static/../page/sheet"):
            assert page.client.get(path).status_code == 401
        assert page.client.get("/page/sheet", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
        assert page.client.get(f"/page/sheet?token={TOKEN}").status_code == 401
