# What the compiled module offers (python/bindings/); python/tests/documents_test.py compares the names.
from collections.abc import Callable
from typing import Any

from numpy import bool_, float32, float64, int16, uint32
from numpy.typing import NDArray

_Progress = Callable[[int, int], object] | None
_Table = dict[str, list[Any]]

def version() -> str: ...
def fields(command: str) -> list[tuple[str, str, str, str, str]]: ...
def oracle(options: dict[str, list[str]]) -> tuple[float, float]: ...
def families() -> list[str]: ...
def instance(
    family: str, parameters: dict[str, float], learned_file: str, seed: int, trial: int
) -> tuple[NDArray[float64], NDArray[float64], NDArray[float64]]: ...
def hyperplanes(tables: int, planes: int, dim: int, seed: int, trial: int) -> NDArray[float64]: ...
def derive_seed(seed: int, stream: int) -> int: ...
def address(rows: NDArray[float64]) -> int: ...
def hash_keys(hyperplanes: NDArray[float64], keys: NDArray[float64], threads: int) -> NDArray[uint32]: ...
def scores(
    hyperplanes: NDArray[float64],
    queries: NDArray[float64],
    keys: NDArray[float64],
    ranker: str,
    temperature: float,
    scaling: str,
    threads: int,
) -> NDArray[float64]: ...
def select(scores: NDArray[float64], mask: NDArray[bool_] | None, budget: int, sink: int, window: int) -> list[int]: ...
def attend(
    queries: Any,
    keys: Any,
    values: Any,
    hyperplanes: Any,
    corners: Any,
    mask: Any,
    options: dict[str, list[str]],
    seed: int,
    threads: int,
    progress: _Progress,
) -> dict[str, Any]: ...
def certify(
    queries: Any,
    keys: Any,
    values: Any,
    hyperplanes: Any,
    mask: Any,
    options: dict[str, list[str]],
    seed: int,
    threads: int,
    progress: _Progress,
) -> tuple[str, str]: ...
def rankers() -> list[str]: ...
def choose(
    queries: Any,
    keys: Any,
    values: Any,
    hyperplanes: Any,
    mask: Any,
    scores: Any,
    calibration: Any,
    options: dict[str, list[str]],
    seed: int,
    threads: int,
    progress: _Progress,
) -> tuple[str, _Table, _Table, _Table]: ...
def score_bounds(
    tables: NDArray[float32],
    codes: NDArray[int16],
    norms: NDArray[float32],
    planes: int,
    halves: bool,
    half_sums: bool,
    threads: int,
) -> tuple[NDArray[float64], NDArray[float64]]: ...
def grid_cases(grid: str, operation: str, seed: int, most_keys: int) -> list[str]: ...
def scoring_case(text: str) -> dict[str, Any]: ...
def attention_bounds(
    query: NDArray[float64], keys: NDArray[float64], values: NDArray[float64], longest_list: int
) -> tuple[NDArray[float64], NDArray[float64], float, float]: ...
def mean_interval(
    count: int, mean: float, deviation: float, range: float | None, error: float
) -> tuple[float, float]: ...
def decode_cases(grid: str, seed: int, most_keys: int) -> list[str]: ...
def decode_case(text: str, threads: int) -> dict[str, Any]: ...
def axes() -> list[str]: ...
def sweep(
    options: dict[str, list[str]], q: Any, k: Any, v: Any, seed: int, threads: int, progress: _Progress
) -> tuple[_Table, _Table, int]: ...
def audit(
    options: dict[str, list[str]], q: Any, k: Any, v: Any, seed: int, threads: int, progress: _Progress
) -> tuple[_Table, _Table, _Table, int]: ...
def verify(
    options: dict[str, list[str]], seed: int, threads: int, progress: _Progress
) -> tuple[list[str], _Table, str, bool]: ...
def wait_for_left_behind() -> None: ...
