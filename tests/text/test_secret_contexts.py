"""Secrets that are known by what stands before them, or that stand in Base64; and what looks like one and is none."""

import json
import random
from base64 import b64encode

import pytest

from overture.tap.wire.hide_secrets import hide_string
from overture.text.secrets.find_and_hide import find_secrets, hide_secrets
from tests.contract.secret_samples import ALNUM, HEX, KEYS, block

from .test_secrets import HARMLESS

DICE = random.Random(11)
PASSWORD = "kJ8v!R2mQ4x"
UUID = "123e4567-e89b-42d3-a456-4266141740bc"


def made(count: int, letters: str = ALNUM) -> str:
    """Random characters."""
    return "".join(DICE.choice(letters) for _ in range(count))


def b64(text: str) -> str:
    """A text in Base64."""
    return b64encode(text.encode()).decode()


BOT = b64("123456789012345678").rstrip("=")
SESSION, TOKEN = made(32), made(28)
# What is around a secret, and the secret itself.
GIVEN = [
    ("the bot's token is {}", f"{BOT}.{made(6)}.{made(27)}"),
    ("DISCORD_TOKEN={}", f"{BOT}.Gx_a-2.{made(38)}"),
    ("https://discord.com/api/webhooks/123456789012345678/{}", made(68)),
    (f"https://x.webhook.office.com/webhookb2/{UUID}@{UUID}/IncomingWebhook/{{}}", f"{made(32, HEX)}/{UUID}"),
    ("Cookie: theme=dark; sessionid={}; lang=en", SESSION),
    ("< Set-Cookie: connect.sid=s%3A{}; Path=/; HttpOnly", SESSION),
    ("curl -b 'sid={}' https://h/", SESSION),
    ('{"auths": {"https://index.docker.io/v1/": {"auth": "{}"}}}', b64(f"ada:{PASSWORD}")),
    ("Authorization: Basic {}", b64(f"ada:{PASSWORD}")),
    ("//registry.npmjs.org/:_auth={}", b64(f"ada:{PASSWORD}")),
    ("//registry.npmjs.org/:_authToken={}", UUID),
    ("machine api.harbor.io login ada password {}", "hunter2"),
    ("machine api.harbor.io\n  login ada\n  password {}\n", PASSWORD),
    ("default login ada password {}", PASSWORD),
    ("    client-key-data: {}\n", b64(block("RSA PRIVATE KEY"))),
    ("mysql -h db -u root -p{} harbor", PASSWORD),
    ("mysqldump -uroot -p'{}' harbor", "tulip-9"),
    ("mysqladmin --user=root --password={} status", PASSWORD),
    ("MYSQL_PWD={} mysql", "s3cr3tX"),
    ("PGPASSWORD={} psql -h db", "s3cr3tX"),
    ("db.harbor.io:5432:app:ada:{}", PASSWORD),
    ("     1\tdb.harbor.io:5432:app:ada:{}", PASSWORD),
    ("     1\u2192db.harbor.io:5432:app:ada:{}", PASSWORD),
    ("+db.harbor.io:5432:app:ada:{}", PASSWORD),
    ("<server><username>ada</username><password>{}</password></server>", PASSWORD),
    ("define( 'DB_PASSWORD', '{}' );", PASSWORD),
    ('"args": ["-y", "server", "--api-key", "{}"]', TOKEN),
    ("psql postgresql://ada:{}@db/app", PASSWORD),
    ("https://ada:{}@github.com", PASSWORD),
    ("curl -u ada:{} https://h/", PASSWORD),
    ("curl -sS --user 'ada:{}' https://h/", PASSWORD),
    ("http -a ada:{} https://h/", PASSWORD),
    ("wget --http-password={} https://h/", PASSWORD),
    ("redis-cli -h cache -a {} ping", PASSWORD),
    ("sshpass -p '{}' ssh ada@h", "tulip9"),
    ("docker login -u ada -p {} registry.io", PASSWORD),
    ("ldapsearch -x -D cn=ada -w {} -b dc=h", PASSWORD),
    ("smbclient //h/s -U ada%{}", PASSWORD),
    ("openssl rsa -passin pass:{} -in k.pem", PASSWORD),
    ("htpasswd -cb .htpasswd ada {}", PASSWORD),
    ("ada:{}", f"$apr1$x7Kp2qWz${made(22)}"),
    ("ada:{}", f"$2y$05${made(53)}"),
    ("root:{}:19000:0:99999:7:::", f"$6$abcdefgh${made(86)}"),
    ("aws_session_token = {}", made(900)),
    ("Endpoint=sb://h/;SharedAccessKeyName=Root;SharedAccessKey={}", f"{made(43)}="),
    ("https://a.blob.core.windows.net/c?sv=2020&sig={}", f"{made(40)}%2B{made(3)}%3D"),
    ("Server=h;User Id=ada;Pwd={};", PASSWORD),
    ("api_key: {}", TOKEN),
    ('{"api_key": ["{}"]}', TOKEN),
    ("https://h/?token={}", TOKEN),
    ("tool --api-key {} --verbose", TOKEN),
    ("tool --access-token '{}'", TOKEN),
    ("{}", "ATATT3xFfGF0" + made(180)),
    ("{}", "hvs." + made(90)),
    ("{}", "dckr_pat_" + made(27)),
    ("{}", "lin_api_" + made(40)),
    ("{}", "xai-" + made(80)),
    ("{}", f"glsa_{made(32)}_{made(8, HEX)}"),
]


@pytest.mark.parametrize(("around", "secret"), GIVEN)
def test_a_secret_in_its_place_is_hidden(around: str, secret: str) -> None:
    """All of it goes, what stands around it stays, and the same written into JSON goes too."""
    text = around.replace("{}", secret)
    hidden = hide_secrets(text)
    assert secret not in hidden
    assert hidden.startswith(around.partition("{}")[0][:8])
    assert find_secrets(hidden) == ()
    again = hide_secrets(json.dumps({"text": text}))
    assert json.dumps(secret)[1:-1] not in again
    json.loads(again)


@pytest.mark.parametrize("key", [keys[0] for keys in KEYS.values()])
def test_a_key_in_base64_is_hidden(key: str) -> None:
    """Alone or among words, once or twice encoded, in one line or wrapped."""
    for text in (key, f"the token is {key}, keep it", json.dumps({"a": {"b": key}})):
        once, twice = b64(text), b64(b64(text))
        wrapped = "\n".join(once[at : at + 64] for at in range(0, len(once), 64))
        for written in (once, once.rstrip("="), once.replace("+", "-").replace("/", "_"), twice, wrapped):
            for around in ("{}", "echo {} | base64 -d", '"data": "{}",', "x: {}\ndone\n"):
                hidden = hide_secrets(around.replace("{}", written))
                assert written[:40] not in hidden, (key, around)


def test_every_value_of_a_list_is_hidden() -> None:
    """On one line and on several, quoted or not; and the words between them stay."""
    first, second, third = made(30), made(30), made(30)
    for text in (
        f'"api_keys": ["{first}", "{second}", "{third}"], "after": 1',
        f'"tokens" : [\n    "{first}",\n    "{second}",\n    "{third}"\n], "after": 1',
        f"secrets = [{first}, {second}, {third}] # after",
        f"api_keys:\n  - {first}\n  - {second}\n  - {third}\nafter: 1",
        f"  tokens:\n  - '{first}'\n  - \"{second}\" \n  - {third}\nafter: 1",
    ):
        hidden = hide_secrets(text)
        assert not any(value in hidden for value in (first, second, third)), hidden
        assert "after" in hidden


def test_a_long_string_of_a_list_is_hidden_on_the_wire() -> None:
    """A string that is kept by itself is known by the name before its list."""
    value = made(80)
    for before in ('{"api_key":["', '{"api_keys": [ "short", "', '{"client_secret" : "'):
        assert value not in hide_string(value, before, hide_secrets)


HARMLESS_TOO = [
    *HARMLESS,
    "def login(user: str, password: str) -> Token:",
    "password: str = field(repr=False)",
    "Cookie: <name>=<value>",
    "Set-Cookie: theme=dark; Path=/; Max-Age=31536000; SameSite=Strict",
    "cookies = {'theme': 'dark'}",
    "mysql -u root -p",
    "mysql -u root -ppassword",
    "mysql -h 127.0.0.1 --port 3306 --protocol=tcp",
    "mkdir -p src/overture/text",
    "curl -u user:password https://h/",
    "curl -u $USER:$PASSWORD https://h/",
    'curl -u "${USER}:${TOKEN}" https://h/',
    "docker login -u ada --password-stdin",
    "docker run -p 8080:80 image",
    "sshpass -p PASSWORD ssh h",
    'sshpass -p "$SSHPASS" ssh h',
    "redis-cli -a <password> ping",
    "machine learning needs a login and a password",
    "machine api.harbor.io login USER password PASSWORD",
    "machine api.harbor.io login ada password <token>",
    "src/app/main.py:1200:name:other:value",
    "localhost:5432:*:postgres:password",
    '"auth": "required"',
    "auth: basic",
    "Authorization: Basic <credentials>",
    "Authorization: Basic dXNlcjpwYXNzd29yZA==",
    "basic authentication of users",
    "api_keys: [primary, secondary]",
    "api_keys:\n  - primary\n  - read-only-replica-2",
    "Rotate every key:\n- staging-eu-west-1\n- docs/how-to/rotate-keys-2.md",
    '"keys": ["left", "right", "shift+enter"]',
    '"tokens": [101, 2023, 2003]',
    "--token TOKEN  the token to use",
    "--password-file PATH",
    b64("The quick brown fox jumps over the lazy dog, and over and over again."),
    b64('{"name": "harbor", "version": "1.2.3", "private": true}'),
    "certificate-authority-data: " + b64(f"-----BEGIN CERTIFICATE-----\n{'MIIB' * 30}\n"),
    '"integrity": "sha512-' + b64("x" * 64) + '"',
    "h1:" + b64("y" * 32),
    "v1.2.3-us-east-1-and-more-words-in-a-name",
    "patients.and.their.records.in.a.hospital",
    "$2 per $6 and $5$ more",
    "git log --author=ada --pretty=format:%h",
    UUID,
    "pwd=/work/trees/harbor/source",
    "$(pwd)/build:/workspace/build",
]


@pytest.mark.parametrize("text", HARMLESS_TOO)
def test_what_looks_like_one_is_left_alone(text: str) -> None:
    """Manuals, programs, placeholders, variables, hashes, certificates and texts in Base64 stay as they are."""
    assert hide_secrets(text) == text
