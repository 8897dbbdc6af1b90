"""Secrets that the text before them reveals: names of settings, options, headers, lines of credential files."""

import re
from base64 import b64decode
from collections.abc import Iterator

from .false_positives import (
    KIND_OF_NAME,
    is_given_password,
    is_hex_key,
    is_likely_key,
    is_likely_password,
    is_own_hash,
    is_placeholder,
    is_random_value,
)
from .quick_check import Secret
from .shapes import FURTHER, KEY_OF, MAX_VALUE_CHARS, NAMES, OPTION_NAME, REST, SETTING, SecretShape, windows


def is_user_and_password(value: str) -> bool:
    """Whether it is `user:password` in Base64."""
    if len(value) < 8 or is_placeholder(value):
        return False
    try:
        decoded = b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (ValueError, UnicodeDecodeError):
        return False
    user, colon, password = decoded.partition(":")
    return bool(colon) and decoded.isprintable() and is_given_password(password or user)


def is_token(value: str) -> bool:
    """Whether a value is long and no placeholder; behind the name of a token a UUID is a secret, too."""
    return len(value) >= 16 and len(set(value)) > 8 and not is_placeholder(value)


SAME_LINE = r"(?:(?![|;&\n]).){0,200}?"
"""The text that may be between a program and its option, on one line."""
OPTION = re.compile(r"\s-[A-Za-z-]", re.ASCII)
MAX_COMMAND = 240
"""Characters before an option that may contain its program."""
GIVEN_VALUE = r"[\"']?(?P<v>[^\s\"'|;&<>]{4,128})"


def _make_option_context(kind: str, program: str, option: str, value: str = GIVEN_VALUE) -> SecretShape:
    """The context of a secret behind an option of a program."""
    written = rf"(?<![\w-]){re.escape(program)}(?:\.exe)?(?=\s){SAME_LINE}\s(?:{option}){value}"
    return SecretShape(kind, (program,), written, near="option")


WITH_VALUE = ("sshpass", "docker login", "podman login", "mongo", "mongosh", "mongodump", "twine upload", "az login")
LOGINS = ("helm registry login", "oc login", "cf login")
USER = r"[\"']?[^\s:\"'/@$]{1,100}:(?P<v>[^\s\"'|;&<>]{4,128})"
COOKIE_PAIR = r"[\"']?[\w.-]{1,64}=(?P<v>[^\s\"';]{8,1024})"
HASH_END = r"(?![./A-Za-z0-9])"
CONTEXTS = (
    *(
        _make_option_context("password", name, "-p|--password=")
        for name in ("mysql", "mysqldump", "mysqladmin", "mariadb", "7z")
    ),
    *(_make_option_context("password", name, r"-p\s?|--password[ =]") for name in (*WITH_VALUE, *LOGINS)),
    *(_make_option_context("password", name, r"-P\s?") for name in ("sqlcmd", "zip", "unzip", "bcp")),
    *(
        _make_option_context("password", name, r"-w\s?")
        for name in ("ldapsearch", "ldapadd", "ldapmodify", "ldapwhoami")
    ),
    _make_option_context("password", "redis-cli", r"-a\s?|--pass[ =]"),
    _make_option_context("password", "htpasswd", r"-[A-Za-z]{0,4}b[A-Za-z]{0,4}\s+\S{1,200}\s+\S{1,100}\s+"),
    _make_option_context("password", "smbclient", r"-U\s?", r"[\"']?[^\s%\"']{1,100}%(?P<v>[^\s\"'|;&<>]{4,128})"),
    _make_option_context("password", "wget", r"--(?:http-|ftp-|proxy-)?password[ =]"),
    *(
        _make_option_context("password", name, r"(?:-u|--user|--proxy-user|-U|-a|--auth)[ =]?", USER)
        for name in ("curl", "http", "xh")
    ),
    _make_option_context("cookie", "curl", r"(?:-b|--cookie)[ =]?", COOKIE_PAIR)._replace(is_secret=is_random_value),
    SecretShape("password", ("pass:",), r"(?:(?<=-passin )|(?<=-passout ))pass:(?P<v>[^\s\"']{4,128})"),
    SecretShape(
        "password",
        ("machine ", "machine\t"),
        r"(?<!\w)machine\s{1,8}[\w.:-]{1,255}\s{1,40}"
        r"(?:(?:login|account)\s{1,8}\S{1,255}\s{1,40}){0,2}password\s{1,8}(?P<v>[^\s\"'<>{}\\]{3,256})",
    ),
    SecretShape(
        "password",
        ("default ", "default\t"),
        r"(?<!\w)default\s{1,8}login\s{1,8}\S{1,255}\s{1,40}password\s{1,8}(?P<v>[^\s\"'<>{}\\]{3,256})",
    ),
    SecretShape(
        "user and password",
        ("asic ",),
        r"(?<=[Bb])asic {1,3}(?P<v>[A-Za-z0-9+/_-]{6,1024}={0,2})(?![\w+/=-])",
        is_user_and_password,
    ),
    SecretShape(
        "user and password",
        ("auth",),
        r"auth[\"']?\s{0,3}[=:]\s{0,3}[\"']?(?P<v>[A-Za-z0-9+/_-]{8,1024}={0,2})(?![\w+/=-])",
        is_user_and_password,
    ),
    SecretShape(
        "npm token", ("_authToken",), r"_authToken[\"']?\s{0,3}[=:]\s{0,3}[\"']?(?P<v>[^\s\"'{}$]{16,256})", is_token
    ),
    SecretShape("password hash", ("$2",), r"\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}" + HASH_END, is_own_hash),
    SecretShape(
        "password hash",
        ("$apr1$", "$1$"),
        r"\$(?:apr1|1)\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}" + HASH_END,
        is_own_hash,
    ),
    SecretShape(
        "password hash", ("$5$", "$6$", "$y$"), r"\$[56y]\$[./A-Za-z0-9$=,]{1,64}\$[./A-Za-z0-9]{40,90}", is_own_hash
    ),
    SecretShape("password hash", ("$argon2",), r"\$argon2(?:id|i|d)\$[\w=,$+/]{20,300}", is_own_hash),
    SecretShape("password hash", ("{SHA}", "{SSHA}"), r"\{S?SHA\}[A-Za-z0-9+/]{24,64}={0,2}", is_own_hash),
)
COOKIE = re.compile(r"(?:[Cc]ookie|COOKIE)2?[\"']?\s?[:=]\s?[\"']?(?P<pairs>[^\n\r\"']{8,8192})")
PAIR = re.compile(r"(?P<name>[^\s=;,]{1,128})=(?P<v>[^\s;,]{8,4096})")
SESSION = re.compile(r"(?i)sess|sid|auth|token|jwt|csrf|xsrf|login|remember|secret|ticket|id$")
PGPASS = re.compile(
    r":(?:[0-9]{4,5}|\*):[^\s:]{1,128}:[^\s:]{1,128}:(?P<v>[^\s:\"'\\]{4,128})(?=[\"'\\\s]|\Z)", re.ASCII | re.MULTILINE
)
"""A line of .pgpass, from the port on."""
HOST = re.compile(r"(?<![\w.*:/@-])[\w.*-]{1,253}\Z", re.ASCII)
"""What is before the port: at the start of a line, or behind its number or the sign of a diff."""
DISCORD = re.compile(r"\.[\w-]{6}\.[\w-]{27,40}(?![\w-])", re.ASCII)
"""The token of a bot, from the number behind which it begins."""
BOT = re.compile(r"(?<![\w.-])[MNO][A-Za-z0-9]{22,27}\Z", re.ASCII)


def find_by_context(text: str) -> Iterator[Secret]:
    """Secrets that the text before them reveals."""
    commands = windows(text, ((match.start() - MAX_COMMAND, match.end()) for match in OPTION.finditer(text)))
    for context in CONTEXTS:
        for anchor in context.anchors:
            if anchor in (commands if context.near else text):
                yield from context.find(text, anchor)
    yield from _find_cookies(text)
    for match in PGPASS.finditer(text):
        if HOST.search(text, max(0, match.start() - 254), match.start()) and is_given_password(match["v"]):
            yield Secret(*match.span("v"), "password")
    for match in DISCORD.finditer(text):
        bot = BOT.search(text, max(0, match.start() - 29), match.start())
        if bot and _is_number(bot.group()):
            yield Secret(bot.start(), match.end(), "Discord token")


def _find_cookies(text: str) -> Iterator[Secret]:
    """The values in a cookie header that are long, or whose names show that they are sessions."""
    if "ookie" not in text and "OOKIE" not in text:
        return
    for header in COOKIE.finditer(text):
        for pair in PAIR.finditer(text, *header.span("pairs")):
            if is_random_value(pair["v"]) or (SESSION.search(pair["name"]) and is_given_password(pair["v"])):
                yield Secret(*pair.span("v"), "cookie")


def _is_number(part: str) -> bool:
    """Whether it is a number in Base64, as the first part of a bot's token is."""
    try:
        return b64decode(part + "=" * (-len(part) % 4)).isdigit()
    except ValueError:
        return False


COUNTED = ("secret", "token", "key")
IDENTIFIER = re.compile(r"[A-Za-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+[0-9]?(?:[A-Z][a-z]+[0-9]?)+")
PUBLIC_TOKEN = re.compile(r"(?:link|page|next|continuation|cursor|sync|invite|share|public|publishable)[_-]?\Z")
"""Before `token`: one that everybody gets who sees the page or the link."""
LETTERS = re.compile("[A-Z]+")
CODE = re.compile(r"(?!s\.[A-Za-z0-9]{24}\b)[A-Za-z_]\w*[\[.]")
"""`typing.Optional[…]`, `settings.password_2`: a value in a program. `s.` begins a token of Vault, too."""


def find_in_settings(text: str) -> Iterator[Secret]:
    """Values of settings whose names show that they are secret."""
    low = text.lower()
    if len(low) != len(text):
        low = LETTERS.sub(lambda m: m[0].lower(), text)  # some letters of other scripts become two
    for name in NAMES:
        at = low.find(name)
        while at >= 0:
            match, end = SETTING.match(text, at), at
            for secret in _find_assigned_values(match, low[max(0, at - 24) : at]) if match else ():
                yield secret
                end = secret.end
            at = low.find(name, max(at + 1, end))


def _find_assigned_values(match: re.Match[str], before: str) -> Iterator[Secret]:
    """The value behind a name, and further values in a list."""
    name = match["name"].lower()
    if name == "key" and not KEY_OF.search(before):
        return
    if name == "token" and PUBLIC_TOKEN.search(before):
        return
    if match["v"].startswith(":"):
        return  # a name with two colons, as programs have
    if match["sign"].isspace() and not OPTION_NAME.search(before):
        return
    if match["several"] and not match["list"] and name in COUNTED:
        return  # one value under `tokens`, `keys` or `secrets` is a number, a digest or a way of dealing with them
    if not match["quote"] and (match["next"] in ("(", "{") or before.endswith(":") or CODE.match(match["v"])):
        return  # a call, a place to be filled in, a part of a longer name, a type
    value_match: re.Match[str] | None = match
    while value_match is not None:
        if _is_secret_value(value_match["v"], name, match):
            rest = REST.match(match.string, value_match.end("v")) if len(value_match["v"]) == MAX_VALUE_CHARS else None
            end = rest.end() if rest else value_match.end("v")
            yield Secret(value_match.start("v"), end, KIND_OF_NAME.get(name.lstrip("_")[:4], "API key"))
        value_match = FURTHER.match(match.string, value_match.end("v")) if match["list"] else None


def _is_secret_value(value: str, name: str, match: re.Match[str]) -> bool:
    """Whether a value is one that its name calls a secret: a variable of the environment may be shorter."""
    if IDENTIFIER.fullmatch(value) and name.strip("_") in value.lower():
        return False  # `password=neo4j_password`: a variable of a program
    is_variable = match["name"].isupper() and match["sign"] == "="
    if name.startswith("passw") or name in ("passphrase", "_pass", "pwd"):
        return len(value) >= (6 if is_variable else 10) and is_likely_password(value)
    return is_likely_key(value, 15 if is_variable else 16, mixed=True) or (is_variable and is_hex_key(value))
