"""
Chunks of invented text, as many as are wanted, that weigh on an index as real ones do.

Sizes follow what the manual of patent examining shows: 114 words a chunk and six chunks a record (half of the records
have three or fewer), 1,100 bytes of metadata. The most frequent word is 7 % of the text, frequencies fall with rank
** -1.1, words of a record's topic come again in it, and half of the text is phrases that come elsewhere, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from haystack import Document

from components.analysis.english import STOP_WORDS, index_stem

_SYLLABLES = (
    "ba con de ex fi gra ha in jo ka lim mo na per qui re sub ta un ver wi za pro tri sol mar den cor".split()  # noqa: SIM905
)
_ENDINGS = ("", "", "", "s", "ed", "ing", "tion", "ly", "ment", "able", "er", "al")

_WORDS, _EXPONENT, _SHIFT = 250_000, 1.1, 1.0
_STOP_SHARE = 0.39  # of all words
_PHRASES, _PHRASE_WORDS, _PHRASE_SHARE = 40_000, 3, 0.2
_TOPIC_WORDS, _TOPIC_SHARE = 60, 0.25
_CHUNK_WORDS, _CHUNK_SPREAD, _FEWEST_WORDS, _MOST_WORDS = 117, 38, 20, 186
_MEDIAN_CHUNKS, _RECORD_SPREAD, _MOST_CHUNKS = 2.6, 1.25, 200
_TITLE_WORDS = 8


@dataclass(frozen=True)
class SyntheticBatch:
    """
    Some records with all their chunks.

    :param chunks: The chunks.
    :param records: The records.
    """

    chunks: list[Document]
    records: list[Document]


class SyntheticChunks:
    """
    Makes chunks, the same ones for the same seed.

    Usage example:
    ```python
    SyntheticChunks().batch(0).chunks[0].meta["index"]["words"]
    ```

    :param records: How many records a batch has.
    :param seed: What everything is drawn from.
    """

    def __init__(self, records: int = 130, seed: int = 20):
        self._records = records
        self._seed = seed
        draw = np.random.default_rng(seed)
        words = _vocabulary(draw)
        self._words = np.array(words, dtype=object)
        # "" for what has no stem, so that one look-up tells both
        self._stems = np.array(["" if word in STOP_WORDS else index_stem(word) for word in words], dtype=object)
        self._cumulated = _cumulated_shares(_WORDS)
        self._stop_cumulated = _cumulated_shares(len(STOP_WORDS))
        self._phrase_cumulated = _cumulated_shares(_PHRASES)
        self._phrases = self._ranks(draw, _PHRASES * _PHRASE_WORDS).reshape(_PHRASES, _PHRASE_WORDS)

    def batch(self, number: int) -> SyntheticBatch:
        """
        Some records.

        :param number: Which ones.
        :returns: The records and their chunks, with the tokens that the English normaliser would make.
        """
        draw = np.random.default_rng((self._seed, number))
        sizes = draw.lognormal(np.log(_MEDIAN_CHUNKS), _RECORD_SPREAD, self._records).clip(1, _MOST_CHUNKS).astype(int)
        chunks, records = [], []
        for place, size in enumerate(sizes):
            made, record = self._record(draw, f"SYN-{number}.{place}", int(size))
            chunks += made
            records.append(record)
        return SyntheticBatch(chunks, records)

    def questions(self, count: int) -> list[str]:
        """
        Questions of one stop word and four words of a record's topic.

        :param count: How many.
        :returns: The questions.
        """
        draw = np.random.default_rng((self._seed, count, 1))
        return [" ".join(["under", *self._words[self._topic(draw)[:4]]]) for _ in range(count)]

    def _record(self, draw: np.random.Generator, name: str, size: int) -> tuple[list[Document], Document]:
        topic = self._topic(draw)
        title, title_stems = self._tokens(topic[:_TITLE_WORDS])
        meta = _meta(draw, name, title.capitalize())
        titles = {"title": title, "title_stems": " ".join(title_stems)}
        lengths = draw.normal(_CHUNK_WORDS, _CHUNK_SPREAD, size).clip(_FEWEST_WORDS, _MOST_WORDS).astype(int)
        chunks, texts, stems = [], [], []
        for ordinal, length in enumerate(lengths):
            words, own_stems = self._tokens(self._text(draw, topic, int(length)))
            pairs = " ".join(map("_".join, zip(title_stems + own_stems, title_stems[1:] + own_stems, strict=False)))
            index = {"words": words, "stems": " ".join(own_stems), "phrase": pairs, **titles}
            own = {**meta, "ordinal": ordinal, "page": ordinal, "order": int(draw.integers(2**60)), "index": index}
            chunks.append(Document(id=f"{name}#{ordinal}", content=f"{words.capitalize()}.", meta=own))
            texts.append(words)
            stems += own_stems
        index = {"words": " ".join(texts), "stems": " ".join(stems), **titles}
        record = Document(id=name, content="\n".join(texts), meta={**meta, "order": 0, "index": index})
        return chunks, record

    def _text(self, draw: np.random.Generator, topic: np.ndarray, length: int) -> np.ndarray:
        ranks = self._ranks(draw, length)
        on_topic = np.flatnonzero(draw.random(length) < _TOPIC_SHARE)
        ranks[on_topic] = topic[(len(topic) * draw.random(len(on_topic)) ** 2).astype(int)]
        starts = np.flatnonzero(draw.random(length - _PHRASE_WORDS) < _PHRASE_SHARE)
        chosen = np.searchsorted(self._phrase_cumulated, draw.random(len(starts)))
        for offset in range(_PHRASE_WORDS):
            ranks[starts + offset] = self._phrases[chosen, offset]
        return ranks

    def _tokens(self, ranks: np.ndarray) -> tuple[str, list[str]]:
        """Words, joined, and stems."""
        return " ".join(self._words[ranks].tolist()), [stem for stem in self._stems[ranks].tolist() if stem]

    def _topic(self, draw: np.random.Generator) -> np.ndarray:
        return len(STOP_WORDS) + np.searchsorted(self._cumulated, draw.random(_TOPIC_WORDS))

    def _ranks(self, draw: np.random.Generator, count: int) -> np.ndarray:
        """Places of words in the vocabulary, whose first are the stop words."""
        ranks = len(STOP_WORDS) + np.searchsorted(self._cumulated, draw.random(count))
        is_stop = np.flatnonzero(draw.random(count) < _STOP_SHARE)
        ranks[is_stop] = np.searchsorted(self._stop_cumulated, draw.random(len(is_stop)))
        return ranks


def synthetic_vectors(count: int, dimension: int, seed: int = 20) -> np.ndarray:
    """
    Unit vectors around some hundred centres, as passages of one field lie.

    :param count: How many.
    :param dimension: How long.
    :param seed: What they are drawn from.
    :returns: (count, dimension), float32.
    """
    draw = np.random.default_rng(seed)
    centres = draw.standard_normal((300, dimension), np.float32)
    vectors = centres[draw.integers(0, len(centres), count)] + draw.standard_normal((count, dimension), np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _meta(draw: np.random.Generator, name: str, title: str) -> dict[str, Any]:
    """The fields that a chunk of the manual has."""
    chapter = f"{100 * int(draw.integers(1, 30)):04d}"
    cites = [f"usc:35:{law}" for law in draw.integers(100, 390, int(draw.integers(0, 4)))]
    path = ["SYN", f"Chapter {chapter}", f"{name} {title}"]
    return {
        "source_id": name, "variant": "", "chapter": chapter, "revision": "R-01.2026", "effective": [],
        "edition": f"2026-{draw.integers(1, 13):02d}", "pre_aia": False, "file": f"{name}.html",
        "url": f"https://documents.example/{name}.html", "origin": f"archive.tar.xz!{name}.html",
        "is_statute": False, "is_regulation": False, "is_update": False, "language": "en", "source": "SYN",
        "section": name, "number_label": f"SYN {name}", "breadcrumb": path, "title": title, "precedence": 30,
        "has_text": True, "kind_of_source": "html", "corpus_version": "0123456789ab", "kind": "text", "headings": [],
        "anchor": "", "label": "", "labels": [], "heading_path": " > ".join(path), "cites": cites,
        "self_ids": [f"syn:{name}"], "within": [f"syn:{name.partition('.')[0]}", f"syn:{name}", f"chapter:{chapter}"],
        "has_statute": bool(cites), "has_mpep_ref": False, "has_rule_ref": False,
    }  # fmt: skip


def _cumulated_shares(count: int) -> np.ndarray:
    """Cumulated shares of ranks."""
    cumulated = np.cumsum((np.arange(1, count + 1) + _SHIFT) ** -_EXPONENT)
    return cumulated / cumulated[-1]


def _vocabulary(draw: np.random.Generator) -> Sequence[str]:
    """The stop words, then words of two to five syllables, shorter ones first as in any language."""
    words = dict.fromkeys(sorted(STOP_WORDS))
    wanted = len(words) + _WORDS
    syllables = draw.integers(0, len(_SYLLABLES), (2 * _WORDS, 5)).tolist()
    endings = draw.integers(0, len(_ENDINGS), 2 * _WORDS).tolist()
    for parts, ending in zip(syllables, endings, strict=True):
        length = 2 + (len(words) > 3000) + (len(words) > 100_000)
        words["".join(_SYLLABLES[part] for part in parts[:length]) + _ENDINGS[ending]] = None
        if len(words) == wanted:
            break
    return list(words)
