"""Do the words and the table on rankings count the rows that they speak of?"""

import ranking_curves
import ranking_section
from frontier_test import ROWS as RANKERS
from page import Number
from plot_case import PlotCase
from ranking_curves_test import curve_rows, histogram_rows


def warm_rows():
    setting = {"family": "gaussian", "planes": 10, "temperature": 0.3, "correlation": 0.75, "instances": 8}
    leads = {"socket_lead_lo": -0.2, "socket_lead_hi": -0.1}
    return [
        setting | leads | {"ranker": ranker, "k": k, "precision": precision}
        for ranker, precision in (("socket", 0.5), ("hamming", 0.625), ("hard-lsh", 0.25))
        for k in (16, 64)
    ]


def prediction_rows():
    setting = {"setting": "as set", "family": "gaussian", "keys": 64, "score": "soft", "k": 16}
    return [
        setting
        | {"quantity": quantity, "predicted_value": 0.5, "measured_value": 0.25, "difference": difference}
        | {"difference_deviation": 0.125}
        for quantity, difference in (
            ("precision", 0.02),
            ("precision", -0.03),
            ("missed-mass", 0.01),
            ("output-error", 0.04),
        )
    ]


class RankingSection(PlotCase):
    def test_a_line_to_each_setting_and_rival_that_is_there(self):
        text = ranking_section.order_table(curve_rows(rankers=("socket", "hard-lsh")) + curve_rows("other"))

        lines = [line.split("</td>")[:2] for line in text.split("<tr>")[2:]]
        names = [tuple(cell.removeprefix("<td>") for cell in line) for line in lines]
        self.assertEqual([setting for setting, _ in names], ["paper", "other", "other", "other"])
        self.assertEqual(names[0][1], "hard LSH")
        self.assertEqual(text.count("2 above, 0 below, 0 level"), 4 * len(ranking_curves.METRIC_LABELS))

    def test_rows_of_one_density_at_published_sizes(self):
        rows = RANKERS + [RANKERS[0] | {"size": "equal"}]

        cells = list(ranking_section.ranker_rows(rows, 0.1))

        self.assertEqual([cell[1] for cell in cells], ["SOCKET", "SOCKET", "true top k", "Quest"])
        self.assertEqual([number.value for number in cells[0][2:4]], [600, 0.7])
        self.assertIsInstance(cells[0][2], Number)

    def test_the_sentence_gives_recall_with_its_interval_and_memory(self):
        signed = RANKERS[4] | {"ranker": "signed-orthogonal-norm", "recall": 0.8, "recall_lo": 0.75, "recall_hi": 0.85}

        text = ranking_section.frontier_sentence([*RANKERS, signed], 0.1)

        self.assertIn("true top 10% of the keys", text)
        self.assertIn("SOCKET: 0.7 [0.6, 0.8] at 600 bits", text)
        self.assertIn("orthogonal signed projection: 0.8 [0.75, 0.85] at 512 bits", text)

    def test_temperatures_stand_beside_equal_bits_at_the_largest_k(self):
        (cells,) = ranking_section.temperature_rows(warm_rows())

        self.assertEqual([cell.value for cell in cells[1:7]], [10, 0.3, 0.75, 0.75, 0.5, 0.625])
        self.assertEqual((cells[0], cells[7]), ("gaussian", "SOCKET below"))
        self.assertIn("top 64 keys, 8 instances", ranking_section.temperature_part(warm_rows()))

    def test_the_sentence_on_predictions_gives_the_largest_differences(self):
        text = ranking_section.prediction_part(prediction_rows())

        self.assertIn("0.03 in precision, 0.01 in the missed softmax mass, 4% of the output error", text)
        self.assertEqual(text.count("<tr>"), 1 + len(prediction_rows()))

    def test_the_section_of_a_folder_draws_its_figures(self):
        self.write_csv("ranking_curves.csv", curve_rows())
        self.write_csv("ranking_histogram.csv", histogram_rows())
        self.write_csv("rankers.csv", RANKERS)
        self.write_csv("ranking_temperatures.csv", warm_rows())
        self.write_csv("ranking_prediction.csv", prediction_rows())

        text = ranking_section.ranking_section(self.folder, {"command": "rank", "seed": 1})

        self.assertEqual(text.count("<img "), 7)
        self.assertIn("8 Gaussian instances", text)
        self.assertIn("SOCKET below", text)
        self.assertIn("predicted before any table is drawn", text)
