"""From the ratings of like questions to the boosts of a search."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from components.retrieval.ranking import Candidate, source_of
from memory_components.boost_rules import BoostRules, only_alike, values_by_document
from memory_components.memory_view import MemoryView
from memory_components.place_limits import Standing, memory_boosts
from memory_components.records import ANYONE


@dataclass(frozen=True)
class MemoryBoosts:
    """
    What past ratings add to the candidates of a search.

    :param boosts: By id, what is added; only those that change.
    :param past_sessions: The sessions whose ratings it comes from, with the cosine of their question to this one.
    """

    boosts: Mapping[str, float] = field(default_factory=dict)
    past_sessions: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Question:
    """
    What is asked, and by whom.

    :param text: The question.
    :param vector: Its embedding.
    :param user_id: Who asks; "" for someone unknown.
    :param groups: The access groups of who asks.
    """

    text: str
    vector: np.ndarray
    user_id: str = ""
    groups: frozenset[str] = ANYONE


def recall_boosts(
    view: MemoryView, question: Question, candidates: Sequence[Candidate], rules: BoostRules
) -> MemoryBoosts:
    """
    What past ratings add to the candidates of a search.

    A rating of a chunk acts on that chunk, one of a whole record on the record's best candidate.

    :param view: The memory.
    :param question: The question.
    :param candidates: The candidates, best first.
    :param rules: The rules.
    :returns: The boosts.
    """
    votes, used = view.votes(question.text, question.vector, question.groups, rules.min_similarity)
    if not votes:
        return MemoryBoosts()
    alike = only_alike(votes, question.user_id, rules)
    limits = dict.fromkeys(alike, rules.own_places)
    standings = _standings(candidates, values_by_document(votes, rules, time.time()), limits)
    boosts = memory_boosts(standings, question.user_id, rules)
    return MemoryBoosts(boosts, used if boosts else {})


def _standings(
    candidates: Sequence[Candidate], values: Mapping[str, Mapping[str, float]], own_places: Mapping[str, int]
) -> list[Standing]:
    records = {name for name in values if source_of(name) == name}
    standings = []
    for candidate in candidates:
        found = dict(values.get(candidate.id, {}))
        record = source_of(candidate.id)
        if record in records:
            records.remove(record)
            found = {**values[record], **found}
        limit = own_places.get(candidate.id, own_places.get(record))
        standings.append(Standing(candidate.id, candidate.tier, candidate.score, found, limit))
    return standings
