"""What the routes of the memory take."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

Name = Annotated[str, Field(max_length=256)]
Text = Annotated[str, Field(min_length=1, max_length=10_000)]
TopK = Annotated[int, Field(ge=1, le=100)]
Names = Annotated[list[Name], Field(max_length=100)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    @field_validator("*")
    @classmethod
    def _storable(cls, value: Any) -> Any:
        """Half of a surrogate pair and the zero character, which JSON can carry, are no text that can be stored."""
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                text.encode()
                if "\0" in text:
                    raise ValueError("it holds a zero character")
        return value


class FeedbackRequest(_Strict):
    """A rating."""

    session_id: Annotated[str, Field(min_length=1, max_length=64, description="The `session_id` of the answer.")]
    rating: Annotated[int, Field(ge=1, le=5, description="1 (bad) to 5 (good); 3 changes nothing.")]
    query: Annotated[str, Field(max_length=10_000, description="Not needed: the session knows it.")] = ""
    doc_id: Annotated[str | None, Field(max_length=1000, description="Which result; without it, all of them.")] = None
    comment: Annotated[str, Field(max_length=10_000)] = ""
    user_id: Annotated[Name, Field(description="Who rates; without it, who searched.")] = ""


class ExperienceRequest(_Strict):
    """An episode to keep."""

    context: Text
    action: dict[str, Any] = Field(default_factory=dict)
    outcome: dict[str, Any] = Field(default_factory=dict)
    reward: Annotated[float, Field(ge=-1, le=1)] = 0.0
    importance: Annotated[float | None, Field(ge=0.05, le=1)] = None
    user_id: Name = ""
    groups: Names = Field(default_factory=list)


class ConceptRequest(_Strict):
    """A concept to keep."""

    concept: Annotated[str, Field(min_length=1, max_length=256)]
    definition: Text
    related_concepts: Names = Field(default_factory=list)
    aliases: Names = Field(default_factory=list)
    entity_type: Annotated[str, Field(pattern="^(PROJECT_ID|PRODUCT|PERSON|ORG|DATE|)$")] = ""
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0


class RetrieveRequest(_Strict):
    """A question to the memory."""

    query: Text
    top_k: TopK = 5


class AssociateRequest(_Strict):
    """Which episodes and concepts to tie: those of a question, or one of each."""

    query_context: Annotated[str | None, Field(min_length=1, max_length=10_000)] = None
    top_k: TopK = 5
    episode_id: str | None = None
    concept: str | None = None
    strength: Annotated[float, Field(ge=0, le=1)] = 1.0


class EpisodeCorrection(_Strict):
    """What may be put right in an episode."""

    importance: Annotated[float | None, Field(ge=0.05, le=1)] = None
    outcome: dict[str, Any] | None = None


class RevokeRequest(_Strict):
    """Whose ratings are taken back."""

    user_id: Name
    since: Annotated[float, Field(ge=0, description="Seconds since 1970; 0 for all.")] = 0.0


class ForgetRequest(_Strict):
    """Whether to forget or to tell what would go."""

    dry_run: bool = True
