"""Every world has the same folders: above the git root, the root, down to where the agent starts, below and beside."""

ABOVE = "w/above"
ROOT = "w/above/repo"
CWD = "w/above/repo/pkg/svc/app"

PLACES = {
    "above": ABOVE,
    "root": ROOT,
    "mid1": "w/above/repo/pkg",
    "mid2": "w/above/repo/pkg/svc",
    "cwd": CWD,
    "child": f"{CWD}/child",
    "sib": "w/above/repo/other",
    "home": "home",
}
"""A place's name, and its path in the folder of the world."""

SERVICES = {"services": f"{ROOT}/services", "api": f"{ROOT}/services/api", "web": f"{ROOT}/web"}
"""Places that only worlds of one project with several services have."""
ALL_PLACES = {**PLACES, **SERVICES}

IN_REPO = ("root", "mid1", "mid2", "cwd", "child", "sib")
WALKED = ("above", "root", "mid1", "mid2", "cwd")
"""The folders on the way from above the root to where the agent starts."""
