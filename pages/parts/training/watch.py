"""Train, stop, go on; and the picture of a run as far as it has come: losses and heads' scores."""

from __future__ import annotations

import streamlit as st

from mha.charts.training import losses_spec, scores_spec
from mha.training import Settings, jobs
from mha.training_marks import blind_loss, loss_text, losses_marks, scores_marks
from pages.parts import bound, look
from pages.parts.training.shelf import Course, shelf

SLICE_SECONDS, EVERY_SECONDS = 0.85, 1.0
_ON, _SEEN = "training_on", "training_seen"  # settings: in training here, and last looked at


def control(settings: Settings) -> Course | None:
    """Draw the button and how far the run is; while it is on, train it slice by slice."""
    course = shelf().find(settings)
    if st.session_state.get(_ON) not in (None, settings):
        st.session_state[_ON] = None
    last = st.session_state.get(_SEEN)
    if course is None and is_on(settings):  # so many others were begun since that it is gone
        course = shelf().begin(settings)
    if course is not None:
        st.session_state[_SEEN] = settings
    elif last not in (None, settings):
        st.info(
            "These are other settings: a run of their own begins at step 0. The last one is kept; "
            "choose its settings again to see it.",
            icon=":material/info:",
        )
    if course is not None and course.is_done:
        return course
    trains = is_on(settings)
    with st.container(horizontal=True, vertical_alignment="center"):
        name = "Stop" if trains else "Resume" if course is not None else "Train"
        st.button(
            name,
            key="train_button",
            type="primary",
            on_click=_set,
            args=(None if trains else settings,),
        )
        if not trains:
            st.markdown(_rest(settings, course))
    return course


def is_on(settings: Settings) -> bool:
    """Whether this visitor has the run with these settings going."""
    return st.session_state.get(_ON) == settings


def choose_jobs(settings: Settings) -> list[tuple[str, str]]:
    """Draw the two choices of what heads are scored for: task and job of each."""
    by_name = {f"{task}: {job}": (task, job) for task in settings.tasks for job in jobs(task)}
    names = list(by_name)
    own = len(jobs(settings.tasks[0])) - 3  # before "first token" and "itself"
    chosen = []
    for column, key, index in zip(st.columns(2), ("job", "job2"), (0, own), strict=True):
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


@st.fragment(run_every=EVERY_SECONDS)
def live(course: Course, scored: list[tuple[str, str]] | None) -> None:
    """The picture, then one slice of work; again and again until the run is done."""
    bar = st.progress(_share(course), text=_far(course))
    if scored is not None and course.snapshots:  # before the work: what waits for it turns pale
        draw(course, scored)
    did = course.work(SLICE_SECONDS, lambda: bar.progress(_share(course), text=_far(course)))
    if course.is_done:
        st.rerun()
    if not did:
        bar.progress(_share(course), text=_waiting(course))


def draw(course: Course, scored: list[tuple[str, str]]) -> None:
    """Losses on the left, two strips of scores on the right."""
    snapshots, settings, theme = list(course.snapshots), course.settings, look.theme()
    losses, strips = st.columns([2, 3], gap="medium")
    with losses:
        st.markdown("**Loss of each task**, on texts that training never reads")
        told = ", ".join(f"{task} {loss_text(loss)}" for task, loss in snapshots[-1].losses.items())
        look.picture(
            losses_marks(snapshots),
            losses_spec(theme, settings.steps),
            alt=f"Loss over the steps on a log axis, in nats. At the end: {told}. A guess "
            f"among all symbols: {blind_loss(settings):.3f}.",
            key="training_losses",
        )
    with strips:
        for place, (task, job) in enumerate(scored):
            st.markdown(f"**Score for “{job}”** on {task}, weak 0 to strong 1")
            marks = scores_marks(snapshots, task, job)
            n_rows = settings.n_layers * settings.n_heads + 1
            look.picture(
                marks,
                scores_spec(theme, settings.steps, n_rows),
                alt=_alt(marks, task, job),
                key=f"training_scores_{place}",
            )


def introduce() -> None:
    """The sentence above a page on which nothing has been trained yet."""
    st.markdown(
        "A transformer of attention alone learns to predict the next symbol, here and now. Its "
        "heads begin as random numbers; **which of them will take which job?**"
    )


def tell_outcome(course: Course) -> None:
    """The sentence above the picture: how far the loss has come."""
    first, last = course.snapshots[0], course.snapshots[-1]
    falls = "; ".join(
        f"{task} **{first.losses[task]:.2f} → {loss_text(last.losses[task])}** nats"
        for task in course.settings.tasks
    )
    st.markdown(
        f"**Nobody told a head what to do.** After {last.step:,} steps: {falls}. The name at the "
        "end of a strip is what the head measurably does, “mixed” where nothing stands out."
    )


def invite(settings: Settings) -> None:
    """What stands where the picture will be."""
    st.info(
        f"No run with these settings yet. Press Train: {settings.n_parameters:,} random numbers "
        f"and {settings.steps:,} steps.",
        icon=":material/info:",
    )


def _rest(settings: Settings, course: Course | None) -> str:
    if course is None:
        heads = settings.n_layers * settings.n_heads
        return f"{heads} heads that know nothing yet, in {settings.n_layers} layers"
    return f"Stopped at step {course.step:,} of {settings.steps:,}"


def _share(course: Course) -> float:
    return course.step / course.settings.steps


def _far(course: Course) -> str:
    left = course.seconds_left
    if left is None:
        return "Loading PyTorch …"
    return f"Step {course.step:,} of {course.settings.steps:,}, {left:.0f} s left"


def _waiting(course: Course) -> str:
    if course.step:
        return f"Step {course.step:,} of {course.settings.steps:,}: trained by another visitor"
    return "Waiting for a free processor: other runs are being trained"


def _alt(marks, task: str, job: str) -> str:
    ends = marks.drop_duplicates("row", keep="last")
    told = "; ".join(f"{row.name_of}: {row.text}" for row in ends.itertuples())
    return f"Scores for {job} on {task}, a strip a head over the steps. At the end, {told}."


def _set(settings: Settings | None) -> None:
    if settings is not None:
        shelf().begin(settings)
    st.session_state[_ON] = settings
