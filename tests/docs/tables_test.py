"""Do the pages say what the records say, would a number or a record that changed be noticed, and do records hold a run?"""

import contextlib
import io
import json
import math
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import fill
import finding_records
import finding_rows
import formats
import learned_rows
import models_rows
import numpy as np
import ranking_records
import ranking_rows
import records

PAGE = """# Times

It takes <!--= us(slow.seconds) -->7.5<!--/--> us; `<!--= query -->1<!--/-->` stays.

<!-- table for row in rows("times") if row.seconds > 1
command <- row.command
*[f"{unit} of
  it" for unit in units] <- *[row.seconds, text(row.seconds,
  ".2f")]
-->

| command | s of it | us of it |
|---|---|---|
| b | 7.5 | 7.50 |
| a|b | 8 | 8.00 |

<!-- end of table -->

<!-- values
slow, units = rows("times").one(command="b"), ("s", "us")
-->
""".replace("of\n  it", "of it")
TIMES = "command,seconds\na,1\nb,7.5\na|b,8\n"


def kept_tensors():
    """q, k, v of the heads that come with the program, by the description of the format, in double."""
    content = records.path_of("experiments/families/learned_heads.safetensors").read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    found = {}
    for name in "qkv":
        of = json.loads(content[8:start])[name]
        upper = np.frombuffer(content, "<u2", math.prod(of["shape"]), start + of["data_offsets"][0])
        found[name] = (upper.astype(np.uint32) << 16).view(np.float32).astype(float).reshape(of["shape"])
    return found


def statistics_of(queries, keys, values):
    """By a loop over the queries, the last positions, each of which sees the keys up to its own."""
    rows = []
    for place, query in enumerate(queries):
        seen = keys[: len(keys) - len(queries) + 1 + place]
        logits = seen @ query / math.sqrt(len(query))
        weights = np.exp(logits - logits.max())
        weights /= weights.sum()
        cosines = seen @ query / np.linalg.norm(query) / np.linalg.norm(seen, axis=1)
        entropy = -(weights * np.log(np.maximum(weights, 1e-300))).sum()
        rows.append(
            [weights[0], weights[:4].sum(), weights[-64:].sum(), math.exp(entropy), logits.std(), cosines.mean()]
        )
    names = ("first_mass", "sink_mass", "local_mass", "effective_keys", "logit_deviation", "mean_cosine")
    lengths, norms = np.linalg.norm(keys, axis=1), np.linalg.norm(values, axis=1)
    return dict(zip(names, np.mean(rows, axis=0), strict=True)) | {
        "mean_key_share": np.linalg.norm(keys.mean(axis=0)) / lengths.mean(),
        "first_key_norm_ratio": lengths[0] / lengths.mean(),
        "first_value_norm_ratio": norms[0] / norms.mean(),
        "value_norm_variation": norms.std() / norms.mean(),
    }


def said(*arguments, **more):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        return fill.main(list(arguments), **more), printed.getvalue().splitlines()


class Pages(unittest.TestCase):
    def test_every_table_and_number_is_as_its_record_has_it(self):
        self.assertEqual(said("--check"), (0, []))

    def test_without_its_records_no_table_or_number_can_be_made(self):
        for path in fill.pages(records.ROOT):
            page = path.read_text(encoding="utf-8")
            values = {fill.line_of(page, block) for block in fill.VALUES.finditer(page)}
            with mock.patch.object(records, "path_of", side_effect=FileNotFoundError("no record")), without_caches():
                _, wrong = fill.filled(page)
            with self.subTest(path.relative_to(records.ROOT)):
                lines = [line for line in wrong if int(line.split(":")[0]) not in values]
                self.assertEqual(len(lines), len(fill.BLOCK.findall(page)))

    def test_what_the_pages_say_of_the_kept_heads_is_what_numpy_finds_in_them(self):
        tensors = kept_tensors()
        for number, said_of_it in enumerate(learned_rows.kept_heads()):
            found = statistics_of(tensors["q"][number], tensors["k"][number // 3], tensors["v"][number // 3])
            for name, value in found.items():
                # An exponential of a logit of 2^6 is off by 2^-46 of itself; sums have 2^12 terms.
                self.assertAlmostEqual(vars(said_of_it)[name] / value, 1, delta=2.0**-34, msg=f"{number} {name}")
            kinds = {"local": found["local_mass"] >= 0.5, "sink": found["sink_mass"] >= 0.5}
            kinds = {"induction": said_of_it.induction_mass >= 0.2, **kinds, "diffuse": True}
            self.assertEqual(said_of_it.kind, next(kind for kind in kinds if kinds[kind]))

    def test_no_record_of_the_kernels_names_a_folder_of_one_machine(self):
        for path in sorted((records.ROOT / "gpu/records").glob("*.csv")):
            with self.subTest(path.name):
                self.assertNotRegex(path.read_text(encoding="utf-8"), r"[ ,=\"']/\w")


@contextlib.contextmanager
def without_caches():
    """Every function that remembers what it read begins anew, before and after."""

    def clear():
        for value in fill.names().values():
            getattr(value, "cache_clear", lambda: None)()

    clear()
    yield
    clear()


class OnePage(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="a checkout "))
        self.root = Path(self.folder)
        self.enterContext(mock.patch.object(records, "ROOT", self.root))
        self.enterContext(without_caches())
        (self.root / "docs/records").mkdir(parents=True)
        self.write(PAGE)
        self.record(TIMES)

    def write(self, page):
        (self.root / "docs/times.md").write_text(page, encoding="utf-8")

    def record(self, text):
        records.rows.cache_clear()
        (self.root / "docs/records/times.csv").write_text(text, encoding="utf-8")

    def check(self):
        return said("--check", root=self.root)

    def test_a_page_that_is_right_stays_as_it_is(self):
        self.assertEqual(self.check(), (0, []))
        self.assertEqual(said(root=self.root), (0, []))
        self.assertEqual((self.root / "docs/times.md").read_text(encoding="utf-8"), PAGE)

    def test_a_wrong_number_and_a_wrong_table_are_named_and_mended(self):
        self.write(PAGE.replace(">7.5<", ">7.6<").replace("| 8.00 |", "| 8.01 |"))
        lines = ["docs/times.md:3: 7.6 is to be 7.5", "docs/times.md:5: the table is to be made anew"]
        self.assertEqual(self.check(), (1, lines))
        said(root=self.root)
        self.assertEqual((self.root / "docs/times.md").read_text(encoding="utf-8"), PAGE)

    def test_a_changed_cell_of_a_record_is_noticed(self):
        self.record(TIMES.replace("7.5", "7.4"))
        self.assertEqual([line.split(":")[1] for line in self.check()[1]], ["3", "5"])

    def test_what_is_missing_is_one_line_for_each_place(self):
        self.write(PAGE.replace('row in rows("times")', 'row in rows("hours")').replace("slow.seconds", "slow.minutes"))
        code, lines = self.check()
        self.assertEqual(code, 1)
        self.assertEqual(
            lines,
            [
                "docs/times.md:3: AttributeError: 'Row' object has no attribute 'minutes'",
                "docs/times.md:5: FileNotFoundError: no record hours.csv in docs/records or gpu/records",
            ],
        )

    def test_a_quoted_number_begins_no_line(self):
        self.write(PAGE.replace("It takes ", "It takes\n"))
        self.assertEqual(self.check()[1], ["docs/times.md:4: a line may not begin with a quoted number"])

    def test_a_table_without_an_end_is_not_passed_over(self):
        self.write(PAGE.replace("<!-- end of table -->", ""))
        self.assertEqual(
            self.check()[1][-1], "docs/times.md: a comment of a table or number is not as fill.py reads it"
        )

    def test_rows_are_chosen_by_values_tuples_and_functions(self):
        times = records.rows("times")
        self.assertEqual(times.where(command=("a", "a|b"), seconds=lambda seconds: seconds > 1).command, ["a|b"])
        self.assertEqual(times.distinct("command", "seconds"), [("a", 1.0), ("b", 7.5), ("a|b", 8.0)])
        with self.assertRaisesRegex(ValueError, "2 rows"):
            times.one(seconds=lambda seconds: seconds > 2)


class Formats(unittest.TestCase):
    def test_numbers_have_the_digits_that_are_asked_for(self):
        cases = [
            (formats.short(6.731e4), "6.73e4"), (formats.short(3.1354e-102, ".0e"), "3e-102"), (formats.short(""), "-"),
            (formats.short(142649.0, ".1e"), "1.4e5"), (formats.short(2.5e-7), "2.5e-7"), (formats.rounded(7518.84), "7,520"),
            (formats.text(3.0), "3"), (formats.text(0.25), "0.25"), (formats.us(99.96), "100.0"), (formats.us(1234.5), "1,234"),
            (formats.percent(0.031, "+.1f"), "+3.1%"), (formats.dotted(0.834), ".83"), (formats.times(2), "2.00x"),
            (formats.ends([0.31, 0.12, 0.2], formats.percent), "12% to 31%"), (formats.ends([1.001, 1.002], ".2f"), "1.00"),
            (formats.listed([1.0, 2.5, 3.0]), "1, 2.5 and 3"), (formats.joined([1, 2], between="; "), "1; 2"),
            (formats.escaped("a|b\nc "), "a\\|b c"),
        ]  # fmt: skip
        for got, wanted in cases:
            self.assertEqual(got, wanted)


class Findings(unittest.TestCase):
    def rows(self, *cells):
        return mock.patch.object(finding_rows, "rows", lambda name: records.Rows(records.Row(**row) for row in cells))

    def test_the_middle_of_heads_has_the_quantiles_of_a_tenth(self):
        self.assertEqual(models_rows.middle(range(1, 12), ".1f"), "6.0 (2.0 to 10.0)")

    def test_a_verdict_that_is_not_as_expected_makes_no_table(self):
        row = {"id": "S1", "expected": "refuted", "verdict": "refuted", "wording": "printed", "source": "paper"}
        with self.rows(row, row | {"id": "S2", "wording": "reading"}):
            self.assertEqual([row.id for row in finding_rows.errata()], ["S1"])
            self.assertEqual([row.id for row in finding_rows.failed_readings()], ["S2"])
        with self.rows(row | {"verdict": "inconclusive"}), self.assertRaisesRegex(ValueError, "not as expected: S1"):
            finding_rows.verdicts()

    def test_a_bound_counts_as_saying_nothing_where_it_does_at_every_setting(self):
        settings = ((3, 3), (2, 3), (0, 0))
        of = [records.Row(vacuous_settings=vacuous, bound_settings=bounds) for vacuous, bounds in settings]
        self.assertEqual(finding_rows.vacuous(of), of[:1])

    def test_the_upper_limit_of_none_is_a_root_of_one_of_three_solves_a_cubic_and_of_all_says_nothing(self):
        for runs in (1, 3, 200):
            self.assertAlmostEqual(finding_rows.upper_limit(0, runs), 1 - 0.05 ** (1 / runs), delta=1e-9)
        # (1 - p)^3 + 3 p (1 - p)^2 = (1 - p)^2 (1 + 2 p) = 0.05
        p = finding_rows.upper_limit(1, 3)
        self.assertAlmostEqual((1 - p) ** 2 * (1 + 2 * p), 0.05, delta=1e-9)
        self.assertEqual(finding_rows.upper_limit(4, 4), 1)
        # 2,995 seeds show the probability of the design.
        self.assertLessEqual(finding_rows.upper_limit(0, 2995), 1e-3)
        self.assertGreater(finding_rows.upper_limit(0, 2994), 1e-3)

    def test_the_record_of_another_profile_or_with_a_fault_is_refused(self):
        provenance = dict.fromkeys(finding_records.JOB, "x") | {"profile": "standard", "seed": 1}
        (row,) = finding_records.of_job(provenance | {"command": "socketlab reproduce --out somewhere"})
        self.assertEqual(row["command"], "socketlab reproduce --profile standard --seed 1")
        for wrong in ({"profile": "smoke"}, {"seed": 2}, {"fault": "wrong-ties"}):
            with self.assertRaisesRegex(ValueError, "--profile standard --seed 1"):
                finding_records.of_job(provenance | wrong)


class Rankings(unittest.TestCase):
    def test_a_ranker_that_no_temperature_changes_stands_once_and_twins_are_left_out(self):
        names = ("hamming", "rabitq", "socket", "socket-value")
        of = records.Rows(records.Row(ranker=name, temperature=tau) for tau in (0.3, 0.5, 0.7) for name in names)
        found = [(row.ranker, row.temperature) for row in ranking_rows.once(of)]
        self.assertEqual(found, [("hamming", 0.3), ("socket", 0.3), ("socket", 0.7), ("socket-value", 0.3)])
        self.assertEqual([row.temperature for row in ranking_rows.once(of, (0.3, 0.5))][1:3], [0.3, 0.5])

    def test_leads_are_counted_by_the_side_of_their_interval(self):
        sides = ((0.1, 0.2), (-0.1, 0.2), (-0.2, -0.1), (0.1, 0.3))
        self.assertEqual(
            ranking_rows.counts(records.Row(socket_lead_lo=low, socket_lead_hi=high) for low, high in sides),
            "2 / 1 / 1",
        )

    def test_an_output_error_differs_by_percent(self):
        row = records.Row(quantity="output-error", difference=0.031, difference_deviation=0.002)
        self.assertEqual(ranking_rows.difference(row), "+3.1 ± 0.2%")
        row.quantity = "precision"
        self.assertEqual(ranking_rows.difference(row), "+0.0310 ± 0.0020")

    def test_a_record_has_four_digits_and_runs_become_one_by_temperature(self):
        cut = [ranking_records.cut(text) for text in ("12345.6", "0.123456", "12", "", "gaussian")]
        self.assertEqual(cut, ["1.235e+04", "0.1235", "12", "", "gaussian"])
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for tau in ("0.7", "0.3"):
            (folder / tau).mkdir()
            facts = {"command": f"socketlab rank --part rankers --temperature {tau} --seed 1"}
            (folder / tau / "provenance.json").write_text(json.dumps(facts), encoding="utf-8")
            (folder / tau / "rankers.csv").write_text(
                "ranker,size,density\nsocket,published,0.1\nsocket,64,0.1\nsocket,64,0.2\n", encoding="utf-8"
            )
        ranking_records.write_records([folder / "0.7", folder / "0.3"], folder)
        text = (folder / "rankers_published_sizes.csv").read_text(encoding="utf-8")
        self.assertEqual(text, "temperature,ranker,size,density\n0.3,socket,published,0.1\n0.7,socket,published,0.1\n")
        self.assertEqual((folder / "rankers_by_memory.csv").read_text(encoding="utf-8").count("\n"), 3)


class BitsOfAKey(unittest.TestCase):
    def test_by_hand_at_64_coordinates(self):
        """Two numbers of 16 bits for each of 64 coordinates of a page of 16 or 4 keys; 16 more for a norm."""
        wanted = {
            "socket": 600, "socket-value": 616, "hard-lsh": 600, "quest": 128, "quest-4": 512, "quest-value": 144,
            "signed-320": 320, "signed-norm-320": 336, "group-signed-160": 176, "oracle-top-k": 1024,
            "oracle-distance": 2048, "socket-calibrated-value": 1640, "loki": 512, "value-norm": 16, "first-and-last": 0,
        }  # fmt: skip
        self.assertEqual({name: models_rows.bits_of(name) for name in wanted}, wanted)


if __name__ == "__main__":
    unittest.main()
