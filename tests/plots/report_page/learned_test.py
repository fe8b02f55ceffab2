"""Does the section on a trained model hold the rows of its record, at one length and sparsity, and say so where there is none?"""

import json

import style
from learned_attention_test import LOSSES, loss
from plot_case import PlotCase
from report_page import learned

CLAIM = {
    "kind": "claim", "claim": "ours is better", "words": "better than theirs", "place": "Abstract", "length": 4096, "sparsity": 33,
    "ranker": "socket", "against": "quest", "windows": 96, "contrasts": 2, "difference": -0.025, "low": -0.036,
    "high": -0.014, "verdict": "holds",
}  # fmt: skip


class Learned(PlotCase):
    def record(self, claims):
        folder = self.folder / learned.RECORDED
        folder.mkdir(parents=True)
        facts = {"parameters": 56636160, "seconds": 350.0, "device": "a GPU", "command": "python -m x", "seed": 1}
        (folder / "run.json").write_text(json.dumps(facts), encoding="utf-8")
        self.write_csv(f"{learned.RECORDED}/losses.csv", [*LOSSES, loss("oracle-top-k", 33, 0.01)])
        self.write_csv(f"{learned.RECORDED}/claims.csv", claims)
        (self.folder / learned.SECOND).mkdir(parents=True)
        second = CLAIM | {"low": -0.01, "high": 0.02, "verdict": "not told apart"}
        self.write_csv(f"{learned.SECOND}/claims.csv", [second | {"sparsity": 10, "low": -1}, second])

    def test_claims_of_the_shortest_length_and_the_one_sparsity(self):
        other = {"kind": "question", "ranker": "hamming", "words": "", "place": "", "verdict": "not told apart"}
        self.record(
            [CLAIM, CLAIM | {"sparsity": 10}, CLAIM | other, CLAIM | {"length": 32768, "verdict": "does not hold"}]
        )

        style.draw_all(learned.figures(self.folder, self.folder))
        made = learned.learned(self.folder, self.folder)

        texts = [[getattr(cell, "text", cell) for cell in row] for row in made["rows"]]
        self.assertEqual(
            texts,
            [
                ["The paper's claim: ours is better: “better than theirs”, Abstract", "SOCKET", "Quest", "−0.025", "[−0.036, −0.014]",
                 "✓ holds", "[−0.01, 0.02]", "? not significantly different"],
                ["Our question: ours is better", "Hamming, all L·P bits", "Quest", "−0.025", "[−0.036, −0.014]",
                 "? not significantly different", "", ""],
            ],
        )  # fmt: skip
        self.assertEqual([made[name] for name in ("parameters", "seconds", "length", "windows")],
                         [56636160, 350, 4096, 96])  # fmt: skip
        # Of the losses over dense at 33x and 4,096 tokens, the sinks attended.
        self.assertEqual(made["means"], {"socket": 0.02, "quest": 0.04, "oracle-top-k": 0.01})
        self.assertEqual(made["figure"]["facts"], {"command": "python -m x", "seed": 1})

    def test_without_a_record_there_is_no_section(self):
        self.assertEqual(learned.figures(self.folder, self.folder), [])
        self.assertIsNone(learned.learned(self.folder, self.folder))

    def test_the_record_of_the_repository_can_be_read(self):
        found = learned.evidence()
        self.assertLess(found["means"]["oracle-top-k"], found["means"]["random"])
        self.assertEqual({row["verdict"] for row in found["claims"]} - set(learned.SIGNS), set())
