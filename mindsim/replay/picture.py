"""Pictures of levels: a lane per player, in it a row per card, over level time.

A card's row is thin while the card is in hand and thick while a wait for it runs; it ends in a mark that says what
became of the card. Marks differ in shape as well as in colour (Okabe and Ito's, see `plots`), so a picture can be read
in black and white. matplotlib is imported when something is drawn.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from mindsim.plots import COLOURS
from mindsim.replay.story import Card, Level, Story, story_of

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from matplotlib.axes import Axes

    from mindsim.games import Games

BLUE, VERMILION, GREEN, PINK, SKY, ORANGE, BLACK, _ = COLOURS
PICTURES = (".png", ".svg", ".pdf")
WIDTH, ROW, GAP = 8.0, 0.165, 0.14  # inches: picture, a card's row, between lanes
MARKS: dict[str, tuple[str, dict[str, Any]]] = {
    "played": ("put down", {"marker": "o", "color": BLUE}),
    "down": ("put down unseen", {"marker": "o", "color": BLUE, "markerfacecolor": "white", "markeredgewidth": 1.5}),
    "early": ("put down too early", {"marker": "X", "color": VERMILION, "markersize": 8}),
    "aside": ("set aside by a mistake", {"marker": "s", "color": ORANGE, "markerfacecolor": "white"}),
    "star": ("set aside by a star", {"marker": "*", "color": GREEN, "markersize": 9}),
}
LINES: dict[str, tuple[str, dict[str, Any]]] = {
    "mistake": ("mistake", {"color": VERMILION, "linestyle": (0, (5, 2))}),
    "star": ("star", {"color": GREEN, "linestyle": (0, (5, 2, 1, 2))}),
    "stop": ("stop", {"color": BLACK, "linestyle": (0, (1, 1.5))}),
}
PLAN_STYLE: dict[str, Any] = {"linestyle": "none", "zorder": 3}
PLANS: dict[str, tuple[str, dict[str, Any]]] = {
    "executed": ("a wait that lapsed: its end", {"marker": "|", "color": "0.25", "markersize": 6}),
    "intended": (
        "the same as intended",
        {"marker": "d", "color": PINK, "markersize": 3.5, "markerfacecolor": "white", "markeredgewidth": 0.8},
    ),
}
ERROR: tuple[str, dict[str, Any]] = (
    "from intended to executed",
    {"facecolor": "white", "edgecolor": PINK, "hatch": "//////", "linewidth": 0.6, "zorder": 2.8},
)
WORDS: dict[str, Any] = {"textcoords": "offset points", "va": "center_baseline", "fontsize": 7, "zorder": 2.9}
UNDER_WORDS = {"boxstyle": "square,pad=0.05", "facecolor": "white", "alpha": 0.7, "linewidth": 0}


@overload
def timeline(games: Games, game: int, level: None = None) -> np.ndarray: ...


@overload
def timeline(games: Games, game: int, level: int) -> Axes: ...


def timeline(games: Games, game: int, level: int | None = None) -> Axes | np.ndarray:
    """Draw a level of a game, or all its levels, as lanes per player over time.

    Parameters
    ----------
    games : Games
        With ``record="waits"`` intended and executed moments are drawn too. Games whose events were not kept are played
        again, alone, with waits.
    game : int
        The game's number.
    level : int, optional
        Default: all that were played, one below the other.

    Returns
    -------
    Axes, or array of Axes
        One for each level that is drawn.

    Raises
    ------
    TypeError, ValueError
        If there is no such game or level, or the game cannot be played again.

    Examples
    --------
    >>> import mindsim as ms
    >>> games = ms.simulate(ms.Rules.the_mind(2), ms.policies.GapLinear(0.05), n_games=1, seed=1)
    >>> timeline(games, 0, level=3).get_xlabel()
    'level time (s)'
    """
    import matplotlib.pyplot as plt

    story = story_of(games, game)
    levels = story.levels if level is None else [story.level(level)]
    heights = [_height(one) + 0.75 for one in levels]
    figure, axes = plt.subplots(
        len(levels), 1, figsize=(WIDTH, sum(heights) + 0.7), height_ratios=heights, squeeze=False, layout="constrained"
    )
    for ax, one in zip(axes[:, 0], levels, strict=True):
        _draw(ax, one)
    figure.suptitle(f"Game {story.game} of seed {story.seed}: {story.outcome}", x=0.01, ha="left", fontsize="medium")
    _legend(figure, levels, story)
    return axes[:, 0] if level is None else axes[0, 0]


def save_picture(games: Games, game: int, out: Path, level: int | None = None) -> None:
    """Write the picture to a file; its name says of what kind."""
    import matplotlib.pyplot as plt

    ax: Any = timeline(games, game)[0] if level is None else timeline(games, game, level)
    ax.figure.savefig(out, dpi=150)
    plt.close(ax.figure)


def _lanes(level: Level) -> list[list[Card]]:
    """For each player its cards, first to be played first."""
    players = 1 + max(card.player for card in level.cards)
    lanes: list[list[Card]] = [[] for _ in range(players)]
    for card in level.cards:
        lanes[card.player].append(card)
    return lanes


def _height(level: Level) -> float:
    """Inches that the lanes of a level need."""
    return len(level.cards) * ROW + len(_lanes(level)) * GAP


def _draw(ax: Axes, level: Level) -> None:
    end = level.time if level.time > 0 else 1.0
    _draw_moments(ax, level)
    y, ticks = GAP / 2, []
    for player, cards in enumerate(_lanes(level)):
        height = len(cards) * ROW
        if player % 2 == 0:
            ax.axhspan(y - GAP / 2, y + height + GAP / 2, color="0.955", linewidth=0, zorder=0)
        ticks.append(y + height / 2)
        for row, card in enumerate(cards):
            _draw_card(ax, level, card, y + (row + 0.5) * ROW)
        y += height + GAP
    ax.set_ylim(y - GAP / 2, 0)
    ax.set_xlim(-0.035 * _reach(level, end), _reach(level, end))
    ax.set_yticks(ticks, [f"player {i}" for i in range(len(ticks))])
    ax.tick_params(axis="y", length=0, pad=8)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.set_xlabel("level time (s)")
    first, last = level.steps[0], level.steps[-1]
    ax.set_title(f"{first.text} with {_team(first)}. {last.text}: {_team(last)}.", loc="left", fontsize="small")


def _reach(level: Level, end: float) -> float:
    """How far the axis goes: room for words, and for the plans that explain a mistake, if they are not too far off."""
    wrong = {card.name for card in level.cards if card.fate and card.fate[-1][1] in ("early", "aside")}
    last = {plan.card: plan for plan in level.plans if plan.card in wrong}
    moments = [m for plan in last.values() for m in (plan.intended, plan.executed) if m is not None]
    return max(1.1 * end, min(1.03 * max(moments, default=0.0), 1.5 * end))


def _team(step: Any) -> str:
    lives, stars = step.lives, step.stars
    return f"{lives} {'life' if lives == 1 else 'lives'}, {stars} star{'' if stars == 1 else 's'}"


def _draw_moments(ax: Axes, level: Level) -> None:
    """What concerns everybody, as lines through all lanes."""
    for step in level.steps:
        kind = _moment(step)
        if kind:
            ax.axvline(step.time, linewidth=1, zorder=1, **LINES[kind][1])
    for step in level.steps:
        if step.kind == "stop":
            ax.annotate(
                f"stop: {step.player}", (step.time, 1), xycoords=("data", "axes fraction"), xytext=(2, -8),
                textcoords="offset points", fontsize=7,
            )  # fmt: skip


def _moment(step: Any) -> str:
    return "mistake" if step.cause else step.kind if step.kind in LINES else ""


def _draw_card(ax: Axes, level: Level, card: Card, y: float) -> None:
    """A card's row: in hand, waits, and what became of it."""
    until = level.steps[card.fate[-1][0]].time if card.fate else level.time
    in_hand = level.steps[card.fate[0][0]].time if card.fate else level.time
    ax.plot([0, in_hand], [y, y], color="0.72", linewidth=0.8, zorder=2, solid_capstyle="butt")
    if until > in_hand:
        ax.plot([in_hand, until], [y, y], color=BLUE, linewidth=0.8, linestyle=":", zorder=2)
    _draw_plans(ax, level, card, in_hand, y)
    shown = [(step, what) for i, (step, what) in enumerate(card.fate) if what != "played" or i == 0]
    for step, what in shown:
        style: dict[str, Any] = {"markersize": 5.5, "linestyle": "none", "zorder": 4} | MARKS[what][1]
        ax.plot([level.steps[step].time], [y], **style)
    ax.annotate(card.name, (0, y), xytext=(-5, 0), ha="right", **WORDS)
    for i, (step, what) in enumerate(shown):
        cause = level.steps[step].cause if what == "early" else "taken out" if i else ""
        words = f"{'' if i else card.name}  {cause}".strip()
        ax.annotate(words, (level.steps[step].time, y), xytext=(5, 0), bbox=UNDER_WORDS, **WORDS)


def _draw_plans(ax: Axes, level: Level, card: Card, in_hand: float, y: float) -> None:
    """Waits for this card: thick while one runs; a tick and a diamond where it would have ended."""
    plans = [plan for plan in level.plans if plan.card == card.name]
    if not plans:
        return
    ax.plot([plans[0].begun, in_hand], [y, y], color="0.45", linewidth=2, zorder=2.5, solid_capstyle="butt")
    for kind, style in PLANS.items():
        lapsed = [getattr(p, kind) for p in plans if not p.done and getattr(p, kind) is not None]
        ax.plot(lapsed, [y] * len(lapsed), **(PLAN_STYLE | style[1]))
    done = [p for p in plans if p.done and p.intended is not None and p.executed is not None]
    for plan in done:
        late = (plan.executed or 0.0) - (plan.intended or 0.0)
        ax.barh(y, late, left=plan.intended, height=0.55 * ROW, **ERROR[1])


def _legend(figure: Any, levels: list[Level], story: Story) -> None:
    """Only what occurs."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    fates = {what for level in levels for card in level.cards for _, what in card.fate}
    moments = {_moment(step) for level in levels for step in level.steps}
    handles: list[Any] = [
        Line2D([], [], linestyle="none", label=text, **style) for what, (text, style) in MARKS.items() if what in fates
    ]
    handles += [Line2D([], [], label=text, **style) for what, (text, style) in LINES.items() if what in moments]
    handles.append(Line2D([], [], color="0.72", linewidth=0.8, label="in hand"))
    if story.has_waits:
        handles.append(Line2D([], [], color="0.45", linewidth=2, label="waiting to put it down"))
        handles += [Line2D([], [], label=text, **(PLAN_STYLE | style)) for text, style in PLANS.values()]
        handles.append(Patch(label=ERROR[0], **ERROR[1]))
    figure.legend(handles=handles, loc="outside lower left", ncols=4, fontsize=7, frameon=False, handlelength=2.2)
