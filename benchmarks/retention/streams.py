"""Simulated streams of rated questions, for training: NumPy alone."""

from dataclasses import dataclass

import numpy as np

from memory_components.retention_room import room_of

DIMENSION = 384
SAME_QUESTION = 0.95
_REWARDS = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
# What a rating adds when 0, 1, 2, ... others said the same of the same question: three users make the full boost.
_MARGIN = np.array([1.0, 0.7, 0.5, 0.05])
# What a rating does for others: four stars reach the limit of one user almost as five do; one and two only take away
# from what others gave.
_WORTH = {-1.0: 0.15, -0.5: 0.1, 0.0: 0.0, 0.5: 0.9, 1.0: 1.0}
_ACTS = 0.94  # the least cosine at which a rating acts


@dataclass(frozen=True)
class Stream:
    """
    A stream of rated questions.

    :param vectors: Their embeddings, (n, 384).
    :param rewards: Their rewards, -1 to 1.
    :param topics: What each is about.
    :param ranks: Where the rated document stood.
    """

    vectors: np.ndarray
    rewards: np.ndarray
    topics: np.ndarray
    ranks: np.ndarray


def simulate(seed: int, length: int = 1500, topics: int = 400) -> Stream:
    """
    A stream: topics of very different popularity, half of them in fashion for a while alone; questions about a topic
    are as near to each other, and those of other topics as far, as those of the packaged embedder.

    :param seed: Makes it repeatable.
    :param length: How many questions.
    :param topics: How many topics.
    :returns: The stream.
    """
    random = np.random.default_rng(seed)
    shared = _unit(random.normal(size=DIMENSION))
    centres = np.sqrt(0.8) * shared + np.sqrt(0.2) * _unit(random.normal(size=(topics, DIMENSION)))
    variants = random.integers(1, 5, topics)  # ways to ask about it, cosines of 0.85 to 0.95 between them
    ways = 0.35 * _unit(random.normal(size=(topics, 4, DIMENSION)))
    popularity = (1 + random.permutation(topics)) ** -random.uniform(0.7, 1.3)
    begin = np.where(random.random(topics) < 0.5, 0, random.uniform(-0.2, 1, topics))
    end = np.where(begin == 0, 1, begin + random.uniform(0.05, 0.4, topics))
    quality = random.beta(3, 1.5, topics)  # how often a result on the topic is right
    chosen = np.empty(length, int)
    for position in range(length):
        alive = (begin <= position / length) & (position / length <= end)
        weights = popularity * alive
        chosen[position] = random.choice(topics, p=weights / weights.sum())
    way = random.integers(0, variants[chosen])
    # Half of the questions are asked in the very same words.
    loose = random.uniform(0, 0.2, (length, 1)) * (random.random((length, 1)) < 0.5)
    vectors = centres[chosen] + ways[chosen, way] + loose * _unit(random.normal(size=(length, DIMENSION)))
    good = random.random(length) < quality[chosen]
    likely = np.where(good[:, None], [0.03, 0.05, 0.12, 0.3, 0.5], [0.45, 0.3, 0.15, 0.06, 0.04])
    rewards = _REWARDS[(random.random((length, 1)) > likely.cumsum(axis=1)).sum(axis=1).clip(0, 4)]
    # A question keeps its rank, whoever asks it; the ways to ask about a topic have ranks of their own.
    usual = np.where(random.random((topics, 4)) < 0.75, 1, random.geometric(0.35, (topics, 4)) + 1)
    return Stream(_unit(vectors).astype(np.float32), rewards, chosen, usual[chosen, way])


def lessons(stream: Stream, horizon: int = 500) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """
    What the gate should have said: at each question's own time, and again when a like one comes.

    :param stream: The stream.
    :param horizon: For how many later questions an episode can be of use.
    :returns: Positions of the episodes, (m,); reward, novelty, recurrence and room, (m, 4); and what the gate should
        have said, (m,): the share of episodes that turned out to be less useful from then on, ties counting half, from
        0.3 up for good ratings, from 0.33 to 0.53 for bad ones, and nothing for those that change nothing.
    """
    cosines = stream.vectors @ stream.vectors.T
    positions, numbers, targets = [], [], []
    length = len(stream.topics)
    for at in range(length - horizon):
        earlier = cosines[at, :at]
        novelty = 1 - max(earlier.max(initial=0.0), 0.0)
        like = np.flatnonzero(cosines[at] >= SAME_QUESTION)
        before = int((like < at).sum())
        same_before = int((stream.rewards[like[like < at]] > 0).sum())
        is_later_use = (cosines[at] >= _ACTS) & (stream.topics == stream.topics[at])
        for seen in (0, 1, 3):
            later = like[like > at]
            moment = at if seen == 0 else int(later[seen - 1]) if len(later) >= seen else length
            if moment >= length - horizon:
                break
            future = is_later_use[moment + 1 : moment + 1 + horizon]
            rooms = room_of(stream.ranks[moment + 1 : moment + 1 + horizon])
            uses = (future * (rooms + 0.05) * 0.998 ** np.arange(len(future))).sum()
            worth = _WORTH[stream.rewards[at]]
            positions.append(at)
            numbers.append([stream.rewards[at], novelty, before + seen, room_of(stream.ranks[at])])
            targets.append(uses * worth * _MARGIN[min(same_before, 3)])
    told = np.array(numbers)
    signs = np.sign(told[:, 0]).astype(int)
    least, span = np.array([0.05, 0.3, 0.33])[signs], np.array([0.0, 0.7, 0.2])[signs]
    return np.array(positions), told, least + span * _shares(np.array(targets))


def _shares(values: np.ndarray) -> np.ndarray:
    ordered = np.sort(values)
    return (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")) / (2 * len(values))


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
