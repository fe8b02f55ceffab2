"""Do the words and the tables on rankings count the rows that they speak of?"""

import frontier
import ranking_curves
import style
from frontier_test import ROWS as RANKERS
from plot_case import PlotCase
from ranking_curves_test import curve_rows, histogram_rows
from report_page import rankings, shell


def warm_rows():
    setting = {"family": "gaussian", "planes": 10, "temperature": 0.3, "correlation": 0.75, "instances": 8}
    leads = {"socket_lead": -0.15, "socket_lead_lo": -0.2, "socket_lead_hi": -0.1}
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


class Rankings(PlotCase):
    def test_a_line_to_each_setting_and_rival_that_is_there(self):
        lines = rankings.order_rows(curve_rows(rankers=("socket", "hard-lsh")) + curve_rows("other"))

        self.assertEqual([setting for setting, *_ in lines], ["paper", "other", "other", "other"])
        self.assertEqual(lines[0][1], "hard LSH")
        cells = [cell for line in lines for cell in line[2:]]
        self.assertEqual(cells, 4 * len(ranking_curves.METRIC_LABELS) * ["2 above, 0 below, 0 level"])

    def test_rows_of_one_density_at_published_sizes(self):
        rows = RANKERS + [RANKERS[0] | {"size": "equal"}]

        cells = list(rankings.ranker_rows(rows, 0.1))

        self.assertEqual([cell[1] for cell in cells], ["SOCKET", "SOCKET", "true top k", "Quest"])
        self.assertEqual([number.value for number in cells[0][2:4]], [600, 0.7])

    def test_the_sentence_gives_recall_with_its_interval_and_memory(self):
        signed = RANKERS[4] | {"ranker": "signed-orthogonal-norm", "recall": 0.8, "recall_lo": 0.75, "recall_hi": 0.85}

        text = shell.caption("frontier_recall", **rankings.on_gaussian_keys([*RANKERS, signed], 0.1))

        self.assertIn("true top 10% of the keys", text)
        self.assertIn("SOCKET: 0.7 (0.6 to 0.8) at 600 bits", text)
        self.assertIn("orthogonal signed projection: 0.8 (0.75 to 0.85) at 512 bits", text)

    def test_temperatures_stand_beside_equal_bits_at_the_largest_k(self):
        made = rankings.temperature_part(warm_rows())

        (cells,) = made["rows"]
        self.assertEqual([cell.value for cell in cells[1:7]], [10, 0.3, 0.75, 0.75, 0.5, 0.625])
        self.assertEqual((cells[0], cells[7].text, cells[8]), ("gaussian", "−0.15 (−0.2 to −0.1)", "below"))
        self.assertEqual((made["k"], made["instances"]), (64, 8))
        self.assertEqual(made["decided"], "In 1 setting, SOCKET is below at 1.")

    def test_a_table_in_which_every_lead_is_level_says_that_it_decides_nothing(self):
        level = [row | {"socket_lead_hi": 0.1} for row in warm_rows()]
        other = [row | {"temperature": 0.5} for row in warm_rows()]

        nothing, something = (rankings.temperature_part(rows)["decided"] for rows in (level, level + other))

        self.assertEqual(
            nothing, "This table decides nothing: with 8 instances, the interval of every lead contains 0 (1 setting)."
        )
        self.assertEqual(something, "In 2 settings, SOCKET is below at 1, level at 1.")

    def test_the_largest_differences_of_predictions(self):
        made = rankings.prediction_part(prediction_rows())

        self.assertEqual((made["precision"], made["missed_mass"], made["output_error"]), (0.03, 0.01, 0.04))
        self.assertEqual(len(made["rows"]), len(prediction_rows()))

    def test_the_parts_of_a_folder_with_their_figures(self):
        self.write_csv("ranking_curves.csv", curve_rows())
        self.write_csv("ranking_histogram.csv", histogram_rows())
        self.write_csv("rankers.csv", RANKERS)
        self.write_csv("ranking_temperatures.csv", warm_rows())
        self.write_csv("ranking_prediction.csv", prediction_rows())

        style.draw_all(ranking_curves.figures(self.folder) + frontier.figures(self.folder))
        made = rankings.rankings(self.folder, {"command": "rank", "seed": 1})

        self.assertEqual((len(made["curves"]["figures"]), len(made["rankers"]["figures"])), (3, 4))
        for part in ("curves", "rankers", "temperatures", "prediction"):
            self.assertEqual({len(row) for row in made[part]["rows"]}, {len(made[part]["columns"])}, part)

    def test_parts_without_files_are_none(self):
        self.assertEqual(set(rankings.rankings(self.folder, {}).values()), {None})
