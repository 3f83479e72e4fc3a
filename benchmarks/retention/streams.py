"""Simulated streams of rated questions, for training: NumPy alone."""

from dataclasses import dataclass

import numpy as np

DIMENSION = 384
SAME_QUESTION = 0.95
_REWARDS = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
# What a rating adds when 0, 1, 2, ... others said the same of the same question: three users make the full boost.
_MARGIN = np.array([1.0, 0.6, 0.4, 0.05])


@dataclass(frozen=True)
class Stream:
    """
    A stream of rated questions.

    :param vectors: Their embeddings, (n, 384).
    :param rewards: Their rewards, -1 to 1.
    :param topics: What each is about.
    """

    vectors: np.ndarray
    rewards: np.ndarray
    topics: np.ndarray


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
    popularity = (1 + random.permutation(topics)) ** -random.uniform(0.7, 1.3)
    begin = np.where(random.random(topics) < 0.5, 0, random.uniform(-0.2, 1, topics))
    end = np.where(begin == 0, 1, begin + random.uniform(0.05, 0.4, topics))
    quality = random.beta(3, 1.5, topics)  # how often a result on the topic is right
    chosen = np.empty(length, int)
    for position in range(length):
        alive = (begin <= position / length) & (position / length <= end)
        weights = popularity * alive
        chosen[position] = random.choice(topics, p=weights / weights.sum())
    noise = random.uniform(0.1, 0.35, (length, 1)) * _unit(random.normal(size=(length, DIMENSION)))
    good = random.random(length) < quality[chosen]
    likely = np.where(good[:, None], [0.03, 0.05, 0.12, 0.3, 0.5], [0.45, 0.3, 0.15, 0.06, 0.04])
    rewards = _REWARDS[(random.random((length, 1)) > likely.cumsum(axis=1)).sum(axis=1).clip(0, 4)]
    return Stream(_unit(centres[chosen] + noise).astype(np.float32), rewards, chosen)


def lessons(stream: Stream, horizon: int = 500) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """
    What the gate should have said: at each question's own time, and again when a like one comes.

    :param stream: The stream.
    :param horizon: For how many later questions an episode can be of use.
    :returns: Positions of the episodes, (m,); reward, novelty and recurrence, (m, 3); and the share of episodes that
        turned out to be less useful from then on, ties counting half, (m,): so that 0.3 and 0.7 mean the same whatever
        the scale of usefulness.
    """
    cosines = stream.vectors @ stream.vectors.T
    positions, numbers, targets = [], [], []
    length = len(stream.topics)
    for at in range(length - horizon):
        earlier = cosines[at, :at]
        novelty = 1 - max(earlier.max(initial=0.0), 0.0)
        like = np.flatnonzero(cosines[at] >= SAME_QUESTION)
        before = int((like < at).sum())
        same_before = int(((stream.topics[:at] == stream.topics[at]) & (stream.rewards[:at] > 0)).sum())
        for seen in (0, 1, 3):
            later = like[like > at]
            moment = at if seen == 0 else int(later[seen - 1]) if len(later) >= seen else length
            if moment >= length - horizon:
                break
            future = stream.topics[moment + 1 : moment + 1 + horizon] == stream.topics[at]
            uses = (future * 0.995 ** np.arange(len(future))).sum()
            worth = max(stream.rewards[at], 0.0) + 0.15 * max(-stream.rewards[at], 0.0)
            positions.append(at)
            numbers.append([stream.rewards[at], novelty, before + seen])
            targets.append(uses * worth * _MARGIN[min(same_before, 3)])
    return np.array(positions), np.array(numbers), _shares(np.array(targets))


def _shares(values: np.ndarray) -> np.ndarray:
    ordered = np.sort(values)
    return (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")) / (2 * len(values))


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
