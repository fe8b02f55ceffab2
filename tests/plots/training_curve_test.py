"""Are losses and shares drawn where they were measured, and stages where their window is first seen?"""

import subprocess
import sys

import training_curve
from plot_case import NAN, PlotCase, lines_of, points


def step(seconds, window, text, answer):
    return {
        "step": 10 * seconds, "seconds": seconds, "tokens": 100 * seconds, "window": window, "learning_rate": 1e-3,
        "text_loss": text, "answer_loss": answer, "copy_loss": "", "gradient_norm": 1.5,
    }  # fmt: skip


def look(seconds, quantity, value):
    return {"step": 10 * seconds, "seconds": seconds, "quantity": quantity, "length": 512, "value": value}


TRAINING = [step(1, 512, 5.0, 9.0), step(2, 512, 4.0, NAN), step(3, 1024, 3.5, 2.0)]
VALIDATION = [look(2, "text_loss", 4.5), look(2, "needle", 0.25), look(3, "text_loss", 3.75), look(3, "needle", 1.0)]


class TrainingCurve(PlotCase):
    def figure(self):
        return training_curve.draw(TRAINING, VALIDATION)

    def test_losses_and_shares_stand_at_their_seconds(self):
        losses, shares = self.figure().axes

        drawn = {line.get_label(): points(line) for line in losses.lines}
        self.assertEqual(drawn["text, training"], [(1, 5.0), (2, 4.0), (3, 3.5)])
        self.assertEqual(drawn["text, validation"], [(2, 4.5), (3, 3.75)])
        self.assertEqual(points(lines_of(shares, "#0072B2")[0]), [(2, 0.25), (3, 1.0)])
        self.assertEqual(lines_of(shares, "#D55E00"), [])

    def test_a_stage_begins_where_its_window_is_first_seen(self):
        self.assertEqual(training_curve.windows(TRAINING), [(1, 512), (3, 1024)])
        _, shares = self.figure().axes
        self.assertEqual([line.get_xdata()[0] for line in lines_of(shares, "#CCCCCC")], [3])
        self.assertEqual([text.get_text() for text in shares.texts], ["512", "1,024"])

    def test_the_files(self):
        self.write_csv("training.csv", [{**row, "answer_loss": ""} for row in TRAINING])
        self.write_csv("validation.csv", VALIDATION)

        self.check_files(["training_curve"], training_curve.main, self.folder, self.folder)

    def test_a_folder_without_a_training_is_refused(self):
        command = [sys.executable, "-B", training_curve.__file__, self.folder, self.folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("allowed is a folder with the files training.csv", done.stderr)
