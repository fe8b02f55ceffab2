"""Do formulas read with their real symbols, and is no symbol lost? Over all titles of the list of statements the markup is
taken off again by a route of its own, which gives the title back.
"""

import re
from html.parser import HTMLParser
from pathlib import Path

from plot_case import PlotCase
from report_page import formulas

STATEMENTS = Path(__file__).resolve().parents[3] / "proofs_check" / "statements"
STRINGS = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
BACK = {
    "τ": "tau", "θ": "theta", "δ": "delta", "ε": "eps", "ρ": "rho", "σ": "sigma", "γ": "gamma", "β": "beta",
    "κ": "kappa", "μ": "mu", "π": "pi", "ξ̄": "xibar", "ξ": "xi", "Γ": "Gamma", "Δ": "Delta", "Σ": "Sigma",
    "∞": "infinity", "D̄": "Dbar", "ū": "ubar", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "±": "+-", "‖": "||",
    "√": "sqrt", "∑": "sum", "∏": "prod", "−": "-", "·": "*", "∼": "~", "′": "'", "\u0302": "^", "\u0303": "~",
}  # fmt: skip


class WithoutMarkup(HTMLParser):
    """The text with ASCII names, _ and ^ before what is set low and high."""

    def __init__(self, markup):
        super().__init__()
        self.parts, self.open = [], []
        self.feed(str(markup))
        self.close()

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.parts.append({"sub": "_", "sup": "^"}[tag])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        for symbol in sorted(BACK, key=len, reverse=True):
            data = data.replace(symbol, BACK[symbol])
        self.parts.append(data)

    @property
    def text(self):
        assert not self.open
        return "".join(self.parts)


def symbols(text):
    """What two ways of writing one formula share: no braces, no spaces, one name of epsilon and of an infinite norm."""
    text = re.sub(r"_inf\b", "_infinity", text.replace("epsilon", "eps"))
    return re.sub(r"[{}\s]", "", text)


def all_titles():
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(STATEMENTS.rglob("*.cpp")))
    titles = [
        "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found)) for found in re.findall(r"\.title =\s*" + STRINGS, text)
    ]
    return [title.replace('\\"', '"').replace("\\\\", "\\") for title in titles], len(re.findall(r"\.id = \"", text))


class Formulas(PlotCase):
    def test_worked_examples(self):
        for ascii_text, markup in (
            ("|y_tauL - y_tau| <= sqrt(2B) eps", "|y<sub>τL</sub> − y<sub>τ</sub>| ≤ √(2B) ε"),
            ("e^{x - x^2/6} <= 1 + x", "e<sup>x − x<sup>2</sup>/6</sup> ≤ 1 + x"),
            ("L^-1/2 and 2^-P", "L<sup>−1/2</sup> and 2<sup>−P</sup>"),
            ("Z_tau,min/2 and n^(l)", "Z<sub>τ,min</sub>/2 and n<sup>(l)</sup>"),
            ("||v||_2 over |q||s|", "||v||<sub>2</sub> over |q||s|"),  # an odd number of double bars: left alone
            ("||v||_2", "‖v‖<sub>2</sub>"),
            ("(1/L) sum n^(l), weights sum to 1", "(1/L) ∑ n<sup>(l)</sup>, weights sum to 1"),
            ("w^ and Z~", "w\u0302 and Z\u0303"),
            ("as tau -> 0, J ~ a|v|", "as τ → 0, J ∼ a|v|"),
            ("the delta method, the top-k of LSH-1, P * L", "the delta method, the top-k of LSH-1, P · L"),
            ("a < b & c", "a &lt; b &amp; c"),
            ("{unclosed ^{x", "{unclosed ^{x"),
            ("", ""),
        ):
            self.assertEqual(str(formulas.html(ascii_text)), markup, ascii_text)

    def test_no_symbol_of_any_title_is_lost(self):
        titles, statements = all_titles()

        self.assertGreater(len(titles), 240)
        self.assertEqual(len(titles), statements)
        for title in titles:
            self.assertEqual(symbols(WithoutMarkup(formulas.html(title)).text), symbols(title), title)

    def test_no_ascii_relation_of_a_title_is_left(self):
        for title in all_titles()[0]:
            bare = re.sub(r"<[^>]*>", "", str(formulas.html(title)))
            self.assertIsNone(re.search(r"&lt;=|&gt;=|[_^]|\b(?:tau|eps|sqrt)\b", bare), bare)

    def test_a_quote_in_latex_stays_as_it_was_written(self):
        self.assertEqual(str(formulas.words(r"C \cdot <v>")), r"<code>C \cdot &lt;v&gt;</code>")
        self.assertEqual(str(formulas.words("Z <= B")), "Z ≤ B")
