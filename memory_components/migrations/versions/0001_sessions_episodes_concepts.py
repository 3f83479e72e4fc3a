"""Sessions, ratings, episodes, concepts and the log of what memory did."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "memory_clock",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "memory_sessions",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("user_id", sa.String(256), nullable=False),
        sa.Column("access_groups", sa.JSON, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=True),
        sa.Column("shown", sa.JSON, nullable=False),
        sa.Column("past_sessions", sa.JSON, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double, nullable=False),
    )
    op.create_index("memory_sessions_expires_at", "memory_sessions", ["expires_at"])
    op.create_table(
        "memory_episodes",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("session_id", sa.String(64), nullable=True, unique=True),
        sa.Column("user_id", sa.String(256), nullable=False),
        sa.Column("access_groups", sa.JSON, nullable=False),
        sa.Column("context", sa.Text, nullable=False),
        sa.Column("action", sa.JSON, nullable=False),
        sa.Column("outcome", sa.JSON, nullable=False),
        sa.Column("reward", sa.Float, nullable=False),
        sa.Column("importance", sa.Float, nullable=False),
        sa.Column("novelty", sa.Float, nullable=False),
        sa.Column("recurrence", sa.Integer, nullable=False),
        sa.Column("room", sa.Float, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("consolidated", sa.Boolean, nullable=False),
        sa.Column("compressed", sa.Boolean, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
    )
    op.create_index("memory_episodes_version", "memory_episodes", ["version"])
    op.create_table(
        "memory_ratings",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("episode_id", sa.String(64), sa.ForeignKey("memory_episodes.id", ondelete="CASCADE"), nullable=False),
        sa.Column("user_id", sa.String(256), nullable=False),
        sa.Column("document_id", sa.Text, nullable=False),
        sa.Column("weights", sa.JSON, nullable=False),
        sa.Column("rating", sa.Integer, nullable=False),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("rated_at", sa.Double, nullable=False),
        sa.Column("revoked_at", sa.Double, nullable=True),
        sa.Column("version", sa.BigInteger, nullable=False),
    )
    op.create_index("memory_ratings_vote", "memory_ratings", ["episode_id", "user_id", "document_id"], unique=True)
    op.create_index("memory_ratings_user", "memory_ratings", ["user_id", "rated_at"])
    op.create_index("memory_ratings_version", "memory_ratings", ["version"])
    op.create_table(
        "memory_concepts",
        sa.Column("name", sa.String(256), primary_key=True),
        sa.Column("definition", sa.Text, nullable=False),
        sa.Column("related", sa.JSON, nullable=False),
        sa.Column("aliases", sa.JSON, nullable=False),
        sa.Column("entity_type", sa.String(32), nullable=False),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("origin", sa.String(32), nullable=False),
        sa.Column("access_count", sa.Integer, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
    )
    op.create_index("memory_concepts_version", "memory_concepts", ["version"])
    op.create_table(
        "memory_associations",
        sa.Column(
            "episode_id", sa.String(64), sa.ForeignKey("memory_episodes.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column(
            "concept", sa.String(256), sa.ForeignKey("memory_concepts.name", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("strength", sa.Float, nullable=False),
    )
    op.create_table(
        "memory_embeddings",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("vector", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "memory_deletions",
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("id", sa.String(256), primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
    )
    op.create_index("memory_deletions_version", "memory_deletions", ["version"])
    op.create_table(
        "memory_activity",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("subject", sa.String(256), nullable=False),
        sa.Column("details", sa.JSON, nullable=False),
    )
    op.create_index("memory_activity_subject", "memory_activity", ["subject"])


def downgrade() -> None:
    for name in (
        "activity", "deletions", "embeddings", "associations", "concepts", "ratings", "episodes", "sessions", "clock",
    ):  # fmt: skip
        op.drop_table(f"memory_{name}")
