"""Do formulas read as mathematics, and is no symbol lost? Over all titles of the list of statements the MathML is read back by
a route of its own, which has to give the title; each construct is worked by hand.
"""

import random
import re
import xml.etree.ElementTree as ET
from pathlib import Path

from plot_case import PlotCase
from report_page import formulas

STATEMENTS = Path(__file__).resolve().parents[3] / "proofs_check" / "statements"
STRINGS = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
BACK = {
    "β": "beta", "γ": "gamma", "δ": "delta", "ε": "eps", "θ": "theta", "κ": "kappa", "ξ": "xi", "π": "pi", "ρ": "rho",
    "μ": "mu", "σ": "sigma", "τ": "tau", "Γ": "Gamma", "Δ": "Delta", "∞": "infinity", "≤": "<=", "≥": ">=", "→": "->",
    "±": "+-", "‖": "||", "∑": "sum", "∏": "prod", "−": "-", "·": "*", "⋅": ".", "∼": "~", "′": "'", "∗": "*", "¯": "bar",
    "⟨": "<", "⟩": ">", "η": "eta", "χ": "chi", "Φ": "Phi",
}  # fmt: skip
TAGS = {"p", "math", "mrow", "mi", "mn", "mo", "mspace", "msub", "msup", "msubsup", "msqrt", "mfrac", "mover"}


def symbols(text):
    """What ways of writing one formula share: no braces, no spaces, one name of epsilon, S_1 for S1."""
    text = re.sub(r"_inf\b", "_infinity", text.replace("epsilon", "eps"))
    text = re.sub(r"(?<![A-Za-z0-9])([A-Za-z])(\d)(?![A-Za-z0-9])", r"\1_\2", text)
    return re.sub(r"[{}\s]", "", text)


def leaf(text):
    for symbol, name in BACK.items():
        text = text.replace(symbol, name)
    return re.escape(symbols(text))


def bracketed(node, needed):
    """A part of a fraction or a root: in brackets where they are needed, with or without where they are not."""
    return rf"\({pattern(node)}\)" if needed else rf"(?:\({pattern(node)}\)|{pattern(node)})"


def is_sum(node):
    signs = [child.text for child in node if child.tag == "mo"] if node.tag == "mrow" else []
    return bool(set(signs) & set("−+=≤,")) and node[0].text not in ("|", "‖", "(", "[")


def is_one(node):
    """Is this one number, symbol, norm or f(x), which a slash takes without brackets?"""
    return node.tag != "mrow" or node[0].text in ("|", "‖") or (len(node) == 2 and node[1].findtext("mo") == "(")


def raised(node):
    """A star stands high without ^."""
    return r"\*" if node.text == "∗" else rf"\^{pattern(node)}"


def pattern(node):
    """What a title that is set as this element looks like."""
    children = list(node)
    if node.tag == "mfrac":
        above, below = children
        over = bracketed(above, needed=True) if is_sum(above) else pattern(above)
        return f"{over}/{bracketed(below, needed=not is_one(below))}"
    if node.tag in ("msub", "msup", "msubsup"):
        low = f"_{pattern(children[1])}" if node.tag != "msup" else ""
        return pattern(children[0]) + low + (raised(children[-1]) if node.tag != "msub" else "")
    inner = leaf(node.text or "") + "".join(pattern(child) + leaf(child.tail or "") for child in children)
    if node.tag == "msqrt":
        return rf"sqrt(?:\({inner}\)|{inner})" if len(children) == 1 else rf"sqrt\({inner}\)"
    return inner


def parsed(text):
    return ET.fromstring(f"<p>{formulas.mathml(text)}</p>")


def all_titles():
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(STATEMENTS.rglob("*.cpp")))
    titles = [
        "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found)) for found in re.findall(r"\.title =\s*" + STRINGS, text)
    ]
    return [title.replace('\\"', '"').replace("\\\\", "\\") for title in titles], len(re.findall(r"\.id = \"", text))


def short(node):
    """An element in one line: sub(y τ) for an index, [ ] around a row."""
    inner = " ".join(short(child) for child in node if child.tag != "mspace") if len(node) else node.text
    if node.tag in ("mi", "mn", "mo"):
        return inner
    return f"[{inner}]" if node.tag == "mrow" else f"{node.tag.removeprefix('m')}({inner})"


class Formulas(PlotCase):
    def assert_formulas(self, ascii_text, *made):
        found = [short(node).removeprefix("ath") for node in parsed(ascii_text)]
        self.assertEqual(found, [f"({one})" for one in made], ascii_text)

    def test_scripts(self):
        self.assert_formulas("y_tauL - y_tau", "sub(y [τ L]) − sub(y τ)")
        self.assert_formulas("Z_tau,min^2", "subsup(Z [τ , min] 2)")
        self.assert_formulas("s_max^c; s^c_max", "subsup(s max c)", "sub(sup(s c) max)")
        self.assert_formulas("S1^2", "subsup(S 1 2)")
        self.assert_formulas("L^-1/2", "sup(L [− 1 / 2])")
        self.assert_formulas("e^{x - x^2/6}", "sup(e [x − sup(x 2) / 6])")
        self.assert_formulas("n^(l)", "sup(n [( l )])")
        self.assert_formulas("Dbar'^2, y*, q'", "sup([over(D ¯) ′] 2)", "sup(y ∗)", "[q ′]")

    def test_accents(self):
        self.assert_formulas("w^, Z~ and xibar", "over(w ^)", "over(Z ~)", "over(ξ ¯)")
        self.assert_formulas("e^w^", "sup(e over(w ^))")

    def test_roots_lose_their_bracket(self):
        self.assert_formulas("sqrt(2B) eps", "sqrt(2 B) ε")
        self.assert_formulas("sqrt k -> (sqrt(m) + bias)|V|", "sqrt(k) → [( sqrt(m) + bias )] [| V |]")

    def test_fractions(self):
        self.assert_formulas("1/R", "frac(1 R)")
        self.assert_formulas("(1 - theta/pi)^P", "sup([( 1 − frac(θ π) )] P)")
        self.assert_formulas("(a - b)/(2 c)", "frac([a − b] [2 c])")
        self.assert_formulas("(Wq).s/(2 c)", "frac([[( [W q] )] ⋅ s] [2 c])")
        self.assert_formulas("1 - 2B eps/Z_tau", "1 − frac([2 B ε] sub(Z τ))")
        self.assert_formulas("|n||v|/(Z Z_tau)", "frac([[| n |] [| v |]] [Z sub(Z τ)])")
        self.assert_formulas("N(A)/D(A)", "frac([N [( A )]] [D [( A )]])")
        self.assert_formulas("C/sqrt P", "frac(C sqrt(P))")
        self.assert_formulas("x = (1, x)/2", "x = frac([( 1 , x )] 2)")

    def test_a_slash_stays_in_fractions_in_scripts_and_where_it_is_not_plain_what_it_divides(self):
        self.assert_formulas("1/(2 + e/N)", "frac(1 [2 + e / N])")
        self.assert_formulas("e^{x/2}", "sup(e [x / 2])")
        self.assert_formulas("P tau ln 2/x", "P τ ln 2 / x")
        self.assert_formulas("Var s/Var I", "Var s / Var I")
        self.assert_formulas("a/b/c, 1/2B", "a / b / c", "1 / 2 B")

    def test_bars(self):
        self.assert_formulas("||v||_2, |q||s|", "sub([‖ v ‖] 2)", "[| q |] [| s |]")  # not a norm's end
        self.assert_formulas("||E||, |.|_1, |v|_inf", "[‖ E ‖]", "sub([| ⋅ |] 1)", "sub([| v |] ∞)")
        self.assert_formulas("p(r|q)", "p [( r | q )]")
        self.assert_formulas("||softmax - linear||_1", "sub([‖ softmax − linear ‖] 1)")

    def test_functions_sums_and_operators(self):
        self.assert_formulas("E XY = P(X > 1)", "E [X Y] = [P [( X > 1 )]]")
        self.assert_formulas("max_A s - min s", "sub(max A) s − min s")
        self.assert_formulas("sum_{i<d} C(L-1, i)", "sub(∑ [i < d]) C [( L − 1 , i )]")
        self.assert_formulas("J ~ a|v| -> +-q != P * L", "J ∼ a [| v |] → ± q ≠ P · L")
        self.assertIn('<mo form="prefix">−</mo>', formulas.mathml("exp(-t)"))
        self.assertIn('<mi class="upright">P</mi>', formulas.mathml("P(X > 1)"))
        self.assertIn("<mspace", formulas.mathml("log det(Q)"))
        for text, upright in (("E |X|^2", 1), ("k E ||x||^4", 1), ("||E||", 0), ("p(E | x)", 0)):
            self.assertEqual(formulas.mathml(text).count('"upright">E'), upright, text)

    def test_inner_products_are_brackets_and_other_angles_relations(self):
        self.assert_formulas("Var <u,v> = 2 <mu', xi>", "Var [⟨ u , v ⟩] = 2 [⟨ [μ ′] , ξ ⟩]")
        self.assert_formulas("sum_{l<m} <x_l, x_m>^2", "sub(∑ [l < m]) sup([⟨ sub(x l) , sub(x m) ⟩] 2)")
        self.assert_formulas("m<k, j>i; a < b, c > d", "m < k", "j > i", "a < b", "c > d")
        self.assert_formulas("<u, v), (u, v>", "u", "v", "u", "v")

    def test_names_of_several_letters(self):
        self.assert_formulas("TV diam(V), rr_j <= km", "TV diam [( V )]", "sub(rr j) ≤ [k m]")
        self.assertIn("<mi>TV</mi><mspace", formulas.mathml("TV diam(V)"))
        self.assertIn("<mi>x</mi><mspace", formulas.mathml("e^{x sum}"))
        self.assertNotIn("mspace", formulas.mathml("rr = xi tau"))
        self.assert_formulas("sqrt(chi2 z), Phi2(x; eta)", "sqrt(sup(χ 2) z)", "sub(Φ 2) [( x ; η )]")
        self.assert_formulas("(n+1)!, i! >= j, i != j", "[[( n + 1 )] !]", "[i !] ≥ j", "i ≠ j")
        self.assert_formulas("(1 - angle/pi)^P, sqrt(tr)", "sup([( 1 − frac(angle π) )] P)", "sqrt(tr)")
        self.assert_formulas("s = slack (hi - lo)", "s = slack [( hi − lo )]")
        self.assert_formulas("claimed slack, slack E[X]", "[E [[ X ]]]")

    def test_twice_as_is_no_product_but_a_summand_is(self):
        self.assert_formulas("log(Q) + 2x, 2x/(q t), 3x t", "[log [( Q )]] + 2 x", "frac([2 x] [q t])", "t")
        self.assert_formulas("2x", "2 x")

    def test_a_text_that_is_a_sum_of_numbers_is_a_formula(self):
        self.assert_formulas("1 - 4/3", "1 − frac(4 3)")
        self.assert_formulas("it is 1 - 4/3")
        self.assert_formulas("-4")

    def test_brackets_grow_with_fractions_only(self):
        self.assertIn("<mo>(</mo>", formulas.mathml("(1/x)"))
        self.assertIn('<mo stretchy="false">(</mo>', formulas.mathml("(1 - x)"))

    def test_what_is_a_formula_and_what_a_word(self):
        for text, *made in (
            ("As tau -> 0 Gamma_soft falls", "τ → 0", "sub(Γ soft)"),
            ("d=128 P=8 tau=.5", "d = 128", "P = 8", "τ = .5"),
            ("a k-th key of A, a > 0 or A a set", "A", "a > 0", "A"),
            ("x and 2x", "x", "2 x"),
            ("P(lost)/delta, f(precision), (claim: mu)", "δ", "μ"),
            ("pairs (P = 8, k)", "P = 8", "k"),
            ("Corollary 4(i), Lemma D, line 6 is w", "w"),
            ("largest |mean - x| over |x|", "x", "[| x |]"),
            ("bound/rho, equal bits - PL", "ρ", "[P L]"),
            ("correlates with q.k.", "q ⋅ k"),
        ):
            self.assert_formulas(text, *made)

    def test_words_stay_text(self):
        for text, made in (
            ("33x sparsity, top-k of LSH-1, i.i.d. rows, the delta method", None),
            ("0 <= NDCG <= 1 - .5, precision/(2 - precision)", "0 ≤ NDCG ≤ 1 − .5, precision/(2 − precision)"),
            ("S002-L6a, laws/table_cases.hpp, top_t=4, Llama-3.1-8B", None),
            ("(33) with (44), 1/2 of [0, 1], -.5", "(33) with (44), 1/2 of [0, 1], −.5"),
            ("weights sum to 1, one sign, max of all", None),
            ("one < b-tree & c-file", "one &lt; b-tree &amp; c-file"),
        ):
            self.assertEqual(str(formulas.mathml(text)), made or text)

    def test_a_long_formula_is_parted_before_relations_and_signs(self):
        sides = [f"|y_{letter} - y*| + {letter} eps" for letter in "abcdefg"]
        lines = [short(node) for node in parsed(" <= ".join(sides))]

        self.assertGreater(len(lines), 2)
        self.assertTrue(all(line.startswith("ath(≤") for line in lines[1:]), lines)
        parts = [short(node) for node in parsed("x = " + " - ".join(f"|y_{letter} v|" for letter in "abcdefghijk"))]
        self.assertEqual([part[:5] for part in parts], ["ath(x", "ath(=", "ath(−", "ath(−"])
        self.assertIn('<math><mo form="infix">−', formulas.mathml("x = " + " - ".join(["|y_a + v|"] * 9)))

    def test_no_symbol_of_any_title_is_lost(self):
        titles, statements = all_titles()

        self.assertGreater(len(titles), 240)
        self.assertEqual(len(titles), statements)
        for title in titles:
            made = parsed(title)
            self.assertRegex(symbols(title), rf"^{pattern(made)}$")
            self.assertLessEqual({node.tag for node in made.iter()}, TAGS)
            words = " ".join([made.text or "", *(node.tail or "" for node in made)])
            self.assertNotRegex(words, r"<=|>=|[_^]|\b(?:tau|eps|sqrt)\b")

    def test_a_title_that_lost_a_symbol_is_noticed(self):
        made = pattern(parsed("|y - x|/2 <= (a + b)/c"))
        for other in ("|y - x|/2 <= (a + b)/c", "|y - x|/2 <= (a + b)/(c)"):
            self.assertRegex(symbols(other), f"^{made}$")
        for other in (
            "|x - y|/2 <= (a + b)/c",
            "|y - x|/2 <= a + b/c",
            "|y - x|/2 < (a + b)/c",
            "|y - x| <= (a + b)/c",
        ):
            self.assertNotRegex(symbols(other), f"^{made}$")

    def test_malformed_input_is_set_somehow(self):
        pieces = [
            *"aAxPE _^{}()[]||~'*+-<>=/.,0 1&",
            "||",
            "sqrt(",
            " sum ",
            "max ",
            "_{",
            "^(",
            "tau",
            "√",
            "xibar",
            "->",
        ]
        some = random.Random(7)
        for _ in range(3000):
            text = "".join(some.choices(pieces, k=some.randint(0, 16)))
            parsed(text)  # raises if it is not well formed

    def test_a_quote_in_latex_or_markdown_is_set_and_one_with_an_unknown_command_stays(self):
        self.assertEqual(
            formulas.quote(r"\rho_i \ge \frac{1}{|\mathcal{A}_i^c|} \cdot e^{\Delta}"),
            formulas.mathml("rho_i >= 1/(|A_i^c|) * e^{Delta}"),
        )
        self.assertEqual(formulas.quote(r"\frac{a + e^{s_{k+1}}}{b}"), formulas.mathml("(a + e^{s_{k+1}})/b"))
        self.assertEqual(formulas.quote("the **Peak** term"), formulas.mathml("the Peak term"))
        self.assertEqual(str(formulas.quote(r"C \circ <v>")), r"<code>C \circ &lt;v&gt;</code>")
        self.assertEqual(formulas.quote("Z <= B"), formulas.mathml("Z <= B"))
