"""Where in the code is a statement, and what does its file say about method and power?

Read from the sources beside plots/, of a checkout or of an installation; without them every place is unknown. Ids stand
there as `.id = "S002-L9"`, once each; heads of files have paragraphs `Method:` and `Power:`.
"""

import re
from pathlib import Path
from typing import NamedTuple

STATEMENTS = Path("proofs_check") / "statements"
ID = re.compile(r'\.id = "([^"]+)"')
# A paragraph of the head, up to the next one, an empty comment line or the end of the comment.
PARAGRAPH = r"^// {name}:((?:.*\n)(?://(?! *$| [A-Z][a-z]+:).*\n)*)"
FORMULA = re.compile(r"(?:tau|theta|delta|eps|epsilon|rho|sigma|gamma|pi|xi)\b")
AREAS = {
    "bias": "Bias", "bucket_attention": "Bucket Attention", "finite_tables": "Finite tables", "hashing": "Hashing",
    "lsh_attention": "LSH attention", "ranking": "Ranking", "sampling": "Sampling", "selection": "Selection",
    "sharp_bounds": "Our bounds on sampling, bias, selection", "snr": "Signal and noise",
    "soft_scores": "Soft scores", "table_bounds": "Our bounds on finite tables",
    "whole_theorem": "The whole theorem and printed numbers",
}  # fmt: skip


class Place(NamedTuple):
    """Of a statement; empty texts where the sources are not there."""

    area: str = "Statements"
    file: str = ""
    line: int = 0
    method: str = ""
    power: str = ""

    @property
    def text(self):
        return f"{self.file}:{self.line}" if self.file else ""


def paragraph(name, text):
    found = re.search(PARAGRAPH.format(name=name), text, re.MULTILINE)
    if not found:
        return ""
    text = " ".join(line.removeprefix("//").strip() for line in found[1].splitlines()).strip()
    # A sentence starts with a capital letter; a formula stays as it is.
    is_sentence = re.match(r"a [a-z]{2}|[a-z]{2,}\b(?!_)", text) and not FORMULA.match(text)
    return text[:1].upper() + text[1:] if is_sentence else text


def area_named(folder):
    return AREAS.get(folder, folder.replace("_", " ").capitalize())


def read_places(root):
    """id -> Place, of every statement below root/proofs_check/statements; {} without that folder."""
    places = {}
    for path in sorted((Path(root) / STATEMENTS).rglob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        method, power = paragraph("Method", text), paragraph("Power", text)
        for found in ID.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            file = path.relative_to(root).as_posix()
            places[found[1]] = Place(area_named(path.parent.name), file, line, method, power)
    return places
