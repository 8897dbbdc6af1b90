"""Keys and tokens are known by their shapes, and what only stands for one is left alone."""

import json
from collections.abc import Callable

import pytest

from overture.text.secrets.find_and_hide import find_secrets, hide_secrets
from overture.text.truncate import move_out_of_secret
from tests.contract.secret_samples import KEYS

ALL = [(kind, key) for kind, keys in KEYS.items() for key in keys]


@pytest.mark.parametrize(("kind", "key"), ALL)
@pytest.mark.parametrize("around", ["{}", "Use {} here.", "KEY={}\n", '"{}",', "`{}`", "é{}é", "(https://h/?k={})"])
def test_a_key_is_found_whole(kind: str, key: str, around: str) -> None:
    """Whatever stands around a key, all of it and nothing else is found, by its kind."""
    text = around.replace("{}", key)
    assert hide_secrets(text) == around.replace("{}", f"[secret: {kind}]" + "\n" * key.count("\n"))
    assert find_secrets(hide_secrets(text)) == ()


@pytest.mark.parametrize(("kind", "key"), ALL)
def test_invisible_characters_inside_do_not_help_it_past(kind: str, key: str) -> None:
    """A key with characters in it that nobody sees is the key that a reader takes out of it."""
    text = f"é {key[:9]}\u200b{key[9:15]}\u2060\u200b{key[15:]} end"
    places = [at for at, char in enumerate(text) if char in "\u200b\u2060"]
    assert [(s.kind, text[s.start : s.end]) for s in find_secrets(text, places)] == [(kind, text[2:-4])]


SECRET = "wJ4lrXUtnF8MIK7MD3NGbPxRf1CYzzq9Lk2TqZ0b"
VALUES = {
    "https://ada:S3cr3tHarbour9@db.internal/prod": "S3cr3tHarbour9",
    "postgres://app:x7Kp!qWz@localhost:5432/app": "x7Kp!qWz",
    "redis://:p4Kd83hfQ2@cache:6379": "p4Kd83hfQ2",
    "curl -H 'Authorization: Bearer 8fJ2kdL0qPz73hVn5xRt1'": "8fJ2kdL0qPz73hVn5xRt1",
    'password = "Tr0ub4dor&3xyz"': "Tr0ub4dor&3xyz",
    "DB_PASSWORD=kJ8vR2mQ4xW9": "kJ8vR2mQ4xW9",
    "api_key: 8fJ2kdL0qPz73hVn5xRt1": "8fJ2kdL0qPz73hVn5xRt1",
    '"client_secret": "8fJ2kdL0qPz73hVn5xRt1"': "8fJ2kdL0qPz73hVn5xRt1",
    "AccountName=a;AccountKey=" + "aB3d" * 10 + "Zx9Kq1Lm" * 5 + "Pq12rs==;": "aB3d" * 10 + "Zx9Kq1Lm" * 5 + "Pq12rs==",
    "https://hooks.slack.com/services/T01ABCDEF/B02GHIJKL/8fJ2kdL0qPz73hVn5xRt1abc": (
        "services/T01ABCDEF/B02GHIJKL/8fJ2kdL0qPz73hVn5xRt1abc"
    ),
    f"token: https://host/{KEYS['npm token'][0]}": f"https://host/{KEYS['npm token'][0]}",
    "password=password=kJ8vR2mQ4xW9": "password=kJ8vR2mQ4xW9",
    f"aws_secret_access_key = {SECRET}": SECRET,
}


@pytest.mark.parametrize("text", VALUES)
def test_the_value_alone_is_taken(text: str) -> None:
    """Names, hosts and headers around a value stay: the reader sees what was there."""
    assert [text[s.start : s.end] for s in find_secrets(text)] == [VALUES[text]]


@pytest.mark.parametrize("secret", [SECRET, "xUxJiwqSxqIjkkjjhLYZhktGKKgJFADIWaUdpBip"])
def test_the_secret_beside_an_aws_key_is_found(secret: str) -> None:
    """Forty characters tell nothing by themselves; beside a key id they are its secret, also without a digit."""
    text = f"{KEYS['AWS access key'][0]}, {secret}"
    assert [secret.kind for secret in find_secrets(text)] == ["AWS access key", "AWS secret key"]
    assert find_secrets(f"see {secret}") == ()


HARMLESS = [
    "sk-...",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "export GITHUB_TOKEN=${TOKEN}",
    "token: <token>",
    "api_key = your-api-key-goes-here-1234",
    "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
    'password = "password"',
    "password: changeme123",
    "postgres://user:password@localhost/db",
    "https://user:pass@example.com",
    "mysql://root:root@127.0.0.1",
    "https://$USER:$TOKEN@host/x",
    "ssh://git@github.com:22/a/b",
    "git@github.com:owner/repo.git",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "token = 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "id: 123e4567-e89b-12d3-a456-426614174000",
    "token: 123e4567-e89b-12d3-a456-426614174000",
    "max_tokens = 4096",
    "tokens: 1,234,567",
    '"integrity": "sha512-' + "aB3dZx9K" * 11 + '=="',
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "token = get_access_token_from_environment(user)",
    "api_key = os.environ['SERVICE_API_KEY_2']",
    "secret: config.services.primary_v2.secret",
    "password = settings.DATABASE_PASSWORD",
    "Authorization: Bearer <your-token>",
    "Authorization: Bearer $ACCESS_TOKEN_FOR_SERVICE_1",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "-----BEGIN PUBLIC KEY-----\n" + "MIIB" * 30 + "\n-----END PUBLIC KEY-----",
    "eyJ is how a JWT begins",
    "class sk-estimator-doc-link-with-a-very-long-class-name",
    "hf_hub_download_with_progress_bar_and_more_words",
    "npm_config_registry_of_the_company_is_set",
    "ghp_",
    "the AKIA prefix",
    "token_type: bearer",
    "secret_key_base",
    "[secret: GitHub token]",
    "password: [secret: password]",
    "password = getpass.getpass()",
    "TOKEN=abc",
    "pypi-publish-action-that-has-a-long-name-and-more-words-in-it",
    "a.b.c/xoxb-your-token-goes-here-please",
    "Passwords must have 12 characters.",
    "token: string | undefined",
    "key: AIzaSyExampleExampleExampleExampleExample",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_stands_for_a_secret_is_left_alone(text: str) -> None:
    """Placeholders, documented examples, test keys, hashes, digests, UUIDs, pictures and code stay as they are."""
    assert find_secrets(text) == ()


def test_a_cut_parts_no_key() -> None:
    """Half a key would not be known for one: where a cut falls into it, all of it goes."""
    key = KEYS["GitHub token"][0]
    text = f"Use {key} here."
    assert {move_out_of_secret(text, at) for at in range(5, 4 + len(key))} == {4}
    assert [move_out_of_secret(text, at) for at in (0, 3, 4, 4 + len(key), len(text))] == [
        0,
        3,
        4,
        4 + len(key),
        len(text),
    ]


def code_of(char: str) -> str:
    """A character as an escape of JSON."""
    return f"\\u{ord(char):04x}"


@pytest.mark.parametrize("deep", [1, 2, 3])
@pytest.mark.parametrize(
    "written",
    [
        lambda text: json.dumps({"password": text, "after": 1}),
        lambda text: json.dumps(f"api_key={text}\nafter").replace("=", "\\u003d"),
        lambda text: json.dumps(f"https://ada:{text}@harbor.io/after").replace("/", "\\/"),
        lambda text: f'"See {"".join(map(code_of, f"ghp_{(text * 2)[:36]}"))} after"',
        lambda text: json.dumps(f"ids\nAKIA{(text * 2)[:16].upper()}\n{(text * 2)[:40]}\nafter"),
    ],
)
def test_a_secret_is_found_within_json_within_json(written: Callable[[str], str], deep: int) -> None:
    """However often it was written into another string, all of it goes, and what is left is still JSON."""
    value = "q7Rk2ZpW9xT4bN6mVc8L"
    text = written(value)
    for _ in range(deep):
        text = json.dumps({"kept": text})
    hidden = hide_secrets(text)
    for _ in range(deep):
        hidden = json.loads(hidden)["kept"]
    said = json.dumps(json.loads(hidden))
    assert "[secret: " in said
    assert "after" in said
    assert not any(value[at : at + 6] in said for at in range(len(value) - 6))
