"""Run by Alembic: applies the steps on the connection that `database.migrate` opened, inside its transaction."""

from alembic import context

from memory_components.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table="memory_revision",
)
with context.begin_transaction():
    context.run_migrations()
