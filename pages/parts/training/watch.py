"""Train, stop, go on; and the picture of a run as far as it has come: losses and heads' scores."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from mha.charts.training import losses_spec, scores_spec
from mha.training import Settings, jobs
from mha.training.shipped import shipped_snapshots
from mha.training_marks import blind_loss, loss_text, losses_marks, scores_marks
from pages.parts import bound, presenter, turn
from pages.parts import look as looks
from pages.parts.training.shelf import Course, shelf
from pages.parts.training.view import View, is_on, start, stop

SLICE_SECONDS, EVERY_SECONDS = 0.85, 1.0
_LOSS_PIXELS, _STRIPS_PIXELS = 360, 144  # of a presenter's pictures
_LAST = "training_last"  # the settings of the last run that was seen


def control(settings: Settings, view: View | None) -> None:
    """Draw the button and how far the run is."""
    last = st.session_state.get(_LAST)
    if view is not None:
        st.session_state[_LAST] = settings
    elif last not in (None, settings):
        st.info(
            "These are other settings: a run of their own begins at step 0. The last one is kept; "
            "choose its settings again to see it.",
            icon=":material/info:",
        )
    button(settings, view, key="train_button")


def button(settings: Settings, view: View | None, *, key: str, whose: str = "") -> None:
    """Draw the button that trains a run which is not done, and beside it how far the run is.

    whose: what is added to the button's name where there are two of them.
    """
    if view is not None and view.is_done:
        return
    trains = is_on(settings)
    if trains:
        name, act, how = "Stop", stop, {}
    else:
        name, act, how = _offer(view), start, {"anew": False}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            f"{name}{whose}", key=key, type="primary", on_click=act, args=(settings,), kwargs=how
        )
        if not trains:
            st.markdown(_rest(settings, view))


def begin_anew(settings: Settings, view: View | None) -> None:
    """Draw the button that trains a run again which is done, where one came with the app.

    Others may be looking at the one that is done; they are then shown that which came with the app.
    """
    if view is not None and view.is_done and shipped_snapshots(settings) is not None:
        st.button(
            "Train anew",
            key="train_anew",
            on_click=start,
            args=(settings,),
            kwargs={"anew": True},
            help=f"{settings.steps:,} steps, live. The same seed makes the same run again.",
        )


def choose_jobs(settings: Settings) -> list[tuple[str, str]]:
    """Draw the two choices of what heads are scored for: task and job of each."""
    by_name = {f"{task}: {job}": (task, job) for task in settings.tasks for job in jobs(task)}
    names = list(by_name)
    first = [names.index(f"{task}: {job}") for task, job in first_jobs(settings)]
    chosen = []
    for column, key, index in zip(st.columns(2), ("job", "job2"), first, strict=True):
        with column:
            name = bound.pick(
                "Upper score" if key == "job" else "Lower score",
                names,
                index=index,
                what="a task of the run and a job in its texts",
                key=key,
            )
        chosen.append(by_name[name])
    return chosen


def first_jobs(settings: Settings) -> list[tuple[str, str]]:
    """Task and job of both strips where none was chosen: the one that comes first, and the last."""
    task = settings.tasks[0]
    every = jobs(task)
    return [(task, every[0]), (task, every[-3])]  # before "first token" and "itself"


@st.fragment(run_every=EVERY_SECONDS)
def live(settings: Settings, draw_it: Callable[[], None] | None) -> None:
    """The picture, then one slice of work; again and again until the run is done."""
    course = shelf().begin(settings)
    bar = st.progress(_share(course), text=_far(course))
    if draw_it is not None and course.snapshots:  # before the work: what waits for it turns pale
        draw_it()
    with turn.given_back():
        before = course.work(SLICE_SECONDS, lambda: bar.progress(_share(course), text=_far(course)))
    if course.is_done:
        st.rerun()
    if before is not None:
        bar.progress(_share(course), text=_waiting(course, before))


def draw(view: View, scored: list[tuple[str, str]]) -> None:
    """Losses on the left, two strips of scores on the right."""
    snapshots, settings, theme = view.snapshots, view.settings, looks.theme()
    losses, strips = st.columns([2, 3], gap="medium")
    is_presented = presenter.is_on()
    with losses:
        st.markdown("**Loss of each task**, on texts that training never reads")
        told = ", ".join(f"{task} {loss_text(loss)}" for task, loss in snapshots[-1].losses.items())
        looks.picture(
            losses_marks(snapshots),
            losses_spec(theme, settings.steps),
            alt=f"Loss over the steps on a log axis, in nats. At the end: {told}. A guess "
            f"among all symbols: {blind_loss(settings):.3f}.",
            key="training_losses",
            at_most=_LOSS_PIXELS,
        )
    with strips:
        for place, (task, job) in enumerate(scored):
            st.markdown(f"**Score for “{job}”** on {task}, weak 0 to strong 1")
            marks = scores_marks(snapshots, task, job)
            n_rows = settings.n_layers * settings.n_heads + 1
            looks.picture(
                marks,
                scores_spec(theme, settings.steps, n_rows, axis=place > 0 or not is_presented),
                alt=_alt(marks, task, job),
                key=f"training_scores_{place}",
                at_most=_STRIPS_PIXELS,
            )


def introduce() -> None:
    """The sentence above a page on which nothing has been trained yet."""
    st.markdown(
        "A transformer of attention alone learns to predict the next symbol, here and now. Its "
        "heads begin as random numbers; **which of them will take which job?**"
    )


def tell_outcome(view: View, *, has_strips: bool) -> None:
    """The sentence above the picture: how far the loss has come, and how strips are read."""
    first, last = view.snapshots[0], view.snapshots[-1]
    falls = "; ".join(
        f"{task} **{first.losses[task]:.2f} → {loss_text(last.losses[task])}** nats"
        for task in view.settings.tasks
    )
    whence = ", in a run that came with the app" if view.is_shipped else ""
    strips = (
        " The name at the end of a strip is what the head measurably does, “mixed” where nothing "
        "stands out."
    )
    st.markdown(
        f"**Nobody told a head what to do.** After {last.step:,} steps{whence}: {falls}."
        f"{strips if has_strips else ''}"
    )


def invite(settings: Settings) -> None:
    """What stands where the picture will be."""
    st.info(
        f"No run with these settings yet. Press Train: {settings.n_parameters:,} random numbers "
        f"and {settings.steps:,} steps.",
        icon=":material/info:",
    )


def _offer(view: View | None) -> str:
    if view is None:
        return "Train"
    return "Follow" if view.others_at else "Resume"


def _rest(settings: Settings, view: View | None) -> str:
    if view is None:
        heads = settings.n_layers * settings.n_heads
        return f"{heads} heads that know nothing yet, in {settings.n_layers} layers"
    others = f"; others have gone on to step {view.others_at:,}" if view.others_at else ""
    return f"Stopped at step {view.step:,} of {settings.steps:,}{others}"


def _share(course: Course) -> float:
    return course.step / course.settings.steps


def _far(course: Course) -> str:
    left = course.seconds_left
    if left is None:
        return "Loading PyTorch …"
    return f"Step {course.step:,} of {course.settings.steps:,}, {left:.0f} s left"


def _waiting(course: Course, before: int) -> str:
    far = f"Step {course.step:,} of {course.settings.steps:,}"
    if before:
        runs = "1 visitor’s run is" if before == 1 else f"{before} visitors’ runs are"
        return f"{far}: waiting for a free processor, {runs} before yours"
    return f"{far}: trained by another visitor"


def _alt(marks, task: str, job: str) -> str:
    ends = marks.drop_duplicates("row", keep="last")
    told = "; ".join(f"{row.name_of}: {row.text}" for row in ends.itertuples())
    return f"Scores for {job} on {task}, a strip a head over the steps. At the end, {told}."
