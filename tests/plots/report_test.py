"""Does each part of report.html say what its rows say?"""

import json

import report
import results
from plot_case import PlotCase, slope_row, sweep_of_tables, verdict_row


class Report(PlotCase):
    def test_theorem_3_at_the_number_of_tables_nearest_to_the_papers(self):
        self.write_csv("sweep.csv", sweep_of_tables())
        sweep = results.read_sweeps(self.folder)[0]

        text = report.theorem_section([sweep])

        self.assertEqual(report.production_value(sweep), 16)  # of 4 and 16 the nearer to 60
        self.assertEqual(text.count("gaussian, P=4, L=16"), 4)

    def test_sentences_on_the_bound(self):
        row = {"trivial_bound_value_units": 2.0, "bound_drawn_occupancy_value_units": 8.0}

        nothing = report.bound_sentence(row | {"bound_sure_occupancy_value_units": 40.0})
        something = report.bound_sentence(row | {"bound_sure_occupancy_value_units": 1.0})

        self.assertIn("4 and 20 times the trivial bound: it says nothing", nothing)
        self.assertIn("is below it", something)

    def test_a_figure_stands_with_the_command_of_its_own_sweep(self):
        self.write_csv("sweep.csv", [row | {"command": "socketlab sweep --axis tables"} for row in sweep_of_tables()])
        sweep = results.read_sweeps(self.folder)[0]
        (self.folder / f"{sweep.name}.svg").write_bytes(b"<svg/>")

        text = report.figure_section(self.folder, [sweep], {"command": "reproduce", "seed": 5})

        self.assertIn("<code>socketlab sweep --axis tables</code>, seed 5.", text)

    def test_a_folder_without_results_says_so(self):
        report.main(self.folder)

        text = (self.folder / "report.html").read_text(encoding="utf-8")
        for missing in ("no verdicts", "no reading that fails", "no kill matrix", "no sweep over tables"):
            self.assertIn(missing, text)

    def test_the_report_of_a_folder(self):
        (self.folder / "verdicts.jsonl").write_text(json.dumps(verdict_row("S001-A")) + "\n", encoding="utf-8")
        (self.folder / "provenance.json").write_text('{"command": "reproduce", "seed": 5}', encoding="utf-8")
        self.write_csv("sweep.csv", sweep_of_tables())
        self.write_csv("sweep_slopes.csv", [slope_row()])

        report.main(self.folder)

        text = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("slope of log error against log tables from 4 on is -0.5000", text)
        self.assertIn("<code>reproduce</code>, seed 5.", text)
        for anchor in ("verdicts", "errata", "readings", "kill-matrix", "faults"):
            self.assertIn(f'<section id="{anchor}">', text)
        self.assertEqual([path.name for path in self.folder.glob("*.tmp")], [])
