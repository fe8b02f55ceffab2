"""Do the tables of the rankings hold the rows that they are given, and the records those of a run, to four digits?"""

import json
import unittest

import ranking_records
import ranking_tables
from plot_case import PlotCase
from results import read_csv


def ranker_row(ranker="socket", family="gaussian", size="published", density=0.1, temperature=0.3, recall=0.5):
    numbers = {"recall": recall, "mass": 0.25, "relative_error": 1.5}
    intervals = {
        f"{name}_{end}": value + step for name, value in numbers.items() for end, step in (("lo", -0.1), ("hi", 0.1))
    }
    return (
        {"temperature": temperature, "family": family, "density": density, "ranker": ranker, "size": size}
        | {"bits_per_token": 600, "predicted_recall": 0.4, "correlation": 0.7}
        | numbers
        | intervals
    )


def warm_row(ranker, temperature, precision, k=410, low=-0.1, high=0.1, family="gaussian", planes=10):
    return {
        "family": family, "planes": planes, "temperature": temperature, "ranker": ranker, "k": k,
        "precision": precision, "correlation": precision + 0.25, "socket_lead_lo": low, "socket_lead_hi": high,
    }  # fmt: skip


def prediction_row(**more):
    return {
        "setting": "gaussian", "family": "gaussian", "keys": 4096, "planes": 8, "temperature": 0.5, "score": "soft",
        "k": 409, "quantity": "precision", "predicted_value": 0.5, "measured_value": 0.25, "difference": 0.25,
        "difference_deviation": 0.125,
    } | more  # fmt: skip


class RankingTables(PlotCase):
    def cells(self, table):
        return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]

    def test_a_record_has_four_digits_and_the_columns_asked_for(self):
        ranking_records.write_record(self.folder / "a.csv", [{"a": "0.123456", "b": "x,y", "c": "1e-07"}], ["a", "b"])

        self.assertEqual((self.folder / "a.csv").read_text(encoding="utf-8"), 'a,b\n0.1235,"x,y"\n')
        self.assertEqual(
            [ranking_records.cut(text) for text in ("12345.6", "", "gaussian")], ["1.235e+04", "", "gaussian"]
        )

    def test_runs_of_the_rankers_become_one_record_by_temperature(self):
        for temperature in ("0.7", "0.3"):
            folder = self.folder / temperature
            folder.mkdir()
            facts = {"command": f"socketlab rank --part rankers --temperature {temperature} --seed 1"}
            (folder / "provenance.json").write_text(json.dumps(facts), encoding="utf-8")
            rows = [ranker_row(), ranker_row(size="64"), ranker_row(size="64", density=0.2)]
            text = ["ranker,size,density"] + [f"{row['ranker']},{row['size']},{row['density']}" for row in rows]
            (folder / "rankers.csv").write_text("\n".join(text) + "\n", encoding="utf-8")

        ranking_records.write_records([self.folder / "0.7", self.folder / "0.3"], self.folder)

        published = read_csv(self.folder / "rankers_published_sizes.csv")
        self.assertEqual([row["temperature"] for row in published], [0.3, 0.7])
        self.assertEqual(len(read_csv(self.folder / "rankers_by_memory.csv")), 2)

    def test_a_ranker_that_no_temperature_changes_stands_once(self):
        rows = [ranker_row(ranker, temperature=t) for t in (0.3, 0.5) for ranker in ("socket", "hamming")]

        labels = [ranking_tables.label(row) for row in ranking_tables.own_rows(rows)]

        self.assertEqual(labels, ["SOCKET, tau = 0.3", "SOCKET, tau = 0.5", "Hamming, all L·P bits"])

    def test_the_tables_of_a_density_and_of_a_family_leave_the_middle_temperature_and_twins_out(self):
        rows = [
            ranker_row(ranker, family=family, temperature=t, density=density)
            for family in ranking_tables.FAMILY_COLUMNS
            for t in (0.3, 0.5, 0.7)
            for ranker in ("socket", "rabitq")
            for density in (0.1, 0.2)
        ]

        lines = self.cells(ranking_tables.family_table(rows, 0.1, "recall", ".2f"))
        self.assertEqual(lines[0][:3], ["ranker", "bits", "gaussian"])
        self.assertEqual(lines[2], ["SOCKET, tau = 0.3", "600"] + 6 * ["0.50"])
        self.assertEqual([line[0] for line in lines[2:]], ["SOCKET, tau = 0.3", "SOCKET, tau = 0.7"])

        lines = self.cells(ranking_tables.density_table(rows, "gaussian"))
        self.assertEqual(lines[0], ["ranker", "density 10%", "density 20%"])
        self.assertEqual(lines[3], ["SOCKET, tau = 0.7", "0.50", "0.50"])

    def test_memory_has_a_column_to_a_size(self):
        rows = [ranker_row(size=size, recall=int(size) / 1000) for size in ("600", "64")]

        lines = self.cells(ranking_tables.memory_table(rows))

        self.assertEqual(lines[0], ["ranker", "64 bits", "600 bits"])
        self.assertEqual(lines[2], ["SOCKET, tau = 0.3", "0.06", "0.60"])

    def test_the_answer_names_bits_and_has_a_column_to_a_family(self):
        published = [
            ranker_row(ranker, family=family, temperature=t)
            for family in ("gaussian", "needle", "clustered")
            for t in (0.3, 0.7)
            for ranker in ("socket", "hamming", "signed-orthogonal-norm", "pqcache", "loki", "cosine-oracle")
        ]
        sized = [
            ranker_row("signed-orthogonal-norm", family=family, size=size, recall=0.25)
            for family in ("gaussian", "needle", "clustered")
            for size in ("256", "600")
        ]

        lines = self.cells(ranking_tables.answer_table(published, sized))

        self.assertEqual(
            [line[0] for line in lines[2:5]],
            [*(f"SOCKET, tau = {t}, 600 bits" for t in (0.3, 0.7)), "equal bits of the same codes, 600 bits"],
        )
        self.assertEqual(lines[0], ["score", "gaussian", "clustered"])
        self.assertEqual([line[1] for line in lines[5:8]], ["0.50", "0.25", "0.25"])

    def test_the_table_of_temperatures_says_where_socket_is_above_equal_bits(self):
        rows = [
            warm_row("socket", 0.3, 0.5), warm_row("hamming", 0.3, 0.6, low=-0.2, high=-0.1),
            warm_row("socket", 0.7, 0.7), warm_row("hamming", 0.7, 0.6, low=0.05),
        ]  # fmt: skip

        lines = self.cells(ranking_tables.temperature_counts(rows))
        self.assertEqual(lines[2], ["gaussian", "0 / 0 / 1", "1 / 0 / 0"])

        norms = [row | {"family": family} for family in ranking_tables.QUERY_NORMS for row in rows]
        lines = self.cells(ranking_tables.temperature_table(norms))
        self.assertEqual(lines[3], ["√d", "10", "0.500 (below)", "0.700 (above)", "0.600"])
        lines = self.cells(ranking_tables.norm_table(norms, 10))
        self.assertEqual(lines[2], ["1", "correlation", "0.750", "0.950", "0.850"])
        self.assertEqual(lines[3], ["1", "precision", "0.500 (below)", "0.700 (above)", "0.600"])

    def test_leads_are_counted_over_k(self):
        rows = [
            {
                "setting": "as set",
                "ranker": ranker,
                "metric": metric,
                "k": k,
                "socket_lead_lo": low,
                "socket_lead_hi": 0.5,
            }
            for ranker in ranking_tables.ranking_leads.RIVALS
            for metric in ranking_tables.LEAD_METRICS
            for k, low in ((16, 0.1), (32, -0.1))
        ]

        lines = self.cells(ranking_tables.lead_table(rows))

        self.assertEqual(lines[2], ["as set", "hard LSH"] + 3 * ["1 / 1 / 0"])

    def test_predictions_by_family_and_the_furthest_of_them(self):
        rows = [
            prediction_row(score=score, quantity=quantity, k=k, difference=-k / 1000)
            for score in ranking_tables.SCORES
            for quantity in ranking_tables.AIMS
            for k in (16, 409)
        ]

        lines = self.cells(ranking_tables.prediction_table(rows))
        self.assertEqual(lines[2][:6], ["gaussian", "4096", "8, 0.5", "409"] + 2 * ["0.5 / 0.25 (-0.4090 ± 0.1250)"])

        lines = self.cells(ranking_tables.furthest_table(rows))
        self.assertEqual(lines[3], ["missed mass", "0.01"] + 3 * ["-0.4090 ± 0.1250, gaussian, N = 4096, k = 409"])

    def test_an_output_error_differs_by_percent(self):
        row = prediction_row(quantity="output-error", difference=0.031, difference_deviation=0.002)

        self.assertEqual(ranking_tables.difference(row), "+3.1 ± 0.2%")


if __name__ == "__main__":
    unittest.main()
