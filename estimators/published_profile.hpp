// What do the published implementations of SOCKET compute, where they differ from the paper?
//
// Three were public in January 2026: the throughput path on gpt-fast and the accuracy path on Hugging Face (hf) of the
// authors' release (amarka8/SOCKET, commit c60abc6), and the masker of sparse-attention-hub (hub). gpt-fast-later is what
// the first became (docs/profiles.md has the commits). Restated from a description of their behaviour, each difference below is under its name only;
// what the description leaves open is said where it is decided. Common to all:
//   - every intermediate result up to the probabilities is rounded to the model's type; products are made here in
//     double and rounded once, where the published code adds up in single precision in its library's order;
//   - the sum over tables runs in single precision, l = 0 .. L-1, and is multiplied by the value norm there;
//   - codes are 16-bit integers with a sign, so that 15 planes are the most; 16 would index before the table.
// A wrong restatement would show against the NumPy one in tests/experiments/attend/attend_profile_test.py.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "estimators/key_codes.hpp"
#include "estimators/selection.hpp"

namespace skt {

enum class Published { gpt_fast, gpt_fast_later, hf, hub };
enum class ModelType { f16, bf16, f32, f64 };

double rounded(double x, ModelType type);  // to nearest even; to the 16-bit types by way of single precision

// Where they differ.
struct PublishedTraits {
  // gpt-fast draws its planes as N(0, 0.02^2), as weights are initialised; tanh(Wq) is then nearly linear.
  double plane_scale = 1;
  // gpt-fast has noise N(0, 0.02^2) in place of the corners {-1, +1}^P: one set for all tables.
  bool noise_corners = false;
  // gpt-fast has none, that is 1; hf and gpt-fast-later always 0.3; hub as configured.
  std::optional<double> temperature{};
  // hf and both of gpt-fast list sink, window and best keys one after the other, whatever is listed already; the softmax then
  // counts a key twice. hub takes the union. In each the best keys are chosen among all, sink and window included.
  bool lists_twice = false;
  // gpt-fast-later drops from the best keys those of sink and window, so the list gets shorter; its window begins behind
  // the sink, and an empty list gives 0.
  bool drops_listed = false;
  // hf and both of gpt-fast keep the value norm in half precision, infinite above 65504; hub in the model's type.
  bool half_norms = false;
  // gpt-fast-later rounds the product of sum and norm to half precision before it selects.
  bool half_scores = false;
  // What stands in for an option that is not given.
  Index sink = 0, window = 0;
  std::optional<Index> budget{};
};
PublishedTraits traits_of(Published profile);

constexpr Index kPublishedPlanes = 15;

// What the scores of one profile depend on.
struct PublishedHash {
  Published profile = Published::hub;
  ModelType type = ModelType::f32;
  double temperature = 1;
  Hyperplanes hyperplanes;  // scaled and rounded
  Matrix corners;           // [2^planes, planes], rounded
};

// `drawn`: entries N(0,1). noise: entries N(0,1), [2^planes, planes], for a profile with noise corners;
// else ignored. temperature: for a profile without its own. InputError for more than 15 planes, or for noise of another
// shape than that.
PublishedHash published_hash(Published profile, ModelType type, const Hyperplanes& drawn, const Matrix& noise,
                             double temperature);

using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Softmax over the corners of tanh(Wq)/max(sqrt(dim), 1e-6) . c_r / tau, [tables, 2^planes].
FloatMatrix published_probabilities(const PublishedHash& hash, const Vector& query);

// Their sum over the tables at each key's codes, [keys]. The codes are of the profile's own hyperplanes.
Eigen::VectorXf published_sums(const FloatMatrix& probabilities, const KeyCodes& codes);

// What the sums are multiplied with: norms [keys] in the precision that the profile keeps them in.
Eigen::VectorXf published_norms(const PublishedHash& hash, const Vector& norms);

// The product by which it selects.
Eigen::VectorXf published_scores(const PublishedHash& hash, const Eigen::VectorXf& sums, const Eigen::VectorXf& norms);

// Number of allowed keys of a mask for a profile that knows a length only. InputError unless they come first.
Index allowed_length(std::span<const Allowed> mask, Index keys);

// The keys that attend, in the order in which they are listed: sink, window, best by falling score (NaN before all
// numbers, as a GPU's top-k sorts it; ties to the lower index). hub: without repeats, and of the best those whose score
// is finite. gpt-fast and hf: with repeats, gpt-fast-later: without; keys beyond allowed_length(mask) do not exist, and the
// window ends there.
std::vector<Index> published_selection(Published profile, const Eigen::VectorXf& scores, std::span<const Allowed> mask,
                                       const SelectionRule& rule);

// gpt-fast, its later state and hf: softmax attention over the list in single precision, in splits of 256 entries that are merged by
// their log-sum-exp. logits [entries]; values(first, count) gives rows [count, value_dim] of the list. An empty list
// gives 0/0.
Eigen::VectorXf published_attention(const Eigen::VectorXf& logits,
                                    const std::function<Matrix(Index first, Index count)>& values, Index value_dim);

}  // namespace skt
