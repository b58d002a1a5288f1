"""Given deals: check the hands a person wrote down, and turn them into sets of ranks."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindsim.rules import Rules, card_to_rank


def as_sets(deals: Any, rules: Rules, n_games: int) -> NDArray[np.uint64]:
    """The hands of given deals as [deals, levels, places, 2] words: none, one deal for all games, or one per game.

    Raises
    ------
    ValueError
        If a level, player or card is missing, a card is foreign to the deck or dealt twice in a level.
    """
    if deals is None:
        return np.zeros((0, 1, 1, 2), np.uint64)
    _sequence(deals, "deals")
    if _depth(deals) <= 3:
        per_game = [("deals", deals)]
    else:
        if len(deals) != n_games:
            raise ValueError(f"deals: {len(deals)} deals for {n_games} games; give one for all, or one per game")
        per_game = [(f"deals[{i}]", deal) for i, deal in enumerate(deals)]
    sets = np.zeros((len(per_game), rules.n_levels, rules.players * rules.tracks, 2), np.uint64)
    for i, (name, deal) in enumerate(per_game):
        _fill(sets[i], deal, rules, name)
    return sets


def _depth(deals: Any) -> int:
    """How deep lists are nested above a card; a (colour, number) pair is a card."""
    depth = 0
    while isinstance(deals, (Sequence, np.ndarray)) and len(deals) and not _is_card(deals):
        depth += 1
        deals = deals[0]
    return depth


def _is_card(thing: Any) -> bool:
    pair = isinstance(thing, (tuple, list)) and len(thing) == 2
    return isinstance(thing, str) or (pair and isinstance(thing[0], str))


def _sequence(thing: Any, name: str) -> None:
    if isinstance(thing, str) or not isinstance(thing, (Sequence, np.ndarray)):
        raise TypeError(f"{name} must be a list, not {thing!r}")


def _fill(sets: NDArray[np.uint64], deal: Any, rules: Rules, name: str) -> None:
    _sequence(deal, name)
    if len(deal) != rules.n_levels:
        raise ValueError(f"{name} must hold the hands of {rules.n_levels} levels, not of {len(deal)}")
    for number, hands in enumerate(deal):
        where = f"{name}[{number}]"
        _sequence(hands, where)
        if len(hands) != rules.players:
            raise ValueError(f"{where} must hold {rules.players} hands, not {len(hands)}")
        dealt: set[tuple[int, int]] = set()
        for player, hand in enumerate(hands):
            _sequence(hand, f"{where}[{player}]")
            cards = rules.levels[number].cards
            if len(hand) != cards:
                raise ValueError(f"{where}[{player}] must hold {cards} cards at level {number + 1}, not {len(hand)}")
            for card in hand:
                try:
                    track, rank = card_to_rank(card, rules)
                except ValueError as error:
                    raise ValueError(f"{where}[{player}]: {error}") from None
                if (track, rank) in dealt:
                    raise ValueError(f"{where}: card {card!r} is dealt twice")
                dealt.add((track, rank))
                sets[number, player * rules.tracks + track, rank >> 6] |= np.uint64(1 << (rank & 63))
