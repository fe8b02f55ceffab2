"""Do the tables of the findings say what a small record says, and is a record of another run refused?"""

import unittest
from unittest import mock

import finding_records
import finding_tables

TEXTS = {"title": "T", "source": "paper", "quote": "a|b", "remark": "so", "severity": "none"}
COUNTS = {"mutants": 2.0, "mutants_refuted": 2.0, "controls": 0.0, "controls_let_pass": 0.0}
COUNTS |= {"bound_settings": 0.0, "vacuous_settings": 0.0}


def statement(name, area, wording, verdict, **more):
    return (
        {"id": name, "area": area, "wording": wording, "expected": verdict, "verdict": verdict} | TEXTS | COUNTS | more
    )


ROWS = [
    statement("S1", "Bias", "printed", "not-refuted"),
    statement("S2", "Bias", "printed", "refuted", severity="misprint"),
    statement("S3", "Hashing", "reading", "refuted", mutants=3.0),
    statement("S4", "Bias", "printed", "refuted", severity="wrong-result"),
]


def lines(table):
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]


class Verdicts(unittest.TestCase):
    def of(self, make, rows=ROWS):
        with mock.patch.object(finding_tables, "read", lambda name, text=(): rows):
            return lines(make())

    def test_areas_stand_in_the_order_of_the_list_with_their_sum(self):
        self.assertEqual(
            self.of(finding_tables.by_area),
            [
                ["Bias", "3", "1", "0", "2", "0", "6 of 6"],
                ["Hashing", "1", "0", "0", "0", "1", "2 of 3"],
                ["all", "4", "1", "0", "2", "1", "8 of 9"],
            ],
        )

    def test_a_bound_counts_as_saying_nothing_where_it_does_at_every_setting(self):
        always = statement("S5", "Bias", "ours", "not-refuted", bound_settings=3.0, vacuous_settings=3.0)
        once = statement("S6", "Bias", "ours", "not-refuted", bound_settings=3.0, vacuous_settings=2.0)

        (bias, _) = self.of(finding_tables.by_area, [always, once, ROWS[0]])

        self.assertEqual(bias[:4], ["Bias", "3", "3", "1"])

    def test_the_gravest_erratum_is_first_and_readings_are_apart(self):
        self.assertEqual([line[1] for line in self.of(finding_tables.errata)], ["S4", "S2"])
        self.assertEqual(self.of(finding_tables.errata)[1][2], '"a\\|b" (paper)')
        self.assertEqual([line[0] for line in self.of(finding_tables.failed_readings)], ["S3"])

    def test_a_verdict_that_is_not_as_expected_makes_no_table(self):
        with self.assertRaisesRegex(ValueError, "not as expected: S1"):
            self.of(finding_tables.by_area, [ROWS[0] | {"verdict": "inconclusive"}])


class Numbers(unittest.TestCase):
    def test_numbers_have_the_digits_that_are_asked_for(self):
        self.assertEqual(finding_tables.digits(6.731e4, 3), "6.73e4")
        self.assertEqual(finding_tables.digits(""), "-")
        self.assertEqual(finding_tables.power(142649.0), "1.4e5")
        self.assertEqual(finding_tables.power(3.1354e-102, 1), "3e-102")
        self.assertEqual(finding_tables.three_digits(62.57), "62.6")
        self.assertEqual(finding_tables.three_digits(7518.84), "7,519")

    def test_a_reading_of_the_occupancy_is_told_by_its_instance(self):
        of = finding_tables.reading_of
        self.assertEqual(of("tau=0.3, B >= 2615 almost surely"), ("0.3", "sure", "2615", None))
        self.assertEqual(of("tau=0.5, B = 49 of the drawn tables"), ("0.5", "drawn", "49", None))
        self.assertEqual(of("tau=0.7, B = 61, exceeded once in 20 draws"), ("0.7", "quantile", "61", "20"))


class Records(unittest.TestCase):
    PROVENANCE = dict.fromkeys(finding_records.JOB, "x") | {"profile": "standard", "seed": 1}

    def test_a_run_of_another_profile_or_with_a_fault_is_refused(self):
        (row,) = finding_records.of_job(self.PROVENANCE | {"command": "socketlab reproduce --out somewhere"})
        self.assertEqual(row["command"], "socketlab reproduce --profile standard --seed 1")
        for wrong in ({"profile": "smoke"}, {"seed": 2}, {"fault": "wrong-ties"}):
            with self.assertRaisesRegex(ValueError, "--profile standard --seed 1"):
                finding_records.of_job(self.PROVENANCE | wrong)


if __name__ == "__main__":
    unittest.main()
