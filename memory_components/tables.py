"""
The memory's tables.

Times are seconds since 1970. `version` is the number of the change that wrote a row last, see `MemoryDatabase.write`:
by it other processes find what they haven't seen yet.
"""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData()

clock = Table(
    "memory_clock",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("value", BigInteger, nullable=False),
)

sessions = Table(
    "memory_sessions",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("user_id", String(256), nullable=False),
    Column("access_groups", JSON, nullable=False),
    Column("query", Text, nullable=False),
    Column("vector", LargeBinary, nullable=True),
    Column("shown", JSON, nullable=False),
    Column("past_sessions", JSON, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("expires_at", Double, nullable=False),
    Index("memory_sessions_expires_at", "expires_at"),
)

episodes = Table(
    "memory_episodes",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("session_id", String(64), nullable=True, unique=True),
    Column("user_id", String(256), nullable=False),
    Column("access_groups", JSON, nullable=False),
    Column("context", Text, nullable=False),
    Column("action", JSON, nullable=False),
    Column("outcome", JSON, nullable=False),
    Column("reward", Float, nullable=False),
    Column("importance", Float, nullable=False),
    Column("novelty", Float, nullable=False),
    Column("recurrence", Integer, nullable=False),
    Column("room", Float, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("consolidated", Boolean, nullable=False),
    Column("compressed", Boolean, nullable=False),
    Column("version", BigInteger, nullable=False),
    Index("memory_episodes_version", "version"),
)

ratings = Table(
    "memory_ratings",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("episode_id", String(64), ForeignKey("memory_episodes.id", ondelete="CASCADE"), nullable=False),
    Column("user_id", String(256), nullable=False),
    # "" is a rating of all that was shown; `weights` says of what, and how much each counts.
    Column("document_id", Text, nullable=False),
    Column("weights", JSON, nullable=False),
    Column("rating", Integer, nullable=False),
    Column("comment", Text, nullable=False),
    Column("rated_at", Double, nullable=False),
    Column("revoked_at", Double, nullable=True),
    Column("version", BigInteger, nullable=False),
    Index("memory_ratings_vote", "episode_id", "user_id", "document_id", unique=True),
    Index("memory_ratings_user", "user_id", "rated_at"),
    Index("memory_ratings_version", "version"),
)

concepts = Table(
    "memory_concepts",
    metadata,
    Column("name", String(256), primary_key=True),
    Column("definition", Text, nullable=False),
    Column("related", JSON, nullable=False),
    Column("aliases", JSON, nullable=False),
    Column("entity_type", String(32), nullable=False),
    Column("confidence", Float, nullable=False),
    Column("origin", String(32), nullable=False),
    Column("access_count", Integer, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    Column("version", BigInteger, nullable=False),
    Index("memory_concepts_version", "version"),
)

associations = Table(
    "memory_associations",
    metadata,
    Column("episode_id", String(64), ForeignKey("memory_episodes.id", ondelete="CASCADE"), primary_key=True),
    Column("concept", String(256), ForeignKey("memory_concepts.name", ondelete="CASCADE"), primary_key=True),
    Column("strength", Float, nullable=False),
)

embeddings = Table(
    "memory_embeddings",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)

deletions = Table(
    "memory_deletions",
    metadata,
    Column("kind", String(16), primary_key=True),
    Column("id", String(256), primary_key=True),
    Column("version", BigInteger, nullable=False),
    Index("memory_deletions_version", "version"),
)

activity = Table(
    "memory_activity",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("at", Double, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("subject", String(256), nullable=False),
    Column("details", JSON, nullable=False),
    Index("memory_activity_subject", "subject"),
)
