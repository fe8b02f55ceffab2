"""Trains the small language model whose keys are studied, on Python sources of this machine and on retrieval tasks.

    PYTHONPATH=python python -m learned_attention.train --folder F --seconds 480 --seed 1
    PYTHONPATH=python torchrun --standalone --nproc-per-node 2 -m learned_attention.train --folder F --seconds 480

The second shares each step between two GPUs. F receives train.bin, validation.bin, tokenizer.json and corpus.json (kept
and used again), model.safetensors, training.csv, validation.csv and run.json. The seconds are those of the steps and of
the validations between them; preparing the corpus, compiling and the final validation come on top.

Which batch comes at which step depends on the seed alone, but how many steps a stage has on the speed of the machine,
and a GPU adds in no fixed order: with --seconds, two runs of a seed agree within noise. With --steps on the CPU they
are the same.
"""

import argparse
import json
import os
import platform
import shlex
import sys
import time
from pathlib import Path

from learned_attention import corpus, refusals, schedule
from learned_attention import tokenizer as bpe
from learned_attention.refusals import Refused, real, whole, write_whole

PROGRAM = "learned_attention.train"


def parser():
    program = refusals.Parser(prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def add(name, kind, default, text, **more):
        program.add_argument(name, type=kind, default=default, help=f"{text} (default: {default})", **more)

    program.add_argument("--folder", type=Path, required=True, help="where everything is written; made if missing")
    add("--seconds", real(1, 86_400), 480.0, "length of the training, 1 to 86,400 s")
    add("--steps", whole(1, 10**7), None, "length in steps instead, 1 to 10,000,000, for exact repetition")
    add("--seed", whole(0, 2**62), 1, "of weights and batches, 0 to 2^62")
    program.add_argument(
        "--sources", type=Path, nargs="+", metavar="FOLDER",
        help="folders of .py files (default: standard library and packages of this Python)",
    )  # fmt: skip
    program.add_argument("--prepare", action="store_true", help="prepare the corpus of the folder and end there")
    add("--layers", whole(1, 64), 8, "blocks, 1 to 64")
    add("--width", whole(8, 8192), 768, "of the residual stream, 8 to 8,192")
    add("--query-heads", whole(1, 128), 6, "1 to 128, a multiple of the KV heads")
    add("--kv-heads", whole(1, 128), 2, "1 to 128")
    add("--head-dim", whole(2, 256), 128, "coordinates of a head, 2 to 256, even")
    add("--vocabulary", whole(300, 65_536), 8192, "entries of the tokenizer, 300 to 65,536")
    add("--rotary-base", real(2, 1e9), 500_000.0, "2 to 1e9")
    add("--tokens", whole(64, 2**24), 65_536, "a step and process, 64 to 16,777,216")
    add("--longest-window", whole(64, 2**20), 32_768, "tokens that windows grow to, 64 to 1,048,576")
    add(
        "--optimizer",
        str,
        "muon",
        "muon (with AdamW for what is no matrix of a block) or adamw",
        choices=("muon", "adamw"),
    )
    add("--learning-rate", real(0, 1), 7e-4, "peak, of AdamW, 0 to 1")
    add("--muon-rate", real(0, 1), 1e-3, "peak, of Muon, 0 to 1")
    add("--device", str, "auto", "cpu, cuda, or auto for cuda where there is one", choices=("auto", "cpu", "cuda"))
    add("--compile", str, "auto", "torch.compile: on, off, or auto for on a GPU alone", choices=("auto", "on", "off"))
    add("--workers", whole(1, 256), 6, "processes that make batches, for each process that trains, 1 to 256")
    add("--log-every", whole(1, 10**6), 20, "steps to a row of training.csv, 1 to 1,000,000")
    add("--validate-every", real(0.1, 1e9), 60.0, "seconds (steps, with --steps) between validations, 0.1 to 1e9")
    add("--save-every", real(0.1, 1e9), 120.0, "seconds (steps, with --steps) between checkpoints, 0.1 to 1e9")
    add("--examples", whole(1, 10**5), 8, "of each task in a validation, 1 to 100,000")
    add("--final-examples", whole(1, 10**5), 64, "of each task in the last validation, 1 to 100,000")
    add("--final-tokens", whole(1, 10**9), 524_288, "of text in the last validation, 1 to 1e9")
    return program


class Processes:
    """Which of how many processes this is, its device, and how it talks with the others."""

    def __init__(self, options):
        import datetime

        import torch
        import torch.distributed as dist

        self.rank, self.world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
        local = int(os.environ.get("LOCAL_RANK", 0))
        on_gpu = torch.cuda.is_available() if options.device == "auto" else options.device == "cuda"
        if on_gpu and not torch.cuda.is_available():
            raise Refused("--device cuda: PyTorch finds no GPU; allowed is --device cpu")
        if on_gpu and local >= torch.cuda.device_count():
            raise Refused(f"process {local} of this host has no GPU; allowed are {torch.cuda.device_count()} processes")
        self.device = torch.device("cuda", local) if on_gpu else torch.device("cpu")
        self.name = torch.cuda.get_device_name(self.device) if on_gpu else platform.processor() or platform.machine()
        self.control = None
        if on_gpu:
            torch.cuda.set_device(self.device)
        if self.world > 1:
            # Long enough for process 0 to prepare the corpus.
            patience = datetime.timedelta(minutes=20)
            dist.init_process_group("nccl" if on_gpu else "gloo", timeout=patience)
            self.control = dist.new_group(backend="gloo", timeout=patience)

    def say(self, text):
        if self.rank == 0:
            print(text, flush=True)

    def close(self):
        import torch.distributed as dist

        if self.world > 1:
            dist.destroy_process_group()


def prepared_corpus(options):
    """The record of the folder's corpus, prepared by process 0 where it is not there yet."""
    sources = options.sources or corpus.default_sources()
    record = corpus.prepared(options.folder, options.vocabulary)
    if record is None:
        print(f"corpus from {', '.join(map(str, sources))}", flush=True)
        record = corpus.prepare(options.folder, sources, options.vocabulary, os.cpu_count() or 1)
    train, held_out = record["train"], record["validation"]
    print(
        f"corpus: {train['tokens']} tokens of {train['files']} files, {held_out['tokens']} for validation", flush=True
    )
    return record


def check(options, stages):
    """Refuses early what would fail late."""
    for stage in sorted(stages, key=lambda stage: -stage.window):
        schedule.rows_of(stage, options.tokens)
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise Refused(f"--folder {options.folder}: not a folder; allowed is a folder or a new name") from error
    if not os.access(options.folder, os.W_OK):
        raise Refused(f"--folder {options.folder}: no right to write; allowed is a folder with it")


def torch_of_this_python():
    try:
        import torch
    except ModuleNotFoundError as error:
        raise Refused(
            f"{sys.executable}: no torch; allowed is a Python with PyTorch 2.11, safetensors and numpy"
        ) from error
    return torch


def shape_of(options):
    from learned_attention.model import Shape

    names = ("layers", "width", "query_heads", "kv_heads", "head_dim", "vocabulary", "rotary_base")
    return Shape(**{name: getattr(options, name) for name in names})


def trained(options, stages, processes, record, shape):
    """Trains and validates; the record that run.json keeps."""
    import dataclasses

    import numpy
    import tokenizers
    import torch
    import torch.distributed as dist

    from learned_attention import model, training_loop, validation
    from learned_attention.optimizer import Optimizer

    device = processes.device
    validator = validation.Validator(
        bpe.encoder(bpe.read(options.folder / "tokenizer.json")), corpus.validation_tokens(options.folder), device,
        processes.rank, processes.world, processes.control, torch.bfloat16 if device.type == "cuda" else None,
    )  # fmt: skip
    longest = max(stage.window for stage in stages)
    for part, tokens in (("train", corpus.train_tokens(options.folder)), ("validation", validator.tokens)):
        if len(tokens) <= longest:
            raise Refused(f"{part}: {len(tokens)} tokens; allowed are more than the longest window, {longest}")
    # The workers start while the model is compiled.
    feed = training_loop.Feed(options, stages, processes, options.folder)
    try:
        torch.manual_seed(options.seed)
        torch.set_float32_matmul_precision("high")
        network = model.Model(shape).to(device)
        if processes.world > 1:
            for weight in network.parameters():
                dist.broadcast(weight.data, 0)
        optimizer = Optimizer(network, options.optimizer, options.learning_rate, options.muon_rate, processes.world)
        begun = time.monotonic()
        options.compile = options.compile == "on" or (options.compile == "auto" and device.type == "cuda")
        compiled = training_loop.warmed_up(network, stages, options, device, processes.say)
        optimizer.gradient.zero_()
        if processes.world > 1:
            dist.barrier(group=processes.control)
        # The hashes say which text it was; where it and the folder stood says nothing on another machine.
        command = shlex.join(["python", "-m", PROGRAM, *(Path(word).name for word in sys.argv[1:])])
        text = {name: value for name, value in record.items() if name != "sources"}
        result = {
            "finished": False, "seed": options.seed, "command": command, "processes": processes.world,
            "device": processes.name, "shape": dataclasses.asdict(shape),
            "parameters": sum(weight.numel() for weight in network.parameters()),
            "options": {name: value.name if isinstance(value, Path) else value for name, value in vars(options).items()
                        if name != "sources"},
            "stages": [dataclasses.asdict(stage) for stage in stages], "compiled": compiled,
            "warm_up_seconds": round(time.monotonic() - begun, 1), "corpus": text,
            "versions": {"python": platform.python_version(), "torch": torch.__version__, "numpy": numpy.__version__,
                         "tokenizers": tokenizers.__version__},
        }  # fmt: skip
        write_record(options, processes, result)
        processes.say(f"{result['parameters'] / 1e6:.1f} M parameters, warmed up in {result['warm_up_seconds']} s")
        training = training_loop.Training(
            options, stages, processes, network, optimizer, feed, validator, processes.say
        )
        steps, seconds, tokens = training.run()
        training.save(steps, seconds)
    finally:
        feed.close()
    result |= {"steps": steps, "seconds": round(seconds, 1), "tokens": tokens}
    result["final_validation"] = validation.final(
        validator, network, longest, options.final_tokens, options.final_examples
    )
    result["finished"] = True
    write_record(options, processes, result)
    return result


def write_record(options, processes, result):
    if processes.rank == 0:
        write_whole(options.folder / "run.json", (json.dumps(result, indent=2) + "\n").encode())


def main(arguments=None):
    options = parser().parse_args(arguments)
    stages = schedule.stages_up_to(options.longest_window)
    check(options, stages)
    torch_of_this_python()
    shape = shape_of(options)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true" if os.environ.get("RANK", "0") == "0" else "false")
    first = os.environ.get("RANK", "0") == "0"
    record = prepared_corpus(options) if first else None
    if options.prepare:
        return
    processes = Processes(options)
    record = record or corpus.prepared(options.folder, options.vocabulary)
    result = trained(options, stages, processes, record, shape)
    processes.say(json.dumps(result["final_validation"], indent=2))
    # After an error nothing is closed: that would wait for processes that wait for this one.
    processes.close()


if __name__ == "__main__":
    refusals.run(PROGRAM, main)
