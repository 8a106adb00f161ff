"""The Chromium that the browser tests drive: where it is, how to get one, how to start it.

    python -m tests.browser.chromium             print its path
    python -m tests.browser.chromium --install   install one first where there is none

A machine without one fails the tests; it never skips them.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
USUAL_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
)
# Without these Chromium talks to its maker's servers, and the tests must talk to ours alone.
QUIET = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
)
# For pictures: a token may be Japanese or an emoji, and must not come out as an empty box.
FONTS = ("fonts-noto-cjk", "fonts-noto-color-emoji")


def launch_options() -> dict:
    """Return what `playwright.chromium.launch` needs on this machine.

    Raises:
        FileNotFoundError: no Chromium was found.
    """
    # Chromium refuses to run its sandbox as root.
    sandbox = ("--no-sandbox",) if is_root() else ()
    return {"executable_path": executable(), "args": [*sandbox, *QUIET]}


def executable() -> str:
    """Return the path of the Chromium to use.

    Raises:
        FileNotFoundError: no Chromium was found, or CHROMIUM names no file.
    """
    found = find()
    if found is None:
        raise FileNotFoundError(
            "The browser tests must have a Chromium; got none on PATH, in the usual places or "
            "from Playwright. Try make test, which installs one, or set CHROMIUM to its path."
        )
    return found


def find() -> str | None:
    """Look for a Chromium: CHROMIUM, then PATH, then the usual places, then Playwright's own."""
    if chosen := os.environ.get("CHROMIUM"):
        if not Path(chosen).is_file():
            raise FileNotFoundError(
                f"CHROMIUM must be the path of a browser; got CHROMIUM={chosen}. "
                "Try unsetting it, so that one is looked for."
            )
        return chosen
    on_path = filter(None, map(shutil.which, NAMES))
    usual = (place for place in USUAL_PLACES if Path(place).is_file())
    return next(on_path, None) or next(usual, None) or playwrights_own()


def playwrights_own() -> str | None:
    """Return the Chromium that Playwright downloaded, if it is there and has its libraries."""
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    starts = (
        Path(path).is_file() and subprocess.run([path, "--version"], check=False).returncode == 0
    )
    return path if starts else None


def install() -> None:
    """Install a Chromium unless there is one, by Playwright or else by Debian's packages."""
    if find() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
    if find() is None and has_apt():
        apt_get("update")
        apt_get("install", "chromium")
    if has_apt() and not all(map(is_installed, FONTS)):
        apt_get("update")
        apt_get("install", *FONTS)


def apt_get(*arguments: str) -> None:
    """Run apt-get without questions; whether it helped is for the caller to look at."""
    command = ["apt-get", "--yes", "--no-install-recommends", *arguments]
    subprocess.run(command, check=False, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})


def has_apt() -> bool:
    return is_root() and shutil.which("apt-get") is not None


def is_installed(package: str) -> bool:
    query = subprocess.run(["dpkg", "--status", package], check=False, capture_output=True)
    return query.returncode == 0


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def main() -> None:
    if "--install" in sys.argv[1:]:
        install()
    try:
        print(executable())
    except FileNotFoundError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
