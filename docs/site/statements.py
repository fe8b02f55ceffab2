"""Every statement on a page, from its row of verdicts.jsonl: what the source says, how its group decides it, what came out."""

import json
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "plots"))
from report_page import formulas, verdict_notes  # noqa: E402

MARKDOWN = re.compile(r"[\\`*_\[\]|~$]")
WORDINGS = {"printed": "as printed", "reading": "a reading of ours", "ours": "ours"}
SEVERITIES = {
    "misprint": "a misprint",
    "imprecise": "imprecise",
    "wrong-step": "a wrong identification in an argument",
    "wrong-result": "a wrong result",
}


def number(value):
    return f"{value:.4g}" if abs(value) < 1e15 else ("no bound" if value > 0 else "-infinity")


def interval(ends):
    low, high = (number(end) for end in ends)
    return low if low == high else f"{low} to {high}"


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def evidence_table(row):
    lines = ["| on | quantity | observed | claimed | |", "|---|---|---|---|---|"]
    for piece in row["evidence"]:
        lines.append(
            f"| {cell(code(piece['instance']))} | {cell(code(piece['quantity']))} | {interval(piece['observed'])} "
            f"| {cell(code(piece['relation']))} {number(piece['claimed'])} | {piece['trials']} trials |"
        )
    return lines


def code(text):
    """Names and formulas as they are: Markdown reads nothing in them."""
    return f"`{text}`" if text else ""


def in_words(text):
    """A line of words and formulas as HTML in which Markdown reads nothing."""
    return MARKDOWN.sub(lambda sign: f"&#{ord(sign[0])};", str(formulas.html(text)))


def paragraph(markup, kind):
    """A block of HTML, in which Markdown reads nothing."""
    return f'<p class="{kind}">{markup}</p>'.replace("\n", " ")


def outcome(row):
    if row["verdict"] == "refuted":
        how = SEVERITIES.get(row["severity"])
        return "**refuted**" + (f", {how}" if how else "")
    if row["verdict"] != "not-refuted":
        return "**inconclusive**"
    note = verdict_notes.vacuous_note(row)
    return "**not refuted**" + (f" ({note})" if note else "")


def no_near_lie(row):
    """Why no planted lie is near the truth; nothing where one is, or where the statement is itself what is seen to be false."""
    if row["near_mutant"] or row["expected"] == "refuted":
        return ""
    return verdict_notes.why_none_near(row)


def statement(row):
    """The page of one. It is in no list of the margin, which would hold hundreds on every page of the site."""
    lines = ["---", "orphan: true", "---", f"# {row['id']}", "", paragraph(formulas.html(row["title"]), "claim"), ""]
    facts = [f"{outcome(row)}; {WORDINGS[row['wording']]}; {row['source']}"]
    if row["quote"]:
        facts.append(f"quoted: {code(row['quote'])}")
    if row["scope"]:
        facts.append(f"scope: {code(row['scope'])}")
    for name, lies in (("planted lies", row["mutants"]), ("controls", row["controls"])):
        if lies:
            facts.append(f"{name}: " + "; ".join(f"{code(lie['name'])} {lie['verdict']}" for lie in lies))
    if no_near_lie(row):
        facts.append(f"no lie near the truth: {in_words(no_near_lie(row))}")
    facts.append(f"again: {code(row['command'])}; decided in {code(row['place'])}")
    lines += [f"- {fact}" for fact in facts]
    if row["remark"]:
        lines += ["", paragraph(formulas.html(row["remark"]), "remark")]
    lines += [
        "",
        *evidence_table(row),
        "",
        f"Method, and the statements of the same question: [{in_words(row['question'])}]({group(row)}.md)",
    ]
    return "\n".join([*lines, ""])


def group(row):
    """The page of the statements that answer one question: named as the file where they stand."""
    return re.search(r"(\w+)\.cpp", row["place"])[1]


def listed_rows(rows):
    """A table of statements that leads to their pages."""
    lines = ["| | outcome | claim |", "|---|---|---|"]
    return lines + [f"| [{row['id']}]({row['id']}.md) | {outcome(row)} | {in_words(row['title'])} |" for row in rows]


def group_page(rows):
    first = rows[0]
    count = Counter(row["verdict"] for row in rows)
    said = ", ".join(f"{number} {verdict.replace('-', ' ')}" for verdict, number in sorted(count.items()))
    lines = [
        f"# {in_words(first['question'])}",
        "",
        f"{len(rows)} statements on {first['area'].replace('_', ' ')}: {said}.",
        "",
    ]
    how = [first["notes"], f"Method: {first['method']}", f"Power: {first['power']}"]
    told = "\n\n".join(filter(None, how))
    return "\n".join([*lines, *listed_rows(rows), "", "How they are decided:", "", f"```text\n{told}\n```", ""])


def index_page(listed):
    """`listed`: {area: {page: rows}}."""
    every = [row for pages in listed.values() for rows in pages.values() for row in rows]
    lines = [
        "# Statements",
        "",
        f"{len(every)} claims, each with the evidence that decides it, of a run at {every[0]['made_by']['profile']} size.",
        "*Planted lies* are false variants of a claim that the same check must refute; *controls* are true ones, beside a",
        "false claim, that it must let pass.",
        "",
    ]
    for area, pages in listed.items():
        lines += [f"## {area}", "", *listed_rows(row for rows in pages.values() for row in rows)]
        lines += ["", "```{toctree}", ":maxdepth: 1", "", *pages, "```", ""]
    return "\n".join(lines)


def statement_pages(verdicts):
    """{file name: text}, with an index."""
    pages, listed = {}, {}
    for row in map(json.loads, verdicts.read_text(encoding="utf-8").splitlines()):
        if "place" not in row:
            raise SystemExit(f"{verdicts}: {row['id']} has no place; allowed are rows of this version's verify")
        pages[f"{row['id']}.md"] = statement(row)
        listed.setdefault(verdict_notes.area(row), {}).setdefault(group(row), []).append(row)
    for groups in listed.values():
        pages |= {f"{name}.md": group_page(rows) for name, rows in groups.items()}
    return {**pages, "index.md": index_page(listed)}
