"""Finds entities by rules, the domain's vocabulary and the dictionary's names, and settles overlaps with a model's."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from components.analysis.folding import Folded, fold
from components.analysis.identifiers import find_identifiers, with_right_marks
from components.analysis.japanese import JapaneseTokenizer
from components.query.domain_terms import DomainTerms
from components.query.entity import DATE, IDENTIFIERS, ORG, PERSON, PRODUCT, Entity, normalized_value
from components.query.entity_dates import find_dates, find_relative_dates
from components.query.entity_models import ModelSpan
from components.query.entity_rules import EntityRules
from components.query.japanese_names import Name, Word, find_companies, find_persons, read_words

RULE, VOCABULARY, NAME, MODEL = "rule", "vocabulary", "name", "model"
_ALONE, _AGREED = 0.7, 0.9  # scores of the dictionary's names without and with the model


class EntityFinder:
    """
    Finds entities without a model, and joins them with a model's.

    Usage example:

    ```python
    finder = EntityFinder(EntityRules.read(Path("config/entities.yaml")))
    finder.find("ＥＶ－２０２４－００１の進捗")[0].value  # "EV-2024-001"
    ```

    :param rules: The rules.
    :param terms: The domain's vocabulary.
    """

    def __init__(self, rules: EntityRules, terms: DomainTerms | None = None):
        self._rules = rules
        self._terms = terms
        self._tokenizer = JapaneseTokenizer("C")

    def find(self, text: str, today: date | None = None, spans: Sequence[ModelSpan] = ()) -> tuple[Entity, ...]:
        """
        Find entities.

        :param text: A text.
        :param today: The day that relative dates are told from; None leaves them out.
        :param spans: What a model found in the text.
        :returns: Entities that don't overlap, in order.
        """
        folded = with_right_marks(fold(text))
        words = read_words(self._tokenizer, folded, text)
        entities = [*self._by_rules(text, folded, words, today), *self._by_vocabulary(text, folded, words)]
        names = self._by_dictionary(text, folded, words)
        entities += _beside_model(names, spans)
        entities += [_by_model(text, s) for s in spans if s.type]
        kept = without_overlaps(entity for entity in entities if entity.value)
        return tuple(self._canonical(entity) for entity in kept)

    def _by_rules(self, text: str, folded: Folded, words: Sequence[Word], today: date | None) -> list[Entity]:
        found = [
            _entity(text, folded, type_, start, end, normalized_value(type_, folded.text[start:end]))
            for type_, start, end in self._rules.find(folded.text)
        ]
        dates = find_dates(folded.text)
        if today is not None:
            dates += [d for d in find_relative_dates(folded.text, today) if _is_whole(words, d[0], d[1])]
        return found + [_entity(text, folded, DATE, start, end, value) for start, end, value in dates]

    def _by_vocabulary(self, text: str, folded: Folded, words: Sequence[Word]) -> list[Entity]:
        named = self._terms.find(text) if self._terms else []
        if not named:
            return []
        edges = [folded.original(word.start, word.end) for word in words]
        starts, ends = {start for start, _ in edges}, {end for _, end in edges}
        # EV-2024-001 isn't named by EV-2024-001-7.
        longer = [(i.start, i.end) for i in find_identifiers(folded)]
        named = [
            n for n in named if not any(a < n.end and n.start < b and (a < n.start or n.end < b) for a, b in longer)
        ]
        return [
            Entity(
                *(text[start:end], term.type, start, end),
                *(normalized_value(term.type, term.name), term.confidence, VOCABULARY),
            )
            for term, start, end in named
            if term.type and start in starts and end in ends
        ]

    def _by_dictionary(self, text: str, folded: Folded, words: Sequence[Word]) -> list[Entity]:
        def entity(type_: str, name: Name) -> Entity:
            value = normalized_value(type_, folded.text[name.start : name.end])
            family = normalized_value(type_, folded.text[name.start : name.family_end]) if name.family_end else ""
            found = _entity(text, folded, type_, name.start, name.end, value)
            return replace(found, score=_ALONE, source=NAME, family_name=family)

        persons = [entity(PERSON, name) for name in find_persons(words, self._rules.honorifics)]
        return persons + [entity(ORG, name) for name in find_companies(words, self._rules)]

    def _canonical(self, entity: Entity) -> Entity:
        value = self._terms.canonical(entity.type, entity.value) if self._terms else entity.value
        return entity if value == entity.value else replace(entity, value=value)


def without_overlaps(entities: Iterable[Entity]) -> list[Entity]:
    """
    Keep those that count most: identifiers, then vocabulary and other rules, then the dictionary's names, then the
    model's; among those alike the longest.

    :param entities: Entities in any order.
    :returns: Entities that don't overlap, in the order of the text.
    """
    kept: list[Entity] = []
    for entity in sorted(entities, key=_precedence):
        if all(entity.end <= other.start or other.end <= entity.start for other in kept):
            kept.append(entity)
    return sorted(kept, key=lambda entity: entity.start)


def _precedence(entity: Entity) -> tuple[int, int, bool, int]:
    if entity.type in IDENTIFIERS and entity.source == RULE:
        rank = 0
    else:
        rank = {RULE: 1, VOCABULARY: 1, NAME: 2, MODEL: 3}[entity.source]
    return rank, entity.start - entity.end, entity.source != VOCABULARY, entity.start


def _beside_model(names: Sequence[Entity], spans: Sequence[ModelSpan]) -> list[Entity]:
    """The dictionary's names that are no part of something else (田中 of 田中商事), surer where the model agrees."""
    found = []
    for name in names:
        around = [span for span in spans if span.start < name.end and name.start < span.end]
        inside = any(
            span.type in (ORG, PRODUCT)
            and span.start <= name.start
            and name.end <= span.end
            and span.end - span.start > name.end - name.start
            for span in around
        )
        if name.type == PERSON and inside:
            continue
        agreed = any(span.type == name.type for span in around)
        found.append(replace(name, score=_AGREED) if agreed else name)
    return found


def _by_model(text: str, span: ModelSpan) -> Entity:
    """A model's dates are those that no rule reads (夏, 年末): they have no ISO form."""
    name = text[span.start : span.end]
    return Entity(name, span.type, span.start, span.end, normalized_value(span.type, name), span.score, MODEL)


def _entity(text: str, folded: Folded, type_: str, start: int, end: int, value: str) -> Entity:
    first, last = folded.original(start, end)
    return Entity(text[first:last], type_, first, last, value)


def _is_whole(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether whole words stand there: 明日 in 明日香 is no date."""
    return any(word.start == start for word in words) and any(word.end == end for word in words)
