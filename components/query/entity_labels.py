"""Which of our entity types the labels of models stand for."""

from components.query.entity import DATE, ORG, PERSON, PRODUCT

# The labels of GiNZA's Extended Named Entity hierarchy, and those of OntoNotes, CoNLL and the like.
_LABELS = {
    PERSON: "Person Per 人名",
    ORG: """
        Org Organization Corporation 法人名 その他の組織名 政治的組織名
        Company Company_Group Corporation_Other Organization_Other Show_Organization Pro_Sports_Organization
        Sports_Organization_Other Sports_League Political_Organization_Other Political_Party Cabinet Military Government
        International_Organization Research_Institute Public_Institution School Railroad
    """,
    PRODUCT: """
        Product Work_Of_Art 製品名
        Product_Other Aircraft Art_Other Book Broadcast_Program Car Clothing Drug Food_Other Game Magazine Movie Music
        Newspaper Printing_Other Ship Show Spaceship Train Vehicle_Other Weapon N_Product
    """,
    DATE: "Date",
}
LABEL_TYPES = {label.lower(): type_ for type_, labels in _LABELS.items() for label in labels.split()}
"""Labels in lower case, without "B-" and "I-", and their types; other labels have none."""


def type_of_label(label: str) -> str:
    """
    The entity type of a model's label.

    >>> type_of_label("Company"), type_of_label("B-PER"), type_of_label("City")
    ('ORG', 'PERSON', '')

    :param label: The label.
    :returns: The type; "" for a label that has none of ours.
    """
    name = label.lower()
    return LABEL_TYPES.get(name[2:] if name.startswith(("b-", "i-")) else name, "")
