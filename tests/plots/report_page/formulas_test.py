"""Do formulas read as mathematics, and is no symbol lost? Each construct is worked by hand, and over all texts of the list of
statements nothing but the signs that are replaced changes.
"""

import html
import re
from pathlib import Path

from plot_case import PlotCase
from report_page import formulas

STATEMENTS = Path(__file__).resolve().parents[3] / "proofs_check" / "statements"
STRINGS = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'


def texts():
    """Titles, scopes and remarks of the sources, with the pieces of a string joined."""
    for path in sorted(STATEMENTS.rglob("*.cpp")):
        for found in re.findall(rf"\.(?:title|scope|remark) =\s*{STRINGS}", path.read_text(encoding="utf-8")):
            yield "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found)).replace('\\"', '"')


def in_ascii(markup):
    """Back from the signs to their names, without scripts, braces and spaces."""
    text = html.unescape(re.sub(r"<[^>]*>", "", markup))
    names = {sign: name for name, sign in formulas.SIGNS.items()} | {"−": "-", "√": "sqrt", "\u0303": "~", "\u0302": ""}
    for sign, name in (names | {sign: name for name, sign in formulas.GREEK.items() if name != "epsilon"}).items():
        text = text.replace(sign, name)
    return re.sub(r"[\s_^{}]", "", text.replace("epsilon", "eps"))


class Formulas(PlotCase):
    def test_constructs_by_hand(self):
        for text, markup in {
            "(1 - theta/pi)^P": "(1 − θ/π)<sup>P</sup>",
            "|y_tauL - y_tau| <= sqrt(2B) eps": "|y<sub>τL</sub> − y<sub>τ</sub>| ≤ √(2B) ε",
            "Z_tau,min > 0, and Z_k, the rest": "Z<sub>τ,min</sub> &gt; 0, and Z<sub>k</sub>, the rest",
            "T2/L^3, 2^-P, e^(-1/tau) and e^-5": "T2/L<sup>3</sup>, 2<sup>−P</sup>, e<sup>(−1/τ)</sup> and e<sup>−5</sup>",
            "rho >= e^{m - s_max^c}/|A^c|": "ρ ≥ e<sup>m − s<sub>max</sub><sup>c</sup></sup>/|A<sup>c</sup>|",
            "sum_ij w~ and line 6 of w^": "sum<sub>ij</sub> w\u0303 and line 6 of w\u0302",
            "x -> -x, top-k, +-q": "x → −x, top-k, ±q",
        }.items():
            self.assertEqual(formulas.html(text), markup)

    def test_words_and_names_stay_as_they_are(self):
        for text in ("a_priori_bound", "multikey_3 at 1600 tokens", "the spine of petal 3", "top-t draws"):
            self.assertEqual(formulas.html(text), text)

    def test_everything_is_escaped(self):
        self.assertEqual(formulas.html('<b> & "x"^<i>'), "&lt;b&gt; &amp; &#34;x&#34;^&lt;i&gt;")

    def test_no_text_of_the_statements_loses_a_symbol(self):
        found = list(texts())
        self.assertGreater(len(found), 400)
        for text in found:
            self.assertEqual(in_ascii(formulas.html(text)), re.sub(r"[\s_^{}]", "", text.replace("epsilon", "eps")))

    def test_a_quote_in_latex(self):
        self.assertEqual(
            formulas.quote(r"\rho_i \ge \frac{1}{|A|} \cdot e^{\Delta}"), "ρ<sub>i</sub> ≥ 1/(|A|) * e<sup>Δ</sup>"
        )
        self.assertEqual(formulas.quote(r"\nu_i < 1"), r"<code>\nu_i &lt; 1</code>")
