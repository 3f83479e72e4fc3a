"""What a rating can change at all."""

import numpy as np


def room_of(ranks: np.ndarray | float) -> np.ndarray:
    """
    What one place up would be worth to the rated document in nDCG, as a share of what it is worth at the second place.

    A five-star rating of what is first already changes nothing.

    >>> [round(float(room_of(rank)), 3) for rank in (1, 2, 3, 10)]
    [0.0, 1.0, 0.355, 0.032]

    :param ranks: Places, from 1.
    :returns: 0 to 1.
    """
    ranks = np.maximum(np.asarray(ranks, float), 1.0)
    gain = 1 / np.log2(np.maximum(ranks, 2.0)) - 1 / np.log2(ranks + 1)
    return np.where(ranks < 2, 0.0, gain / (1 - 1 / np.log2(3)))
