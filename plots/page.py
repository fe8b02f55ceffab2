"""The shell of report.html: one self-contained page with styles, sortable tables and embedded figures."""

import base64
from html import escape
from pathlib import Path

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 75rem; padding: 1rem; color: #1a1a1a; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.2rem; } h3 { font-size: 1.05rem; }
nav ul { columns: 2; padding-left: 1.2rem; } @media (max-width: 40rem) { nav ul { columns: 1; } }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; width: 100%; }
th, td { border-bottom: 1px solid #ddd; padding: 0.3rem 0.5rem; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th { border-bottom: 2px solid #888; }
th button { all: unset; cursor: pointer; font-weight: 600; } th button:focus-visible { outline: 2px solid #0072B2; }
th[aria-sort=ascending] button::after { content: " \\25B2"; } th[aria-sort=descending] button::after { content: " \\25BC"; }
.good, .bad, .open { white-space: nowrap; } .good { color: #00664a; font-weight: 600; } .bad { color: #b00020; font-weight: 600; } .open { color: #6b4e00; }
figure { margin: 1rem 0; } figure img { width: 100%; max-width: 36rem; height: auto; }
figcaption { max-width: 44rem; } .small { font-size: 0.85rem; color: #555; } code { overflow-wrap: anywhere; }
details { font-size: 0.85rem; } summary { cursor: pointer; padding: 0.3rem 0; }
article { border-left: 3px solid #b00020; margin: 1rem 0; padding: 0 0.8rem; } article h3 { margin: 0.2rem 0; }
article p { margin: 0.25rem 0; overflow-wrap: anywhere; }
"""

SORT = """
document.querySelectorAll('th button').forEach(function (button) {
  button.addEventListener('click', function () {
    var th = button.parentElement, table = th.closest('table'), body = table.tBodies[0];
    var column = th.cellIndex, up = th.getAttribute('aria-sort') !== 'ascending';
    table.querySelectorAll('th').forEach(function (other) { other.removeAttribute('aria-sort'); });
    th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    function key(row) { var cell = row.cells[column]; return cell.dataset.sort || cell.textContent.trim(); }
    Array.from(body.rows).sort(function (a, b) {
      var x = key(a), y = key(b), difference = parseFloat(x) - parseFloat(y);
      var order = isNaN(difference) ? x.localeCompare(y) : difference;
      return up ? order : -order;
    }).forEach(function (row) { body.appendChild(row); });
  });
});
"""


class Html(str):
    """Text that is already HTML; everything else is escaped."""


def html(text):
    return text if isinstance(text, Html) else escape(str(text))


def short(x, digits=4):
    """A number as a reader wants it."""
    return "" if x is None or x != x else f"{x:.{digits}g}"


def interval(low, high):
    return f"[{short(low)}, {short(high)}]"


class Number:
    """A right-aligned cell that sorts by its full value."""

    def __init__(self, value, digits=4):
        self.value, self.text = value, short(value, digits)


def cell(value):
    if isinstance(value, Number):
        # What is not known comes before every number.
        key = "-Infinity" if value.text == "" else repr(value.value)
        return f'<td class="number" data-sort="{key}">{value.text}</td>'
    return f"<td>{html(value)}</td>"


def table(columns, rows):
    head = "".join(f"<th><button type=button>{html(column)}</button></th>" for column in columns)
    body = "\n".join("<tr>" + "".join(cell(value) for value in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def folded(summary, content):
    return f"<details><summary>{html(summary)}</summary>{content}</details>"


def made_by(facts):
    return Html(
        f"Made by <code>{html(facts.get('command', 'unknown'))}</code>, seed {html(facts.get('seed', 'unknown'))}."
    )


def figure(svg_path, alt, paragraph, facts):
    """facts: those of provenance.json, for the command and the seed under the figure."""
    data = base64.b64encode(Path(svg_path).read_bytes()).decode("ascii")
    return (
        f'<figure><img alt="{escape(alt, quote=True)}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption><p>{html(paragraph)}</p><p class=small>{made_by(facts)}</p></figcaption></figure>"
    )


VERDICT_CLASSES = {"not-refuted": "good", "refuted": "bad", "inconclusive": "open", "not-judged": "open"}


def verdict(name, expected=None):
    """Coloured by what it says; where a verdict was expected, by whether it came."""
    wanted = {None: VERDICT_CLASSES.get(name, "open"), name: "good"}.get(expected, "bad")
    return Html(f'<span class="{wanted}">{escape(name)}</span>')


def page(title, lead, sections):
    """sections: (anchor, heading, HTML)."""
    contents = "".join(f'<li><a href="#{anchor}">{html(heading)}</a></li>' for anchor, heading, _ in sections)
    body = "\n".join(
        f'<section id="{anchor}"><h2>{html(heading)}</h2>\n{content}</section>' for anchor, heading, content in sections
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{html(title)}</title>'
        f"<style>{STYLE}</style></head>\n<body><h1>{html(title)}</h1>\n{lead}\n"
        f"<nav><ul>{contents}</ul></nav>\n{body}\n<script>{SORT}</script></body></html>\n"
    )
