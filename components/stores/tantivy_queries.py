"""Searches of the keyword store as Tantivy queries."""

from collections.abc import Iterable, Sequence

from tantivy import Occur, Query

from components.stores.filters import Condition
from components.stores.tantivy_filters import TantivyFilterBuilder
from components.stores.tantivy_index import Snapshot
from components.stores.tantivy_records import FILTER_FIELD, ID_FIELD
from components.stores.term_clause import Phrase, TermClause, added_weights, check_phrase, check_text_field


def search_query(snapshot: Snapshot, clauses: Iterable[TermClause], phrases: Sequence[Phrase] = ()) -> Query | None:
    """
    Documents with at least one of the terms, or with all phrases when there are some.

    :param snapshot: The index.
    :param clauses: The terms, which make the score; the weights of a repeated one add up.
    :param phrases: (text field, tokens in a row); they make the score only when there are no terms.
    :returns: The query, or None when nothing is asked for.
    :raises ValueError: If a text field isn't in the index, or a phrase is empty.
    """
    terms = _term_queries(snapshot, clauses)
    exact = [_phrase_query(snapshot, field, tokens) for field, tokens in phrases]
    if not terms and not exact:
        return None
    if not exact:
        return Query.boolean_query([(Occur.Should, term) for term in terms])
    if not terms:
        return Query.boolean_query([(Occur.Must, phrase) for phrase in exact])
    required = [(Occur.Must, Query.const_score_query(phrase, 0.0)) for phrase in exact]
    return Query.boolean_query([*required, *((Occur.Should, term) for term in terms)])


def restricted(query: Query, restriction: Query) -> Query:
    """
    A query for fewer documents with the same scores.

    :param query: The query.
    :param restriction: What documents must match as well.
    :returns: Both.
    """
    return Query.boolean_query([(Occur.Must, query), (Occur.Must, Query.const_score_query(restriction, 0.0))])


def scored(documents: Query, query: Query) -> Query:
    """
    A query for documents that were chosen before, which needn't match what they are scored by.

    A fifth faster than `restricted`, since it looks at these documents alone.

    :param documents: Which documents.
    :param query: What they are scored by; 0 for those that it doesn't match.
    :returns: Both.
    """
    return Query.boolean_query([(Occur.Must, Query.const_score_query(documents, 0.0)), (Occur.Should, query)])


def filter_query(snapshot: Snapshot, condition: Condition | None) -> Query:
    """
    The documents that match a filter.

    :param snapshot: The index.
    :param condition: The parsed filter; None for all documents.
    :returns: The query.
    """
    if condition is None:
        return Query.all_query()
    return TantivyFilterBuilder(snapshot.schema, ID_FIELD, FILTER_FIELD).build(condition)


def id_query(snapshot: Snapshot, ids: Iterable[str]) -> Query:
    """
    The documents with some ids.

    :param snapshot: The index.
    :param ids: The ids.
    :returns: The query.
    """
    queries = [Query.term_query(snapshot.schema, ID_FIELD, document_id, "basic") for document_id in ids]
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def _term_queries(snapshot: Snapshot, clauses: Iterable[TermClause]) -> list[Query]:
    weights = added_weights(clauses)
    for field in {field for field, _ in weights}:
        check_text_field(field, snapshot.text_fields)
    return [
        Query.boost_query(Query.term_query(snapshot.schema, field, term, "freq"), weight)
        for (field, term), weight in weights.items()
    ]


def _phrase_query(snapshot: Snapshot, field: str, tokens: list[str]) -> Query:
    check_phrase((field, tokens), snapshot.text_fields)
    if len(tokens) == 1:
        return Query.term_query(snapshot.schema, field, tokens[0], "freq")
    return Query.phrase_query(snapshot.schema, field, list(tokens))
