"""One page's script at a time, and the turn is given back whatever happens."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Waiting
from threading import Event

import pytest

from pages.parts import presenter, turn
from pages.parts.training import knock
from pages.parts.training.shelf import Course
from tests.pages.app import open_page
from tests.pages.runs import LINK, PAGE, empty_shelf, press

__all__ = ["empty_shelf"]  # a fixture
SOON = 0.1


@pytest.fixture
def other() -> ThreadPoolExecutor:
    """Another visitor's thread."""
    with ThreadPoolExecutor(1) as pool:
        yield pool


def take(then=lambda: None) -> None:
    with turn.taken():
        then()


def waits(one: Future) -> bool:
    try:
        one.result(SOON)
    except Waiting:
        return True
    return False


def test_two_never_have_the_turn_at_once(other):
    with turn.taken():
        one = other.submit(take)
        assert waits(one)
    one.result(60)


def test_it_is_given_back_for_a_while_and_taken_again(other):
    with turn.taken():
        with turn.given_back():
            other.submit(take).result(60)
        one = other.submit(take)
        assert waits(one)
    one.result(60)


def test_nobody_goes_on_before_the_turn_is_theirs_again(other):
    has_it, may_end, went_on = Event(), Event(), Event()

    def lend() -> None:
        with turn.taken():
            with turn.given_back():
                has_it.wait(60)
            went_on.set()

    def borrow() -> None:
        with turn.taken():
            has_it.set()
            may_end.wait(60)

    with ThreadPoolExecutor(1) as lender:
        lent = lender.submit(lend)
        other.submit(borrow)
        has_it.wait(60)
        assert not went_on.wait(SOON)
        may_end.set()
        lent.result(60)
    assert went_on.is_set()


def test_who_has_no_turn_has_none_to_give_back(other):
    def give() -> None:
        with turn.given_back():
            pass

    with turn.taken():
        other.submit(give).result(60)
        one = other.submit(take)
        assert waits(one)  # it was not the other's to give
    one.result(60)


@pytest.mark.parametrize("is_given_back", [False, True])
def test_a_script_that_fails_gives_it_back(other, is_given_back):
    def fail() -> None:
        raise ValueError

    def fail_meanwhile() -> None:
        with turn.given_back():
            fail()

    with pytest.raises(ValueError):  # noqa: PT011 - it is the one above
        take(fail_meanwhile if is_given_back else fail)
    other.submit(take).result(60)


def test_a_page_is_drawn_in_its_turn(other, monkeypatch):
    drawn, around = [], presenter.around

    def watched(*args: object) -> object:
        drawn.append(waits(other.submit(take)))
        return around(*args)

    monkeypatch.setattr(presenter, "around", watched)
    open_page("tour")
    assert drawn == [True]


def test_others_go_on_while_a_run_trains(other, empty_shelf, monkeypatch):
    waited = []

    def watched(self: Course, *_: object) -> None:
        waited.append(waits(other.submit(take)))

    monkeypatch.setattr(Course, "work", watched)
    press(open_page(PAGE, **LINK), "Train")
    assert waited == [False]


def test_others_go_on_while_heads_are_turned_off(other, monkeypatch):
    waited = []

    def watched(which: tuple, heads: tuple, snapshot: object) -> dict[str, float]:
        waited.append(waits(other.submit(take)))
        return {"copy": 0.0}

    monkeypatch.setattr(knock, "_rises", watched)
    open_page(PAGE, training_step="Knock out", off=["L0H0", "L0H1"])
    assert waited
    assert not any(waited)
