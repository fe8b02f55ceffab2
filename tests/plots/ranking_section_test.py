"""Do the words and the table on rankings count the rows that they speak of?"""

import ranking_curves
import ranking_section
from frontier_test import ROWS as RANKERS
from page import Number
from plot_case import PlotCase
from ranking_curves_test import curve_rows, histogram_rows


def lead(low, high):
    return {"socket_lead_lo": low, "socket_lead_hi": high}


class RankingSection(PlotCase):
    def test_leads_are_counted_by_their_whole_interval(self):
        rows = [lead(0.1, 0.2), lead(0.01, 0.3), lead(-0.2, -0.1), lead(-0.1, 0.1), lead(0, 0.1)]

        self.assertEqual(ranking_section.order_cell(rows), "2 above, 1 below, 2 open")

    def test_a_line_to_each_setting_and_rival_that_is_there(self):
        text = ranking_section.order_table(curve_rows(rankers=("socket", "hard-lsh")) + curve_rows("other"))

        lines = [line.split("</td>")[:2] for line in text.split("<tr>")[2:]]
        names = [tuple(cell.removeprefix("<td>") for cell in line) for line in lines]
        self.assertEqual([setting for setting, _ in names], ["paper", "other", "other", "other"])
        self.assertEqual(names[0][1], "hard LSH")
        self.assertEqual(text.count("2 above, 0 below, 0 open"), 4 * len(ranking_curves.METRIC_LABELS))

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

    def test_the_section_of_a_folder_draws_its_figures(self):
        self.write_csv("ranking_curves.csv", curve_rows())
        self.write_csv("ranking_histogram.csv", histogram_rows())
        self.write_csv("rankers.csv", RANKERS)

        text = ranking_section.ranking_section(self.folder, {"command": "rank", "seed": 1})

        self.assertEqual(text.count("<img "), 7)
        self.assertIn("8 Gaussian instances", text)
