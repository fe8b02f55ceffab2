"""Do the figures of pretrained models show the losses, bits and heads of their tables?"""

import models
import style
from plot_case import PlotCase, lines_of, points

LOSSES = {
    "socket": 0.02,
    "socket-value": 0.2,
    "hamming": 0.03,
    "quest": 0.1,
    "oracle-top-k": 0.04,
    "cosine-oracle": 0.01,
}
SIGNED = {f"{head}{bits}": 1 / bits for head in models.BITS for bits in (320, 128, 600)}


def loss_rows():
    return [
        {"kind": "text", "length": length, "ranker": ranker, "sparsity": sparsity, "dense_layers": layers}
        | {"excess": loss * sparsity, "low": loss * sparsity - 0.01, "high": loss * sparsity + 0.01}
        for length in (4096, 8000)
        for sparsity in (33, 10)
        for layers in (0, 1)
        for ranker, loss in (LOSSES | SIGNED).items()
    ]


def head_rows():
    places = [(layer, head) for layer in range(3) for head in range(2)]
    means = [
        {
            "length": 4096,
            "ranker": ranker,
            "sparsity": 33,
            "layer": layer,
            "head": str(head),
            "error": error * (layer + 1) + head,
        }
        for ranker, error in (("socket", 0.1), ("socket-value", 0.3))
        for layer, head in places
    ]
    kinds = [
        {"length": 4096, "layer": layer, "head": str(head), "value_norm_variation": layer / 10, "first_mass": head / 2}
        for layer, head in places
    ]
    return means, kinds


def prediction_rows():
    numbers = {"recall_gaussian": 0.375, "recall_predicted": 0.25, "recall": 0.5}
    return [
        {"layer": 0, "head": str(head), "ranker": ranker, "correlation": 0.5}
        | {name: number + head / 4 for name, number in numbers.items()}
        | {"error_predicted": 0.2 * (head + 1), "error": 0.1 * (head + 1)}
        for head in range(2)
        for ranker in models.PREDICTED
    ]


def residual_tables():
    """Rows of two heads, of two rules, and of a curve whose areas are told apart."""
    heads = [
        {"codes": codes, "layer": 0, "head": str(head), "residual_median": 0.1 * (head + 1)}
        | {
            f"{limit}_median": factor * 0.1 * (head + 1)
            for limit, factor in (("row", 4), ("ceilings", 2), ("nominal", 1.1))
        }
        for codes in ("plain", "centred")
        for head in range(2)
    ]
    rules = [
        {"rule": rule, "codes": codes, "lists": lists, "bits": bits, "read": read, "excess": 1 / read}
        for rule, codes, bits in (
            ("fixed", "plain", 320),
            ("grown by ceilings", "centred", 320),
            ("grown by ceilings", "centred", 1024),
        )
        for lists in ("head", "kv-head")
        for read in (400 + bits, 200 + bits)
    ]
    flags = [
        {"case": case, "codes": codes, "limit": limit, "name": str(target), "hits": 1 - target, "flagged": (1 - target) ** 2}
        for case in ("head at a row", "barred, some head above its median", "quarter")
        for codes, limit in (("plain", "residual"), *(kind[:2] for kind in models.LIMITS))
        for target in (0.5, 0.25)
    ]  # fmt: skip
    return {"residual_heads": heads, "residual_rules": rules, "residual_flags": flags}


class Models(PlotCase):
    def test_loss_against_sparsity_in_order_and_by_length(self):
        figure = models.figure_loss(loss_rows())

        self.assertEqual([axes.get_title("left") for axes in figure.axes], ["4,096 tokens", "8,000 tokens"])
        (socket,) = lines_of(figure.axes[0], style.RANKERS["socket"][0])
        self.assertEqual(points(socket), [(10, 0.2), (33, 0.66)])
        self.assertEqual(list(figure.axes[1].get_xticks()), [10, 33])
        self.assertIn("linear below 0.02", figure.axes[0].get_ylabel())

    def test_loss_against_bits(self):
        figure = models.figure_bits(loss_rows())

        (line,) = lines_of(figure.axes[0], models.BITS["group-signed-"][0])
        self.assertEqual(points(line), [(bits, 1 / bits * 33) for bits in (128, 320, 600)])
        (socket,) = lines_of(figure.axes[0], style.RANKERS["socket"][0])
        self.assertEqual(points(socket), [(600, 0.66)])

    def test_what_the_value_norm_adds_stands_at_its_head(self):
        figure = models.figure_value_norm(*head_rows())

        shown = figure.axes[0].images[0].get_array()
        self.assertEqual(shown.shape, (3, 2))
        for layer in range(3):
            for head in range(2):
                self.assertAlmostEqual(shown[layer, head], 0.2 * (layer + 1))
        self.assertEqual([x for x, _ in points(figure.axes[1].lines[0])], [0, 0, 0.1, 0.1, 0.2, 0.2])

    def test_predictions_stand_against_what_was_measured(self):
        figure = models.figure_prediction(prediction_rows())

        (recall, *_), (error, *_) = (
            [line for line in axes.lines if line.get_label() == "SOCKET"] for axes in figure.axes[1:]
        )
        self.assertEqual(points(recall), [(0.5, 0.25), (0.75, 0.5)])
        self.assertEqual(points(error), [(0.1, 0.2), (0.2, 0.4)])
        self.assertEqual(points(figure.axes[0].lines[0]), [(0.5, 0.375), (0.75, 0.625)])
        self.assertEqual(figure.axes[2].get_xscale(), "log")

    def test_limits_stand_against_the_weights_of_their_heads(self):
        figure = models.figure_residual(residual_tables()["residual_heads"])

        rows, *_, nominal = figure.axes
        self.assertEqual(points(rows.lines[0]), [(0.1, 0.4), (0.2, 0.8)])
        self.assertEqual([round(y, 9) for _, y in points(nominal.lines[0])], [0.11, 0.22])

    def test_rules_in_order_and_curves_from_corner_to_corner(self):
        tables = residual_tables()
        figure = models.figure_rest(tables["residual_rules"], tables["residual_flags"])

        (grown,) = lines_of(figure.axes[0], "#C1121F")
        self.assertEqual(points(grown), [(1224, 1 / 1224), (1424, 1 / 1424)])
        (curve,) = lines_of(figure.axes[2], models.LIMITS[0][2])
        self.assertEqual(points(curve), [(1, 1), (0.5625, 0.75), (0.25, 0.5), (0, 0)])

    def test_the_files_of_a_folder(self):
        self.write_csv("common.csv", loss_rows())
        self.check_files(["models_bits", "models_loss"], models.main, self.folder)
        for name, rows in zip(("head_means", "head_kinds"), head_rows(), strict=True):
            self.write_csv(f"{name}.csv", rows)
        self.write_csv("prediction.csv", prediction_rows())
        for name, rows in residual_tables().items():
            self.write_csv(f"{name}.csv", rows)
        names = [
            "models_bits",
            "models_loss",
            "models_prediction",
            "models_residual",
            "models_rest",
            "models_value_norm",
        ]
        self.check_files(names, models.main, self.folder)
