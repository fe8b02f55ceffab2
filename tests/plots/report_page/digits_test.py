"""Does a number read as a reader wants it, and is none shown that stands for "there is none"?"""

from plot_case import PlotCase
from report_page import digits


class Digits(PlotCase):
    def test_four_digits_with_commas_and_real_minus_signs(self):
        for x, text in (
            (0, "0"), (60.0, "60"), (-1.5, "−1.5"), (0.0012345678, "0.001235"), (233118.5, "233,100"),
            (99999.6, "100,000"), (1 / 3, "0.3333"), (-0.0, "0"),
        ):  # fmt: skip
            self.assertEqual(digits.show(x), text)
        self.assertEqual(digits.show(2 / 3, 2), "0.67")

    def test_powers_of_ten_where_zeros_would_stand(self):
        for x, text in ((1e7, "10⁷"), (2.5e-5, "2.5×10⁻⁵"), (-1.25e12, "−1.25×10¹²"), (9.9996e-5, "0.0001")):
            self.assertEqual(digits.show(x), text)

    def test_what_is_not_known_is_not_shown(self):
        self.assertEqual((digits.show(None), digits.show(float("nan")), digits.span(None, None)), ("", "", ""))

    def test_numbers_that_stand_for_none_are_words(self):
        largest = 1.7976931348623157e308
        self.assertEqual(digits.show(largest), "beyond any number")
        self.assertEqual(digits.show(-largest), "beyond any number")
        self.assertEqual(digits.bound(1e300), "no bound")
        self.assertEqual(digits.bound(float("inf")), "no bound")

    def test_a_claim_has_its_relation_and_reads_as_words_where_its_number_has_no_digits(self):
        self.assertEqual(digits.claim("≤", 0.25), "≤ 0.25")
        self.assertEqual(digits.claim("≥", 1e-120), "≥ some number below 10⁻¹⁰⁰")
        self.assertEqual(digits.claim("≤", 1e120), "≤ some number above 10¹⁰⁰")
        self.assertEqual(digits.claim("≤", 1e300), "≤ no bound")
        self.assertEqual(digits.claim("", 3.0), "3")
        self.assertEqual((digits.show(6e297), digits.show(3e-245)), ("above 10¹⁰⁰", "below 10⁻¹⁰⁰"))

    def test_an_interval_of_one_number_is_that_number(self):
        self.assertEqual(digits.span(0.25, 0.5), "0.25 to 0.5")
        self.assertEqual(digits.span(2.0, 2.0), "2")
