"""Entities by a real token classifier of Hugging Face from a folder: tiny, made by hand, never downloaded."""

from pathlib import Path

import pytest
import torch
from haystack import Document
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Split
from transformers import BertConfig, BertForTokenClassification, PreTrainedTokenizerFast

from components.query.entity_recognizer import EntityRecognizer

LABELS = ["O", "B-PER", "I-PER", "B-CITY"]
CHARACTERS = {"山": 1, "川": 2, "町": 3}
WORDS = ["[PAD]", "[UNK]", *CHARACTERS]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that labels each character by itself: its embedding alone decides."""
    folder = tmp_path_factory.mktemp("classifier")
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = Split("", "isolated")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]").save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        id2label=dict(enumerate(LABELS)),
        label2id={label: number for number, label in enumerate(LABELS)},
    )
    classifier = BertForTokenClassification(config)
    with torch.no_grad():
        for parameter in classifier.bert.encoder.parameters():
            parameter.zero_()
        for layer in classifier.bert.encoder.layer:
            layer.attention.output.LayerNorm.weight.fill_(1)
            layer.output.LayerNorm.weight.fill_(1)
        embeddings = classifier.bert.embeddings
        for table in (embeddings.word_embeddings, embeddings.position_embeddings, embeddings.token_type_embeddings):
            table.weight.zero_()
        for number, word in enumerate(WORDS):
            embeddings.word_embeddings.weight[number, CHARACTERS.get(word, 0)] = 10
        classifier.classifier.weight.zero_()
        classifier.classifier.bias.zero_()
        for label in range(len(LABELS)):
            classifier.classifier.weight[label, label] = 10
    classifier.save_pretrained(folder)
    return folder


def test_labels_become_types(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    recognizer = EntityRecognizer(model=str(model))

    chunks = [Document(id="a", content="x山川"), Document(id="b", content="町xxxxxxx川", meta={"title": "町"})]
    answer = recognizer.run(query="x山川x町", documents=chunks)

    assert answer["degraded"] == []
    (entity,) = answer["entities"]
    assert (entity["text"], entity["type"], entity["start"], entity["end"]) == ("山川", "PERSON", 1, 3)
    assert entity["score"] > 0.9
    assert answer["documents"][0].meta["entities"][0] == "PERSON:山川"
    assert "PERSON:川" in answer["documents"][1].meta["entities"]
    assert recognizer.health()["ready"]
