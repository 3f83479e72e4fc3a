"""The reranker with a real cross-encoder of sentence-transformers from a folder: tiny, untrained, never downloaded."""

from pathlib import Path

import pytest
import torch
from haystack import Document, Pipeline
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

from components.retrieval.ranking import Results

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "claim", "drawing", "written", "description", "fee", "petition", "filing"]
RESULTS = Results(
    (
        Document(id="exact", content="fee", meta={"tier": 0, "scores": {}}),
        *(
            Document(id=str(number), content=f"{first} {second}", meta={"tier": 2, "scores": {"rrf_score": 0.1}})
            for number, (first, second) in enumerate(
                [("claim", "drawing"), ("written", "description"), ("fee", "petition")]
            )
        ),
    )
)
YAML = """
components:
  reranker:
    type: components.retrieval.reranker.Reranker
    init_parameters:
      timeout: 60.0
      ranker:
        type: haystack_integrations.components.rankers.sentence_transformers.SentenceTransformersSimilarityRanker
        init_parameters: {model: "%s", top_k: 1, device: {type: single, device: cpu}}
connections: []
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cross-encoder")
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(folder)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
        initializer_range=1.0,
        num_labels=1,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.fixture(autouse=True)
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def test_a_local_cross_encoder_reorders(model: Path) -> None:
    pipeline = Pipeline.loads(YAML % model)
    pipeline.warm_up()
    result = pipeline.run({"reranker": {"query": "written description", "results": RESULTS}})["reranker"]
    assert result["degraded"] == []
    first, *others = result["results"].documents
    assert (first.id, first.meta["scores"]) == ("exact", {})
    scores = [document.meta["scores"]["rerank_score"] for document in others]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert 0 <= scores[-1] < scores[0] <= 1


def test_a_model_that_is_not_there_degrades(tmp_path: Path) -> None:
    pipeline = Pipeline.loads(YAML % (tmp_path / "nothing"))
    pipeline.warm_up()
    result = pipeline.run({"reranker": {"query": "written description", "results": RESULTS}})["reranker"]
    assert result == {"results": RESULTS, "degraded": ["reranker"]}
