"""Do simultaneous intervals of clustered windows hold all differences at once as often as they say, and are two lies
refuted: windows taken as independent, and 1.96 standard errors for each contrast?"""

import math

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", minversion="5.24")
from socketlab.models import intervals  # noqa: E402

DOCUMENTS, WINDOWS, CONTRASTS, TRUTH, TABLES = 48, 3, 12, 0.3, 300


def table(random):
    """Differences [windows, contrasts] of mean TRUTH: skewed noise, of which the windows of a document share most."""
    own = random.exponential(size=(DOCUMENTS, WINDOWS, CONTRASTS))
    shared = random.exponential(size=(DOCUMENTS, 1, 1)) + random.exponential(size=(DOCUMENTS, 1, CONTRASTS))
    noise = (0.3 * (own - 1) + shared - 2) * np.linspace(0.1, 3, CONTRASTS)
    return TRUTH + noise.reshape(-1, CONTRASTS)


def covered(of):
    """The share of tables that lie wholly within their intervals."""
    random = np.random.default_rng(5)
    ends = [of(table(random), seed) for seed in range(TABLES)]
    return np.mean([((low <= TRUTH) & (high >= TRUTH)).all() for low, high in ends])


def simultaneous(differences, seed, windows=WINDOWS):
    """Of documents with so many windows each."""
    clusters = np.arange(len(differences)) // windows
    found = intervals.of_means(differences, clusters, resamples=400, seed=seed)
    return found.low, found.high


def test_coverage_and_two_lies():
    # 300 tables: 95% less four deviations (4 x 1.26%) and 3% for a bootstrap of 48 skewed documents.
    assert covered(simultaneous) >= 0.87
    assert covered(lambda d, seed: simultaneous(d, seed, 1)) < 0.75

    def pointwise(differences, seed):
        documents = differences.reshape(DOCUMENTS, WINDOWS, -1).mean(axis=1)
        half = 1.96 * documents.std(axis=0, ddof=1) / math.sqrt(DOCUMENTS)
        return documents.mean(axis=0) - half, documents.mean(axis=0) + half

    assert covered(pointwise) < 0.8


def test_one_contrast_is_student_s_about():
    normal = np.random.default_rng(1).standard_normal((30, 1))
    found = intervals.of_means(normal, np.arange(30), resamples=20000)
    assert abs(found.half_width - 2.045) < 0.3  # t of 29 degrees at 97.5%
    assert math.isclose(found.mean[0], normal.mean(), rel_tol=1e-12)
    error = normal.std(ddof=1) / math.sqrt(30)
    assert math.isclose((found.high - found.mean)[0], found.half_width * error, rel_tol=1e-6)


def test_a_contrast_at_some_windows_alone_has_their_mean():
    d = np.random.default_rng(2).standard_normal((40, 2))
    d[20:, 1] = np.nan
    found = intervals.of_means(d, np.arange(40))
    assert found.mean[1] == pytest.approx(d[:20, 1].mean())
    assert found.low[1] < found.mean[1] < found.high[1]
    d[:, 1] = 0
    assert np.isnan(intervals.of_means(d, np.arange(40)).low[1])
    with pytest.raises(ValueError, match="1 clusters: allowed are two and more"):
        intervals.of_means(d, np.zeros(40))
