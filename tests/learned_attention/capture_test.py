"""Is the captured file read by the program, is it of the heads that it names, and does a wrong score fail the CUDA
check?
"""

import contextlib
import io
import json
import os
import subprocess
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
import tiny
import torch
from learned_attention import capture, cuda_check, model, refusals
from learned_attention.ranking import hash_scores

TEXT = np.random.default_rng(7).integers(1, 61, 900).astype(np.uint16)


def head(number, kind, **masses):
    names = {"local_mass": 0.0, "sink_mass": 0.0, "induction_mass": 0.0, "effective_keys": 1.0}
    return {"head": number, "kind": kind} | names | masses


class Choice(unittest.TestCase):
    def test_every_kind_is_there_before_a_second_of_one(self):
        a = {"layer": 0, "kv_head": 0, "heads": [head(0, "local", local_mass=0.9), head(1, "local", local_mass=0.8)]}
        b = {"layer": 0, "kv_head": 1, "heads": [head(2, "local", local_mass=0.7), head(3, "sink", sink_mass=0.6)]}
        c = {
            "layer": 1,
            "kv_head": 0,
            "heads": [head(0, "diffuse", effective_keys=50), head(1, "induction", induction_mass=0.4)],
        }
        d = {"layer": 1, "kv_head": 1, "heads": [head(2, "diffuse", effective_keys=90), head(3, "sink", sink_mass=0.5)]}

        self.assertEqual(capture.chosen([a, b, c, d], 3), [a, b, c])
        self.assertEqual(capture.chosen([a, b, c, d], 1), [b])  # two kinds rather than the most local head
        self.assertEqual(capture.chosen([a, b, c, d], 4), [a, b, c, d])
        self.assertEqual(capture.chosen([a, d], 9), [a, d])
        self.assertEqual(capture.counted([a, b, c, d]), "local 3, sink 2, induction 1, diffuse 2")

    def test_three_kv_heads_have_all_four_kinds_where_three_can(self):
        local = {"layer": 0, "kv_head": 0, "heads": [head(0, "local", local_mass=0.9)]}
        sink = {"layer": 0, "kv_head": 1, "heads": [head(1, "sink", sink_mass=0.9)]}
        induction = {"layer": 1, "kv_head": 0, "heads": [head(0, "induction", induction_mass=0.9)]}
        diffuse = {"layer": 1, "kv_head": 1, "heads": [head(1, "diffuse", effective_keys=90)]}
        weak = {"layer": 2, "kv_head": 0, "heads": [head(0, "sink", sink_mass=0.5), head(1, "local", local_mass=0.5)]}
        every = [local, sink, induction, diffuse, weak]

        # The strongest local and sink heads would leave one place for two kinds.
        self.assertEqual(capture.chosen(every, 3), [induction, diffuse, weak])
        self.assertEqual(capture.chosen(every, 4), [local, sink, induction, diffuse])
        self.assertEqual(capture.chosen(every, 2), [induction, weak])
        self.assertEqual(capture.chosen(every[:4], 3), [local, sink, induction])  # no three have four


class File(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        model.save(tiny.model(), self.folder / "model.safetensors", {})

    def captured(self, *more):
        import learned_attention

        modules = {
            "corpus": types.SimpleNamespace(validation_tokens=lambda folder: TEXT),
            "retrieval_tasks": types.SimpleNamespace(draw=tiny.draw, TASKS=("one",)),
            "tokenizer": types.SimpleNamespace(read=lambda path: None, encoder=lambda read: None),
        }
        out = self.folder / "learned.safetensors"
        asked = ["--model", str(self.folder), "--out", str(out), "--device", "cpu", "--length", "64", "--queries", "6"]
        names = mock.patch.dict(
            "sys.modules", {f"learned_attention.{name}": module for name, module in modules.items()}
        )
        patched = mock.patch.multiple(learned_attention, create=True, **modules)
        with names, patched, contextlib.redirect_stdout(io.StringIO()) as said:
            capture.main([*asked, *more])
        import safetensors

        with safetensors.safe_open(out, framework="pt") as file:
            return {name: file.get_tensor(name) for name in "qkv"}, file.metadata(), said.getvalue()

    def test_the_tensors_are_those_of_the_heads_that_the_metadata_name(self):
        tensors, metadata, said = self.captured()
        heads = json.loads(metadata["heads"])
        kinds = [head["kind"] for one in heads for head in one["heads"]]  # all heads of the model are kept here
        expected = ", ".join(f"{kind} {kinds.count(kind)}" for kind in ("local", "sink", "induction", "diffuse"))
        self.assertIn(f"heads of the model: {expected}\n", said)
        self.assertEqual(len(heads), 4)
        self.assertEqual([tuple(tensors[name].shape) for name in "qkv"], [(8, 6, 8), (4, 64, 8), (4, 64, 8)])
        seen = []
        with torch.no_grad():
            tokens = torch.from_numpy(capture.evaluate.Examples(TEXT, None, None, 1, 64).text(64, 1)[:, :-1].copy())
            tiny.model()(
                tokens, attention=lambda layer, q, k, v: seen.append((q, k, v)) or model.dense_attention(q, k, v)
            )
        for place, one in enumerate(heads):
            q, k, v = seen[one["layer"]]
            self.assertTrue(torch.equal(tensors["k"][place], k[0, one["kv_head"]].bfloat16()))
            self.assertTrue(torch.equal(tensors["v"][place], v[0, one["kv_head"]].bfloat16()))
            for i, head in enumerate(one["heads"]):
                self.assertTrue(torch.equal(tensors["q"][2 * place + i], q[0, head["head"], -6:].bfloat16()))
                self.assertEqual(head["head"] // 2, one["kv_head"])
        self.assertNotIn("/", metadata["command"])  # no place of a machine
        self.assertEqual(json.loads(metadata["window"]), {"length": 64, "number": 0, "seed": 1, "queries": 6})

    def test_no_more_bytes_than_asked(self):
        with mock.patch.object(capture, "HEADER_BYTES", 100_000 - 2 * capture.bytes_of_kv_head(64, 6, 2, 8)):
            tensors, _, _ = self.captured("--bytes", "100000")
        self.assertEqual(tensors["k"].shape[0], 2)
        with mock.patch.object(capture, "HEADER_BYTES", 100_000), self.assertRaisesRegex(refusals.Refused, "too few"):
            self.captured("--bytes", "100000")
        with self.assertRaisesRegex(refusals.Refused, "queries 65: allowed are up to the 64 keys"):
            self.captured("--queries", "65")

    def test_the_program_reads_it(self):
        command = os.environ.get("SOCKETLAB_COMMAND")
        if not command:
            self.skipTest("SOCKETLAB_COMMAND names no program")
        tensors, _, _ = self.captured()
        path = self.folder / "learned.safetensors"
        files = [f"--{name}={path}" for name in ("queries", "keys", "values")]
        options = ["--causal", "--budget", "64", "--window", "1", "--tables", "4", "--planes", "4"]
        asked = [command, "attend", *files, *options, "--out", self.folder / "out"]
        done = subprocess.run(asked, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        # A budget of all keys is dense causal attention of each head over its own keys.
        q, k, v = (tensors[name].double() for name in "qkv")
        logits = q.unflatten(0, (4, 2)) @ k.unsqueeze(1).transpose(-1, -2) / 8**0.5
        ahead = torch.arange(64) > torch.arange(58, 64).unsqueeze(-1)
        expected = (logits.masked_fill(ahead, -torch.inf).softmax(dim=-1) @ v.unsqueeze(1)).flatten(0, 1)
        np.testing.assert_allclose(np.load(self.folder / "out" / "output.npy"), expected.numpy(), rtol=1e-9, atol=1e-9)

    def test_the_cuda_check_says_that_it_is_skipped(self):
        with mock.patch.object(torch.cuda, "is_available", lambda: False):
            _, _, said = self.captured("--cuda-check")
        self.assertIn("cuda check: skipped, PyTorch sees no GPU", said)


class CudaCheck(unittest.TestCase):
    def setUp(self):
        draw = torch.Generator().manual_seed(3)
        shapes = {"q": (4, 6, 8), "k": (2, 64, 8), "v": (2, 64, 8)}
        self.tensors = {name: torch.randn(shape, generator=draw).bfloat16() for name, shape in shapes.items()}

    def library(self, change=lambda scores: scores, order=1):
        """What the CUDA library is asked for, in PyTorch's float64; its norms are of half precision."""
        made, planes = cuda_check.torch_side(self.tensors, tiny.SMALL)

        class Index:
            def __init__(self, keys, values, hyperplanes, library):
                self.hyperplanes, self.packed = hyperplanes, None
                self.norms = values.float().norm(dim=-1).half().unsqueeze(0)

        def soft_buckets(q, hyperplanes, temperature, library):
            return q

        def score_packed(half, packed, norms, planes, used, library):
            one, hyperplanes = cuda_check.torch_side({**self.tensors, "q": half[0].unsqueeze(1)}, tiny.SMALL)
            turned = hyperplanes.flip(1) if order < 0 else hyperplanes
            keys, queries = (x.double() @ turned.flatten(0, 1).double().T for x in (one.keys, one.queries))
            soft = []
            for kv in range(2):
                table = hash_scores.soft_table(queries[0, kv].T.reshape(12, 4, -1), 0.5, 8)
                codes = hash_scores.codes_of(keys[0, kv].reshape(64, 12, 4))
                if order < 0:
                    codes = hash_scores.codes_of(keys[0, kv].reshape(64, 12, 4).flip(-1))
                soft.append(sum(table[l][codes[:, l]] for l in range(12)).T)
            return change(torch.cat(soft).float().reshape(1, 4, 64) * norms.float().repeat_interleave(2, dim=1))

        def decode_step(q, index, budget, sink, window, temperature):
            from learned_attention.ranking import selection

            one, _ = cuda_check.torch_side({**self.tensors, "q": q[0].unsqueeze(1)}, tiny.SMALL)
            scores = score_packed(q, None, index.norms, 4, 64, None).reshape(1, 2, 2, 64)
            rule = selection.Rule(budget, sink, window)
            return selection.attend(one, selection.select(one, scores, rule)).reshape(1, 4, 8)

        return types.SimpleNamespace(
            Index=Index, soft_buckets=soft_buckets, score_packed=score_packed, decode_step=decode_step
        ), None

    def checked(self, **more):
        with mock.patch.object(cuda_check, "library", lambda path: self.library(**more)):
            cpu = mock.patch.object(torch.Tensor, "cuda", lambda tensor: tensor)
            with cpu, contextlib.redirect_stdout(io.StringIO()) as said:
                cuda_check.report(self.tensors, tiny.SMALL)
        return said.getvalue()

    def test_a_library_that_is_missing_is_said(self):
        with mock.patch.object(torch.cuda, "is_available", lambda: True):
            self.assertIn("/nowhere/libsocketlab_gpu.so", cuda_check.library("/nowhere/libsocketlab_gpu.so"))

    def test_a_library_that_agrees_passes(self):
        self.assertIn("100.00% of 24 outputs within 1e-3", self.checked())

    def test_lies_near_the_truth_are_refused(self):
        with self.assertRaisesRegex(refusals.Refused, "a score is off by"):
            self.checked(change=lambda scores: scores * 1.001)
        with self.assertRaisesRegex(refusals.Refused, "a score is off by"):
            self.checked(order=-1)
        with self.assertRaisesRegex(refusals.Refused, "a score is off by inf"):
            self.checked(change=lambda scores: scores * float("nan"))


if __name__ == "__main__":
    tiny.main()
