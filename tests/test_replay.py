"""Replays: the story agrees with the results, pictures show all of it, and the page works in a browser."""

from __future__ import annotations

import json
import re
import shutil
from html import escape
from itertools import pairwise

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from typer.testing import CliRunner

import mindsim as ms
from mindsim import cli
from mindsim.replay import picture, story_of, timeline, to_html, write

pytestmark = pytest.mark.xdist_group("browser")

HASTY = ms.Player(
    ms.policies.GapPower(pace=0.02, exponent=1.8), clock=ms.clocks.Scalar(weber=0.3, floor=0.05), reaction=0.2,
    stars=ms.stars.At(2.0), stops=ms.stops.At(1.0),
)  # fmt: skip
THREE = ms.Rules(3, [ms.Level(3, "life"), ms.Level(4, "star"), ms.Level(5)], lives=3, stars=1, max_stops=1)
KINDS = {
    "face up": THREE,
    "blind": ms.Rules.blind(3),
    "breaks": ms.Rules(3, [ms.Level(4, face_down=True)] * 3, lives=4, stars=1, blind_count="breaks"),
    "extreme": ms.Rules.extreme(3),
    "late": ms.Rules(3, [ms.Level(5, time_limit=4.0)], lives=3, stars=1),
}
LIE_DOWN, GONE = ("played", "early", "down"), ("aside", "star")


@pytest.fixture(scope="module")
def games():
    return ms.simulate(THREE, HASTY, n_games=6, seed=5, record="waits")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


# --- the story -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
def test_the_story_agrees_with_the_results(kind):
    games = ms.simulate(KINDS[kind], HASTY, n_games=6, seed=5, record="waits")
    for i in range(games.n_games):
        story = story_of(games, i)
        fates = [card.fate[-1][1] for level in story.levels for card in level.cards if card.fate]
        last = story.levels[-1].steps[-1]
        assert len(story.levels) == games.level_reached[i] and story.outcome == games.outcome[i]
        assert sum(fate in LIE_DOWN for fate in fates) == games.cards_played[i]
        assert fates.count("aside") == games.cards_lost[i]
        assert (last.lives, last.stars) == (games.lives[i], games.stars[i])
        causes = [step.cause for level in story.levels for step in level.steps if step.cause]
        assert [causes.count(cause) for cause in games.CAUSES] == games.causes[i].tolist()
        times = [level.time for level in story.levels]
        assert times == pytest.approx(games.level_time[i, : len(times)])


@pytest.mark.parametrize("kind", KINDS)
def test_every_plan_belongs_to_the_step_at_which_it_was_made(kind):
    """The step has the epoch's time, what was carried out happened next, and nobody plans for a card that is gone."""
    games = ms.simulate(KINDS[kind], HASTY, n_games=6, seed=5, record="waits")
    for i in range(games.n_games):
        for level in story_of(games, i).levels:
            cards = {card.name: card for card in level.cards}
            assert level.plans
            for plan in level.plans:
                fate = cards[plan.card].fate
                assert level.steps[plan.step].time == plan.begun and cards[plan.card].player == plan.player
                assert not fate or fate[0][0] > plan.step
                if plan.done:
                    assert level.steps[fate[0][0]].time == pytest.approx(plan.executed)


def test_what_is_told():
    """One game by hand: a mistake, a star, a stop, a reward and the end, in words."""
    rules = ms.Rules(2, [ms.Level(2, "life"), ms.Level(1)], lives=2, stars=1, max_stops=1)
    deals = [[[10, 30], [20, 40]], [[5], [6]]]
    late = ms.Player(ms.policies.Script({10: 2.0, 30: 3.0, 5: 1.0}), stops=ms.stops.At(0.5))
    early = ms.Player(ms.policies.Script({20: 1.0, 40: 9.0, 6: 2.0}), stars=ms.stars.At(2.5))
    games = ms.simulate(rules, [late, early], 1, record="waits", deals=deals)
    one, two = story_of(games, 0).levels
    assert [step.text for step in one.steps] == [
        "Level 1 begins",
        "player 0 calls stop",
        "player 1 plays 20, too early: a life is lost (a wrong card was planned first); set aside: 10 (player 0)",
        "player 1 raises a hand, all consent: a star is used; set aside: 30 (player 0), 40 (player 1)",
        "Level 1 is completed; the team gains a life",
    ]
    assert [(s.lives, s.stars) for s in one.steps] == [(2, 1), (2, 1), (1, 1), (1, 0), (2, 0)]
    assert two.steps[-1].text == "Level 2 is completed: the game is won"


def test_a_face_down_pile_is_read_when_the_hands_are_empty():
    rules = ms.Rules(2, [ms.Level(2, face_down=True)], lives=3, stars=0)
    team = [ms.policies.Script({10: 2.0, 30: 3.0}), ms.policies.Script({20: 1.0, 40: 9.0})]
    (level,) = story_of(ms.simulate(rules, team, 1, record=True, deals=[[[10, 30], [20, 40]]]), 0).levels
    assert [step.kind for step in level.steps] == ["level", "play", "play", "play", "play", "read", "read", "done"]
    assert {card.name: card.fate for card in level.cards} == {
        "20": [(1, "down"), (5, "played"), (6, "early")], "10": [(2, "down"), (5, "played"), (6, "aside")],
        "30": [(3, "down"), (5, "played")], "40": [(4, "down"), (5, "played")],
    }  # fmt: skip


# --- which game ------------------------------------------------------------------------------------------------------
def test_a_game_that_was_not_recorded_is_played_again_alone(games):
    plain = ms.simulate(THREE, HASTY, n_games=3, seed=5, first_game=2)
    assert story_of(plain, 4) == story_of(games, 4)


def test_hands_that_were_given_must_have_been_recorded():
    deals = [[[10, 30], [20, 40]]]
    rules = ms.Rules(2, [ms.Level(2)], lives=1, stars=0)
    lost = ms.simulate(rules, ms.policies.GapLinear(0.5), 1, deals=deals)
    with pytest.raises(ValueError, match=r"game 0 cannot be played again from seed 0.*deals=.*record=True"):
        lost.replay(0)
    kept = ms.simulate(rules, ms.policies.GapLinear(0.5), 1, deals=deals, record=True)
    assert [step.text for step in kept.replay(0).story.levels[0].steps][1] == "player 0 plays 10"


@pytest.mark.parametrize("call", [story_of, timeline, to_html])
def test_there_must_be_such_a_game_and_level(games, call):
    for wrong, error in ((6, ValueError), (-1, ValueError), (1.5, TypeError), (True, TypeError)):
        with pytest.raises(error, match=r"game must be the number of a game, 0\.\.5, not"):
            call(games, wrong)
    with pytest.raises(ValueError, match="level must be in"):
        timeline(games, 0, level=9)
    with pytest.raises(TypeError, match="level must be a number"):
        timeline(games, 0, level="all")


# --- pictures --------------------------------------------------------------------------------------------------------
def drawn(ax, what):
    """How many marks of a kind there are."""
    want = picture.MARKS[what][1]
    face = want.get("markerfacecolor", want["color"])
    like = [x for x in ax.lines if (x.get_marker(), x.get_color()) == (want["marker"], want["color"])]
    return sum(line.get_markerfacecolor() == face for line in like)


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_shows_every_card_and_what_became_of_it(kind):
    games = ms.simulate(KINDS[kind], HASTY, n_games=2, seed=5, record="waits")
    for ax, level in zip(games.timeline(1), story_of(games, 1).levels, strict=True):
        words = [text.get_text().split()[0] for text in ax.texts if text.get_text()]
        assert {card.name for card in level.cards} <= set(words)
        for what in picture.MARKS:
            shown = [w for card in level.cards for k, (_, w) in enumerate(card.fate) if w != "played" or k == 0]
            assert drawn(ax, what) == shown.count(what)
        lines = [line for line in ax.lines if len(set(line.get_xdata())) == 1 and list(line.get_ydata()) == [0, 1]]
        assert len(lines) == sum(bool(step.cause) or step.kind in ("star", "stop") for step in level.steps)
        assert ax.get_xlabel() == "level time (s)"


def test_waits_are_drawn_as_intended_and_executed(games):
    level = story_of(games, 0).levels[-1]
    ax = timeline(games, 0, level.number)
    done = [plan for plan in level.plans if plan.done]
    bars = {(p.get_x(), round(p.get_x() + p.get_width(), 9)) for p in ax.patches if p.get_hatch()}
    assert bars == {(plan.intended, round(plan.executed, 9)) for plan in done}
    ticks = np.concatenate([line.get_xdata() for line in ax.lines if line.get_marker() == "|"])
    assert sorted(ticks) == sorted(p.executed for p in level.plans if not p.done and p.executed is not None)
    only_events = ms.simulate(THREE, HASTY, n_games=1, seed=5, record=True)
    bare = timeline(only_events, 0, level.number)
    assert not [p for p in bare.patches if p.get_hatch()] and len(bare.texts) == len(ax.texts)


def test_marks_can_be_told_apart_without_colour():
    shapes = [(style["marker"], "markerfacecolor" in style) for _, style in picture.MARKS.values()]
    dashes = [style["linestyle"] for _, style in picture.LINES.values()]
    assert len(set(shapes)) == len(shapes) and len(set(dashes)) == len(dashes)


def test_words_do_not_leave_the_picture_nor_cover_each_other():
    games = ms.simulate(ms.Rules.the_mind(4, lives=5), HASTY, n_games=1, seed=2)
    ax = games.timeline(0)[-1]
    ax.figure.canvas.draw()
    frame, boxes = ax.figure.bbox, [text.get_window_extent() for text in ax.texts if text.get_text()]
    for box in [*boxes, ax.title.get_window_extent()]:
        assert frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1
    rows = sorted({round(box.y0 + box.y1) / 2 for box in boxes})
    assert all(b - a > 9 for a, b in pairwise(rows))  # pixels at 100 an inch; letters are 7 points high


def test_files_of_every_kind(games, tmp_path):
    for kind in ("html", "png", "svg", "pdf"):
        write(games, 0, tmp_path / f"game.{kind}", level=1)
        assert (tmp_path / f"game.{kind}").stat().st_size > 5_000
    with pytest.raises(ValueError, match=r"out must end in .html, .png, .svg, .pdf, not 'game.gif'"):
        write(games, 0, tmp_path / "game.gif")


def test_the_command(tmp_path):
    out = tmp_path / "game.html"
    words = f"replay --players 2 --policy gap_linear --set pace=0.05 --seed 3 --game 4 --level-cards 3 --out {out}"
    done = CliRunner().invoke(cli.app, words.split())
    assert done.exit_code == 0 and "game 4 of seed 3" in done.output and "Game 4 of seed 3" in out.read_text("utf-8")


# --- the page, as text -----------------------------------------------------------------------------------------------
def test_the_page_needs_nothing_else(games):
    page = to_html(games, 0)
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(src|href)=|@import|url\(", page) and "default-src 'none'" in page
    data = json.loads(re.search(r'<script id="story" type="application/json">(.*?)</script>', page, re.DOTALL)[1])
    assert data == json.loads(json.dumps(story_of(games, 0).as_dict()))


def test_a_notebook_shows_it_in_a_frame(games):
    shown = games.replay(0)._repr_html_()
    assert shown.startswith("<iframe") and escape(to_html(games, 0)) in shown and 'sandbox="allow-scripts"' in shown
    assert repr(games.replay(0)).startswith("<Replay: game 0 of seed 5")


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_contrast_is_enough_by_day_and_night(games):
    """WCAG 2: 4.5 to 1 for text, on both grounds, in both schemes."""
    themes = re.findall(r":root \{(.*?)\}", to_html(games, 0), re.DOTALL)
    assert len(themes) == 2
    for theme in themes:
        colours = dict(re.findall(r"--(\w+): (#\w+);", theme))
        colours = {k: v if len(v) == 7 else "#" + "".join(2 * c for c in v[1:]) for k, v in colours.items()}
        for ground in ("back", "panel"):
            for ink in ("text", "quiet", "played", "early", "aside", "star", "plan"):
                light = sorted((luminance(colours[ground]), luminance(colours[ink])))
                assert (light[1] + 0.05) / (light[0] + 0.05) >= 4.5, (ground, ink)


# --- the page, in a browser ------------------------------------------------------------------------------------------
SWITCHES = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --window-size=1000,1100"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Headless Chromium with a profile of its own."""
    from selenium import webdriver

    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.fail("the replay's page is tested in Chromium: install chromium and chromium-driver (`make browser`)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for switch in [*SWITCHES.split(), f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    window = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield window
    window.quit()


@pytest.fixture
def page(browser, tmp_path):
    """Opens a page; afterwards the browser must have had nothing to complain about."""

    def opened(html):
        (tmp_path / "page.html").write_text(html, encoding="utf-8")
        browser.get((tmp_path / "page.html").as_uri())
        return Page(browser)

    browser.get_log("browser")
    yield opened
    assert browser.get_log("browser") == []


class Page:
    """What a reader can see and do."""

    def __init__(self, browser):
        self.browser = browser

    def find(self, selector):
        return self.browser.find_element("css selector", selector)

    def texts(self, selector):
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
        return self.browser.execute_script(script, selector)

    def click(self, selector):
        self.find(selector).click()

    def press(self, key, on="body"):
        self.find(on).send_keys(key)

    def choose(self, selector, words):
        from selenium.webdriver.support.ui import Select

        Select(self.find(selector)).select_by_visible_text(words)

    @property
    def place(self):
        body = self.find("body")
        return int(body.get_attribute("data-level")), int(body.get_attribute("data-step"))

    def wait(self, condition, seconds=60):
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.browser, seconds, poll_frequency=0.05).until(lambda _: condition())


def hands(page, player):
    """Cards as they are shown: in hand, put down, set aside."""
    rows = range(1, 4)
    return [page.texts(f'[data-player="{player}"] .row:nth-of-type({row}) .card') for row in rows]


def known(level, step, player):
    """The same from the story."""
    found = {"hand": [], "down": [], "gone": []}
    for card in (card for card in level.cards if card.player == player):
        fate = [what for at, what in card.fate if at <= step]
        found["hand" if not fate else "down" if fate[-1] in LIE_DOWN else "gone"].append(card.name)
    return list(found.values())


def test_click_through_a_level(games, page):
    story = story_of(games, 0)
    level, seen = story.levels[0], page(to_html(games, 0))
    assert seen.browser.title == f"Game 0 of seed 5: {story.outcome}"
    for i, step in enumerate(level.steps):
        assert seen.place == (1, i)
        assert seen.find("#said").text == f"{step.time:.2f} s: {step.text}."
        assert seen.find("#lives").text.split()[-1] == str(step.lives)
        assert seen.find("#stars").text.split()[-1] == str(step.stars)
        for player in range(3):
            assert hands(seen, player) == known(level, i, player)
        pile = [card for card in level.cards if card.fate and card.fate[0][0] <= i and card.fate[0][1] in LIE_DOWN]
        assert seen.texts("#piles .card") == [card.name for card in sorted(pile, key=lambda card: card.fate[0][0])]
        assert seen.texts("#log [aria-current] button") == [f"{step.time:.2f} s  {step.text}"]
        seen.click("#next")
    assert seen.place == (2, 0)
    seen.click("#back")
    assert seen.place == (1, len(level.steps) - 1)


def test_it_plays_pauses_and_comes_to_the_end(games, page):
    seen = page(to_html(games, 0))
    seen.choose("#speed", "¼×")
    seen.click("#play")
    assert seen.find("#play").text == "Pause" and seen.find("#play").get_attribute("aria-pressed") == "true"
    seen.wait(lambda: float(seen.find("#time").text) > 0)
    seen.click("#play")
    assert seen.find("#play").text == "Play" and seen.find("#play").get_attribute("aria-pressed") == "false"
    stopped = seen.find("#time").text
    seen.browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    assert seen.find("#time").text == stopped
    seen.choose("#speed", "64×")
    seen.click("#play")
    story = story_of(games, 0)
    seen.wait(lambda: seen.find("#play").text == "Play")
    assert seen.place == (len(story.levels), len(story.levels[-1].steps) - 1)
    assert not seen.find("#next").is_enabled()
    seen.click("#play")  # from the beginning again
    seen.wait(lambda: seen.find("#play").text == "Play")


def test_the_keyboard_is_enough(games, page):
    from selenium.webdriver.common.keys import Keys

    seen, last = page(to_html(games, 0)), len(story_of(games, 0).levels[0].steps) - 1
    strokes = [
        (Keys.ARROW_RIGHT, (1, 1)), (Keys.ARROW_RIGHT, (1, 2)), (Keys.ARROW_LEFT, (1, 1)), (Keys.END, (1, last)),
        (Keys.HOME, (1, 0)), (Keys.PAGE_DOWN, (2, 0)), (Keys.PAGE_UP, (1, 0)),
    ]  # fmt: skip
    for key, place in strokes:
        seen.press(key)
        assert seen.place == place
    seen.press(Keys.SPACE)
    assert seen.find("#play").text == "Pause"
    seen.press(Keys.SPACE)
    assert seen.find("#play").text == "Play"
    seen.press(Keys.SPACE, on="#play")  # a button in focus is pressed once, not twice
    assert seen.find("#play").text == "Pause"
    seen.press(Keys.ARROW_RIGHT)
    assert seen.find("#play").text == "Play"
    seen.press(Keys.ARROW_RIGHT, on="#scrub")  # a slider in focus moves by itself, by one
    before = seen.place[1]
    seen.press(Keys.ARROW_RIGHT, on="#scrub")
    assert seen.place == (1, before + 1)


def test_levels_and_steps_can_be_chosen(games, page):
    story, seen = story_of(games, 0), page(to_html(games, 0))
    assert seen.texts("#level option") == [str(level.number) for level in story.levels]
    seen.choose("#level", "2")
    assert seen.place == (2, 0)
    seen.click("#log li:nth-child(4) button")
    assert seen.place == (2, 3)


def test_players_see_only_what_they_may_know(page):
    rules = ms.Rules(2, [ms.Level(2, face_down=True)], lives=3, stars=0)
    team = [ms.policies.Script({10: 2.0, 30: 3.0}), ms.policies.Script({20: 1.0, 40: 9.0})]
    games = ms.simulate(rules, team, 1, record="waits", deals=[[[10, 30], [20, 40]]])
    seen = page(to_html(games, 0))
    seen.click("#next")
    assert hands(seen, 0) == [["10", "30"], [], []] and seen.texts("#piles .card") == ["20"]
    for who, mine, other, pile in (("player 0", "10 30", "?", "?"), ("player 1", "? ?", "40", "20"),
                                   ("everybody", "? ?", "?", "?")):  # fmt: skip
        seen.choose("#seen", who)
        assert (hands(seen, 0)[0], hands(seen, 1)[0], seen.texts("#piles .card")) == (mine.split(), [other], [pile])
        for where in ("#said", "#lanes text", "#log li"):
            assert ("20" in " ".join(seen.texts(where))) == (pile == "20")
    for _ in range(4):
        seen.click("#next")
    assert seen.texts("#piles .card") == ["20", "10", "30", "40"]  # turned up: all may see it


def test_every_control_has_a_name(games, page):
    seen = page(to_html(games, 0))
    for control in seen.browser.find_elements("css selector", "button, select, input"):
        assert control.accessible_name
    controls = ("back", "play", "next", "level", "speed", "seen", "scrub")
    names = ["Step back", "Play", "Step forward", "Level", "Speed", "Seen by", "Step of this level"]
    assert [seen.find(f"#{control}").accessible_name for control in controls] == names
    assert seen.find("#said").get_attribute("aria-live") == "polite"


def test_day_and_night(games, page):
    seen, grounds = page(to_html(games, 0)), []
    for scheme in ("light", "dark"):
        feature = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        seen.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", feature)
        grounds.append(seen.find("body").value_of_css_property("background-color"))
    seen.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert grounds == ["rgba(255, 255, 255, 1)", "rgba(23, 24, 26, 1)"]


class Rude(ms.policies.GapLinear):
    """A policy whose name would be markup."""

    def __repr__(self):
        return "</script><script>window.rude = 1</script><b id=rude>&amp;"


def test_names_are_no_markup(page):
    games = ms.simulate(ms.Rules(2, [ms.Level(2)], lives=1, stars=0), Rude(0.05), 1)
    seen = page(to_html(games, 0))
    assert "</script><script>window.rude = 1</script><b id=rude>&amp;" in seen.find("#who").text
    assert seen.browser.execute_script("return window.rude === undefined && !document.getElementById('rude')")


def test_two_in_one_notebook(games, page):
    """Each works in its own frame."""
    shown = [games.replay(game)._repr_html_() for game in (0, 1)]
    seen = page(f"<!doctype html><title>notebook</title>{''.join(shown)}")
    frames = seen.browser.find_elements("css selector", "iframe")
    for i, steps in ((0, 1), (1, 2)):
        seen.browser.switch_to.frame(frames[i])
        for _ in range(steps):
            seen.click("#next")
        assert seen.place == (1, steps)
        seen.browser.switch_to.default_content()
