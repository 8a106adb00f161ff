"""What every page lets one take away: its files, by the buttons themselves, hold what it shows."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import nbformat
import numpy as np
import pandas as pd
import pytest
import torch
import vl_convert
from streamlit.runtime.media_file_manager import MediaFileManager

from mha.export.literals import assigned
from mha.mask_doctor import FUNCTIONS
from mha.tables import cell_text
from mha.training import TASKS, Settings
from pages.parts.training.choose import SIDEBAR
from pages.parts.training.shelf import shelf
from tests.pages.app import PAGES, charts, go_to, grid, open_page, table_of, weights_of
from tests.unit.draw import HOSTILE
from tests.unit.scripts import below, numbers

WITH_ROW = [page for page in PAGES if page != "tour"]
ENDINGS = {
    "Script": "py",
    "Notebook": "ipynb",
    "Arrays": "npz",
    "CSV": "csv",
    "PNG": "png",
    "SVG": "svg",
}
Made = dict[str, Callable[[], bytes]]


@pytest.fixture
def made(monkeypatch) -> Made:
    """What the buttons of the latest run make, by the name of the file."""
    found: Made = {}
    add = MediaFileManager.add_deferred

    def keep(self: MediaFileManager, make: Any, *how: Any, file_name: str, **more: Any) -> str:
        found[file_name] = make
        return add(self, make, *how, file_name=file_name, **more)

    monkeypatch.setattr(MediaFileManager, "add_deferred", keep)
    return found


def csv_of(made: Made, name: str) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(made[f"{name}.csv"]()), keep_default_na=False, na_values=[""])


def arrays_of(made: Made, name: str) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(made[f"{name}.npz"]()), allow_pickle=False) as arrays:
        return dict(arrays)


def without_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pictures be as empty as they can be: to draw one takes a second."""

    def empty(spec: dict[str, Any], **_: Any) -> str:
        assert json.loads(json.dumps(spec))["data"]["values"]
        return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", empty)


@pytest.mark.parametrize("page", WITH_ROW)
def test_every_page_ends_with_the_row_and_its_files_are_what_they_say(page, made, monkeypatch):
    if page != "overview":
        without_drawing(monkeypatch)
    app = open_page(page, tokens=" ".join(HOSTILE[:3]))
    assert not app.exception
    labels = [button.label for button in app.download_button]
    assert labels[:4] == ["Script", "Notebook", "Arrays", "CSV"]
    assert labels[-2:] == ["PNG", "SVG"]
    assert all(label.startswith("CSV of the ") for label in labels[4:-2])
    for name, make in made.items():
        assert re.fullmatch(r"[a-z0-9_]+\.(py|ipynb|npz|csv|png|svg)", name)
        content = make()
        match name.split(".")[1]:
            case "py":
                compile(content, name, "exec")
            case "ipynb":
                nbformat.validate(nbformat.reads(content.decode(), nbformat.NO_CONVERT))
            case "npz":
                assert arrays_of(made, name.removesuffix(".npz"))
            case "csv":
                assert len(pd.read_csv(io.BytesIO(content)))
            case "png":
                assert content.startswith(b"\x89PNG")
            case "svg":
                assert ElementTree.fromstring(content).tag == "{http://www.w3.org/2000/svg}svg"
    names = {name.split(".")[0] for name in made}
    assert {
        f"{min(names, key=len)}.{ENDINGS[label]}" for label in labels if label in ENDINGS
    } <= set(made)


def test_nothing_is_made_until_it_is_asked_for(made, monkeypatch):
    from mha.export.script import Script

    monkeypatch.setattr(Script, "source", property(lambda _: 1 / 0))
    open_page("hand_built_heads")
    with pytest.raises(ZeroDivisionError):
        made["hand_built_heads.py"]()


@pytest.mark.parametrize(
    ("page", "link", "shown"),
    [
        ("hand_built_heads", {"step": "Predict"}, {"guess": "the", "reveal": True}),
        (
            "parameters",
            {"parameters_step": "Predict"},
            {"count_guess": "more", "count_reveal": True},
        ),
        (
            "real_models",
            {"models_step": "Predict"},
            {"cache_guess": "more times", "cache_reveal": True},
        ),
    ],
)
def test_an_answer_that_is_hidden_cannot_be_taken_away(page, link, shown):
    assert not open_page(page, **link).download_button
    assert open_page(page, **link, **shown).download_button


def test_which_is_right_cannot_be_read_off_a_file():
    assert not open_page("pitfalls", pitfalls_step="Which is right?").download_button


# The pages' own numbers


def printed(made: Made, name: str) -> str:
    """What a page's script prints. That it needs nothing of ours is tested where it is written."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        exec(compile(made[f"{name}.py"](), name, "exec"), {"__name__": "__main__"})
    return told.getvalue()


def test_hand_built_heads_are_taken_away_as_they_are_drawn(made):
    app = open_page(
        left="nearest of a category", category_left="filler", sharp_left=1.5, query="is"
    )
    drawn = {side: table_of(weights_of(app, side)) for side in ("left", "right")}
    text, arrays = printed(made, "hand_built_heads"), arrays_of(made, "hand_built_heads")
    table = csv_of(made, "hand_built_heads")
    for number, side, name in ((1, "left", "nearest of a category"), (2, "right", "same category")):
        weights, hidden = (grid(drawn[side], value) for value in ("weight", "masked"))
        title = f"Head {number}: {name}"
        told = below(text, f"{title}: weights, a row for each token that looks", len(weights))
        for words, row, hides in zip(told, weights, hidden, strict=True):
            assert words[:-1] == ["." if h else f"{w:.2f}" for w, h in zip(row, hides, strict=True)]
        np.testing.assert_array_equal(arrays[f"head_{number}_weights"], weights)
        np.testing.assert_allclose(grid(table[table["head"] == title], "weight"), weights)
    assert "the row of token 3;" in text


def test_the_module_is_taken_away_as_it_is_drawn(made):
    link = {"tokens": "a b a", "heads": 8, "kv_heads": 2, "batch": 2, "item": 1, "seed": 5}
    app = open_page("fused_module", **link, **{"from": 6}, at="z", causal=False)
    text, arrays = printed(made, "fused_module"), arrays_of(made, "fused_module")
    drawn = charts(app, "tensor_")
    assert [chart.key for chart in drawn] == ["tensor_head 6", "tensor_head 7"]
    for number, chart in enumerate(drawn, 6):
        values = grid(table_of(chart), "value", "row", "column")
        told = below(text, f"z, head {number}", len(values))
        for words, row in zip(told, values, strict=True):
            assert [cell_text(float(word)) for word in words[:-1]] == [
                cell_text(round(value, 2)) for value in row
            ]
        np.testing.assert_array_equal(arrays["z"][1, number], values.astype(np.float32))
    assert set(csv_of(made, "fused_module")["part"]) == {"head 6", "head 7"}


def test_one_s_own_head_and_two_layers_have_a_row_of_their_own(made):
    app = open_page(step="Your own head", own="Q:1,0=6", challenge="two back")
    score = next(m.value for m in app.markdown if m.value.startswith("Score"))
    assert printed(made, "own_head").splitlines()[-1] in score.replace("*", "").casefold()
    open_page(step="Two layers")
    assert set(arrays_of(made, "two_layers")) >= {"head_1_weights", "head_2_weights"}


def test_the_cache_is_taken_away_with_what_is_asked_of_it(made):
    link = {"models_step": "The cache", "model": "GPT-2 XL", "context": 3000, "sequences": 2}
    open_page("real_models", **link)
    table = csv_of(made, "kv_cache")
    (kept,) = table[table["chosen"]]["bytes"]
    lines = printed(made, "kv_cache").splitlines()
    assert numbers(next(line for line in lines if line.startswith("3,000 "))) == [3000, kept]


def test_a_mask_is_taken_away_as_it_is_written_and_read(made, monkeypatch):
    text = "[[[0, -inf], [0, 0]], [[-inf, 0], [-inf, -inf]]]"
    app = open_page("pitfalls", pitfalls_step="The mask doctor", mask=text, mask_at="matrix 1")
    values = np.array([[[0, -np.inf], [0, 0]], [[-np.inf, 0], [-np.inf, -np.inf]]])
    arrays, table = arrays_of(made, "mask"), csv_of(made, "mask")
    np.testing.assert_array_equal(arrays["mask"], values)
    np.testing.assert_array_equal(table["mask"].to_numpy().reshape(values.shape), values)
    drawn = charts(app, "")[:2]
    for name, function, chart in zip(("sdpa", "module"), FUNCTIONS, drawn, strict=True):
        weights = grid(table_of(chart), "value", "row", "column")
        np.testing.assert_array_equal(arrays[f"{name}_weights"], weights)
        np.testing.assert_array_equal(arrays[f"{name}_sees"], ~np.isinf(values[1]))
        shown = table[table["matrix"] == 1]
        np.testing.assert_allclose(shown[f"{name}_weight"], weights.ravel(), rtol=1e-15)
        assert table[table["matrix"] == 0][f"{name}_weight"].isna().all()
        title = f"weights of {function}, a row for each query"
        told = below(printed(made, "mask"), title, 2)
        assert told == [[f"{weight:.4f}" for weight in row] for row in weights]
    without_drawing(monkeypatch)
    assert made["mask.svg"]().count(b"<svg") == 3  # a sheet of two


@pytest.mark.parametrize("mask", ["1 0 <b>x</b>", "0 -inf\n0 0"])
def test_what_is_no_mask_cannot_be_taken_away(mask):
    link = {"pitfalls_step": "The mask doctor", "mask": mask, "mask_type": "int"}
    assert not open_page("pitfalls", **link).download_button


def test_a_mask_that_both_refuse_is_taken_away_without_weights(made):
    link = {"pitfalls_step": "The mask doctor", "mask": "1 0\n1 1", "mask_type": "int"}
    app = open_page("pitfalls", **link)
    assert [button.label for button in app.download_button] == list(ENDINGS)[:4]
    assert set(arrays_of(made, "mask")) == {"mask", "shown", "scores"}
    assert csv_of(made, "mask")["sdpa_weight"].isna().all()


def test_a_word_is_taken_away_as_it_is_taken_apart(made, monkeypatch):
    words = "אבg " + " ".join(HOSTILE[:2])
    open_page("pitfalls", pitfalls_step="The token inspector", tokens=words, query="אבg")
    table, arrays = csv_of(made, "word"), arrays_of(made, "word")
    assert table["code_point"].tolist() == ["U+05D0", "U+05D1", "U+0067"]
    assert table["bytes"].tolist() == ["D7 90", "D7 91", "67"]
    assert table["character"].tolist() == [1, 2, 3]
    assert arrays["word"].item() == "אבg"
    assert bytes(arrays["utf8"]).decode() == "".join(map(chr, arrays["code_points"])) == "אבg"
    assert printed(made, "word").splitlines()[1] == "direction: right to left, mixed"
    without_drawing(monkeypatch)
    assert made["word.svg"]()


def test_a_row_follows_what_is_chosen(made):
    app = open_page("split_merge", mistake="no transpose")
    assert "no transpose" in made["split_and_merge.py"]().decode()
    assert csv_of(made, "split_and_merge")["wrong"].any()
    go_to(app, "parameters").run()
    assert "C, h, h_kv = 32, 4, 4" in made["parameters.py"]().decode()


def test_a_run_is_taken_away_as_it_was_kept(made):
    settings = Settings(d_model=8, n_heads=2, steps=3)
    link = {"train_size": SIDEBAR, "train_steps": 3, "d_model": 8, "heads": 2}
    assert not open_page("training", **link).download_button
    course = shelf().begin(settings)
    threads = torch.get_num_threads()
    assert course.work(60, lambda: None) is None
    assert course.is_done
    app = open_page("training", **link)
    assert [button.label for button in app.download_button] == list(ENDINGS)
    told, text = printed(made, "training").splitlines(), made["training.py"]().decode()
    assert told[: len(course.snapshots)] == [
        f"step {shot.step}, loss: copy {shot.losses['copy']:.6f}" for shot in course.snapshots
    ]
    torch.set_num_threads(threads)  # a course takes one for the whole process, and so does a script
    assert "rounded" not in text
    table, arrays, last = (
        csv_of(made, "training"),
        arrays_of(made, "training"),
        course.snapshots[-1],
    )
    assert arrays["steps"].tolist() == [shot.step for shot in course.snapshots]
    end = table[table["step"] == last.step]
    (loss,) = end[end["quantity"] == "loss"]["value"]
    assert loss == last.losses["copy"] == arrays["loss_of_copy"][-1]
    for job, scores in last.scores["copy"].items():
        told = grid(end[end["quantity"] == job], "value", "layer", "head")
        np.testing.assert_allclose(told, scores, rtol=1e-12)
    for text, symbols in (("ab ", ["a", "b"]), ('"""\nx=', TASKS["copy"].example.split())):
        open_page("training", **link, training_step="Patterns", snapshot=1, train_text=text)
        assert f"asked_at = 1\n{assigned('text', symbols)}\n" in made["training.py"]().decode()
    open_page("training", **link, training_step="Knock out", off="L0H1", snapshot=2)
    assert "without L0H1: copy " in printed(made, "training")
    torch.set_num_threads(threads)
    weights = [name for name in arrays if name.startswith("weights_")]
    assert sum(arrays[name].size for name in weights) == sum(
        array.size for array in last.parameters.values()
    )
    shelf.cache_clear()
