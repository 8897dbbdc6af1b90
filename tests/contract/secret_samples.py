"""Texts with the shapes of keys and tokens, made at random."""

import json
import random
from base64 import urlsafe_b64encode

DICE = random.Random(7)
ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def made(count: int, letters: str = ALNUM) -> str:
    """Random characters: no key of anybody's stands in these tests."""
    return "".join(DICE.choice(letters) for _ in range(count))


HEX = "0123456789abcdef"
URL64 = ALNUM + "-_"


def jwt(payload: object) -> str:
    """A token with a header that says how it is signed."""
    parts = [json.dumps(part).encode() for part in ({"alg": "HS256", "typ": "JWT"}, payload)]
    return ".".join([*(urlsafe_b64encode(part).decode().rstrip("=") for part in parts), made(43)])


def block(kind: str, lines: int = 6) -> str:
    """A private key."""
    body = "\n".join(made(64, ALNUM + "+/") for _ in range(lines))
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"


KEYS = {
    "AWS access key": ["AKIA" + made(16, ALNUM[:26] + "234567"), "ASIA" + made(16, ALNUM[:26])],
    "GitHub token": [f"gh{letter}_{made(36)}" for letter in "pousr"] + [f"github_pat_{made(22)}_{made(59)}"],
    "GitLab token": ["glpat-" + made(20)],
    "Slack token": [f"xox{letter}-{made(12, '0123456789')}-{made(12, '0123456789')}-{made(24)}" for letter in "bpas"],
    "Anthropic key": ["sk-ant-api03-" + made(93, URL64) + "AA"],
    "OpenAI key": ["sk-" + made(48), "sk-proj-" + made(120, URL64)],
    "Google API key": ["AIza" + made(35, URL64)],
    "Google OAuth token": ["ya29." + made(60, URL64), "GOCSPX-" + made(28, URL64)],
    "Stripe key": ["sk_live_" + made(24), "rk_live_" + made(24)],
    "npm token": ["npm_" + made(36)],
    "PyPI token": ["pypi-AgEIcHlwaS5vcmc" + made(120, URL64)],
    "Hugging Face token": ["hf_" + made(34)],
    "SendGrid key": [f"SG.{made(22, URL64)}.{made(43, URL64)}"],
    "Twilio key": ["SK" + made(32, HEX)],
    "DigitalOcean token": ["dop_v1_" + made(64, HEX)],
    "JWT": [jwt({"sub": 4711})],
    "private key": [
        block("RSA PRIVATE KEY"),
        block("OPENSSH PRIVATE KEY"),
        block("PGP PRIVATE KEY BLOCK"),
        block("PRIVATE KEY"),
        block("EC PRIVATE KEY").replace("\n", "\\n"),
    ],
}
