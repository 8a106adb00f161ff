"""The files in deploy/: what can be held without a container to build or an nginx to run."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text("utf-8")
NGINX = (DEPLOY / "nginx.conf").read_text("utf-8")
COMPOSE = (DEPLOY / "compose.yaml").read_text("utf-8")
HEALTH = "/_stcore/health"


def copied() -> list[str]:
    """What the image is given from the project."""
    lines = re.findall(r"^COPY (?!--from)(\S+) \S+$", DOCKERFILE, re.MULTILINE)
    assert lines
    return lines


def pins(path: Path) -> dict[str, str]:
    """Package → pinned version."""
    return dict(re.findall(r"^([\w-]+)==([^\s#]+)", path.read_text("utf-8"), re.MULTILINE))


def test_the_image_is_made_of_files_that_are_there():
    assert [name for name in copied() if not (ROOT / name).exists()] == []


def test_the_image_gets_what_the_app_needs_and_no_more():
    app = {"streamlit_app.py", "mha", "pages", ".streamlit/config.toml"}
    assert set(copied()) == app | {"requirements.txt", "deploy/requirements-container.txt"}


def test_the_build_is_sent_exactly_what_it_copies():
    sent = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text("utf-8"), re.MULTILINE)
    assert sorted(sent) == sorted(copied())


def test_the_app_does_not_run_as_root_and_is_asked_for_its_health():
    made = re.search(r"useradd .*--uid (\d+)", DOCKERFILE).group(1)
    user = re.search(r"^USER (\d+):", DOCKERFILE, re.MULTILINE).group(1)
    assert made == user != "0"
    assert DOCKERFILE.index("USER") < DOCKERFILE.index("ENTRYPOINT")
    assert f"http://127.0.0.1:8501{HEALTH}" in DOCKERFILE.partition("HEALTHCHECK")[2]


def test_the_container_has_the_apps_pins_with_torch_for_processors():
    ours, theirs = pins(ROOT / "requirements.txt"), pins(DEPLOY / "requirements-container.txt")
    assert theirs["torch"] == ours["torch"] + "+cpu"
    assert "-r ../requirements.txt" in (DEPLOY / "requirements-container.txt").read_text("utf-8")
    assert "+cpu" not in (ROOT / "requirements.txt").read_text("utf-8")


def test_nginx_has_the_replicas_that_are_started():
    replicas = re.findall(r"^\s+server (\w+):8501", NGINX, re.MULTILINE)
    assert len(replicas) >= 2
    assert replicas == re.findall(r"^  (\w+): \*app$", COMPOSE, re.MULTILINE)


def test_everything_runs_on_a_read_only_file_system():
    services = COMPOSE.partition("\nservices:")[2]
    assert COMPOSE.count("read_only: true") == 1 + services.count("image: ")
    written = re.findall(r"^\s*(?:pid|\w+_temp_path) (\S+);", NGINX, re.MULTILINE)
    assert len(written) == 6
    assert all(path.startswith("/tmp/") for path in written)


def test_nginx_lets_websockets_through():
    assert "proxy_set_header Upgrade $http_upgrade;" in NGINX
    assert "location = /_stcore/stream" in NGINX
