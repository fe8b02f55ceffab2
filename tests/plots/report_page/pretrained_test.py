"""Does the table of pretrained models hold the records' numbers, and mark only the intervals without 0?"""

from plot_case import PlotCase
from report_page import outcome, pretrained


def row(contrast, length, difference, low, high, sparsity=33):
    place = {"contrast": contrast, "ranker": "a", "against": "b", "length": length, "sparsity": sparsity, "windows": 3}
    return place | {"difference": difference, "low": low, "high": high}


class Pretrained(PlotCase):
    def record(self, model, rows):
        path = self.folder / pretrained.RECORD.format(model)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.write_csv(path.relative_to(self.folder), rows)

    def test_a_column_to_each_length_and_bold_without_zero(self):
        first = [
            row("value norm", 8000, 0.25, -0.5, 1), row("value norm", 4096, 0.5, 0.25, 0.75), row("value norm", 4096, 9, 8, 10, 10),
            row("distance", 4096, -0.5, -0.75, -0.25),
        ]  # fmt: skip
        self.record("smollm2", first)
        self.record("gemma3-270m", [row("value norm", 4096, 0.125, 0, 0.25)])

        seen = pretrained.pretrained(self.folder)

        self.assertEqual(
            seen["columns"][1:],
            ["SmolLM2-135M, 4,096 tokens", "SmolLM2-135M, 8,000 tokens", "Gemma 3 270M, 4,096 tokens"],
        )
        norm, distance = ([getattr(cell, "text", cell) for cell in line] for line in seen["rows"])
        self.assertEqual(
            norm, ["value norm", "<strong>0.5 (0.25 to 0.75)</strong>", "0.25 (−0.5 to 1)", "0.12 (0 to 0.25)"]
        )
        self.assertEqual(distance, ["distance", "<strong>−0.5 (−0.75 to −0.25)</strong>", "", ""])
        self.assertEqual((seen["norm"], seen["norm_decided"], seen["settings"]), ("0.12 to 0.5", 1, 3))

    def test_the_records_of_the_repository_and_none_elsewhere(self):
        self.assertEqual(len(pretrained.pretrained(outcome.ROOT)["rows"]), 8)
        self.assertIsNone(pretrained.pretrained(self.folder))
