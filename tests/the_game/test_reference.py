"""The compiled engine and the plain-Python game agree event by event."""
from __future__ import annotations

import numpy as np
import pytest

from mindsim import the_game as tg

from .reference import Game, legal_plays
from .tables import Chaotic, chaotic_choice, chaotic_words, random_rules

N_SETTINGS, N_GAMES = 50, 10  # 500 games


@pytest.mark.parametrize("setting", range(N_SETTINGS))
def test_agrees_event_by_event(setting):
    rules = random_rules(np.random.default_rng(setting))
    games = tg.simulate(rules, Chaotic(), N_GAMES, seed=setting, first_game=3, record=True)
    columns = ["turn", "event", "player", "pile", "card", "value"]
    for i, (game, events) in enumerate(games.events.groupby("game")):
        slow = Game(**rules.to_dict() | {"hand": rules.full_hand}, seed=setting, game=game)
        left = slow.play(chaotic_choice, chaotic_words)
        assert list(events[columns].itertuples(index=False, name=None)) == slow.events
        assert (games.cards_left[i], games.turns[i]) == (left, slow.turn)
        assert games.tricks[i] == sum(e[1] == "play" and e[5] < 0 for e in slow.events)


def test_a_changed_rule_is_noticed():
    """The comparison is able to fail: another rule gives other events."""
    rules = tg.Rules(players=2)
    games = tg.simulate(rules, Chaotic(), 5, seed=1)
    setting = rules.to_dict() | {"hand": 7, "trick": 0}
    left = [Game(**setting, seed=1, game=g).play(chaotic_choice, chaotic_words) for g in range(5)]
    assert left != games.cards_left.tolist()


def cheapest_first_plays(hand, piles, needed, trick):
    """All first plays of sequences of the needed length with the smallest summed movement."""
    best, firsts = 10**9, set()

    def go(hand, piles, left, cost, first):
        nonlocal best, firsts
        if left == 0:
            if cost < best:
                best, firsts = cost, set()
            if cost == best:
                firsts.add(first)
            return
        for card, pile in legal_plays(hand, piles, trick):
            moved = card - piles[pile] if pile < 2 else piles[pile] - card
            after = [card if p == pile else top for p, top in enumerate(piles)]
            go([c for c in hand if c != card], after, left - 1, cost + moved, first or (card, pile))

    go(hand, piles, needed, 0, None)
    return firsts


@pytest.mark.parametrize("rules", [tg.Rules(2), tg.Rules.expert(4, hand=5)])
def test_least_movement_is_least(rules):
    events = tg.simulate(rules, tg.strategies.LeastMovement(), 6, seed=5, record=True).events
    checked = 0
    for _, rows in events.groupby("game"):
        hands, piles, drawn = {}, [1, 1, 100, 100], 0
        turn, played = 0, 0
        for row in rows.itertuples():
            if row.event in ("deal", "draw"):
                hands.setdefault(row.player, []).append(row.card)
                drawn += 1
            elif row.event == "play":
                played = played + 1 if row.turn == turn else 0
                turn = row.turn
                needed = (rules.minimum if drawn < 98 else 1) - played
                firsts = cheapest_first_plays(sorted(hands[row.player]), piles, needed, 10)
                assert not firsts or (row.card, row.pile) in firsts
                checked += bool(firsts)
                hands[row.player].remove(row.card)
                piles[row.pile] = row.card
    assert checked > 300
