// Which attention problem do the user's arrays hold, and do they fit together?
//
// Query heads share the keys and values of a key head in equal groups, head h those of h / (heads / key_heads). Only
// shapes, masks and value norms are kept; keys and values stay where they are and come in blocks, so that a problem of any
// length needs the memory of a block. Everything that could be wrong with the arrays is found here, before any result
// exists. Mixed-up heads would show against NumPy's own indexing.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "estimators/hyperplanes.hpp"
#include "experiments/files/tensor_file.hpp"

namespace skt {

// Of the paper's main experiments (Table 6): what an empty count of tables or planes means in attend, certify and choose.
// Their temperature is that of SocketParameters, and sink and window are 0.
constexpr Index kDefaultTables = 60;
constexpr Index kDefaultPlanes = 10;

enum class MaskTrue { allowed, forbidden };  // what true means in a bool mask

struct AttendFiles {
  // With a dimension 1 in front, a batch of one, or without.
  std::string queries;      // [dim], [queries, dim], [heads, dim] where keys have heads, or [heads, queries, dim]
  std::string keys;         // [keys, dim] or [key_heads, keys, dim]
  std::string values;       // as keys, with value_dim
  std::string hyperplanes;  // [tables, planes, dim], or empty: drawn
  std::string corners;      // [2^planes, planes], or empty: drawn; for the profile whose corners are noise
  std::string
      mask;  // [keys], [queries, keys], or the queries' shape with keys for dim or 1 for any size; or empty: all
  std::string scores;       // the queries' shape with keys for dim, or empty: the caller has none
  std::string calibration;  // [queries, dim], other queries, from which a ranker learns; or empty: none
  MaskTrue mask_true = MaskTrue::allowed;
  bool causal = false;  // the queries are the last ones: query i of Q sees keys 0 to N - Q + i, beside the mask
};

// The same, opened, or in memory.
struct AttendTensors {
  TensorFile queries, keys, values;
  std::optional<TensorFile> hyperplanes{}, corners{}, mask{}, scores{}, calibration{};
  MaskTrue mask_true = MaskTrue::allowed;
  bool causal = false;
};

// A batch of several is merged into the heads: head b * heads + h of element b.
enum class Batches { of_one, merged };

// All keys and values of one key head.
struct HeadArrays {
  Matrix keys, values;
};

class AttendProblem {
 public:
  // Opens the files and checks types and shapes against each other; InputError naming file and shape.
  explicit AttendProblem(const AttendFiles& files, Batches batches = Batches::of_one);
  // Likewise of arrays in memory, which the caller keeps as long as the problem.
  explicit AttendProblem(AttendTensors tensors, Batches batches = Batches::of_one);

  // Reads every element once: InputError for one that is not finite, and for a value row of infinite length.
  void check_elements();

  Index heads() const { return heads_; }
  Index key_heads() const { return key_heads_; }
  Index num_queries() const { return queries_.rows(); }  // of all heads, head by head
  Index num_keys() const { return keys_.rows() / key_heads_; }
  Index dim() const { return keys_.cols(); }
  Index value_dim() const { return values_.cols(); }
  ElementType model_type() const { return keys_.type(); }

  bool is_causal() const { return causal_; }

  Index head_of(Index query) const { return query / (num_queries() / heads_); }
  Index key_head_of(Index query) const { return head_of(query) / (heads_ / key_heads_); }
  std::span<const Index> query_shape() const;  // without dim: what results are shaped by

  bool has_hyperplanes() const { return hyperplanes_.has_value(); }
  // The given hyperplanes, InputError where tables or planes are given and differ; or those that are drawn at the seed, as
  // many as Table 6 of the paper has where nothing is said.
  Hyperplanes hyperplanes(std::optional<Index> tables, std::optional<Index> planes, Seed seed);
  bool has_corners() const { return corners_.has_value(); }
  Matrix corners(Index planes);  // InputError unless there are 2^planes of `planes`
  bool has_scores() const { return scores_.has_value(); }
  Vector own_scores(Index i);  // [keys], of a query; where has_scores
  Matrix calibration();        // [queries, dim]; of no query where there is none

  Vector query(Index i);
  std::vector<Allowed> mask(Index i);       // [keys]; empty: all allowed
  Index visible(Index i) const;             // keys up to the last that is not in the query's future
  auto value_norms(Index key_head) const {  // [keys]; of check_elements
    return norms_.segment(key_head * num_keys(), num_keys());
  }

  // visit(first, rows) for blocks of rows of one key head in order.
  using Visit = std::function<void(Index first, const Matrix& rows)>;
  void visit_keys(Index key_head, const Visit& visit) { visit_rows(keys_, key_head, visit); }
  void visit_values(Index key_head, const Visit& visit) { visit_rows(values_, key_head, visit); }
  Index blocks() const;                                           // of the keys of all key heads
  Matrix values_at(Index key_head, std::span<const Index> keys);  // [keys.size(), value_dim]
  HeadArrays head(Index key_head);

 private:
  void check_batches(Batches batches);
  void check_heads();
  void check_mask();
  std::vector<Index> score_shape() const;  // the queries' with keys for dim
  void check_causal() const;
  Index mask_row(Index i) const;
  std::vector<Allowed> read_mask(Index row);
  void visit_rows(TensorFile& file, Index key_head, const Visit& visit);

  TensorFile queries_, keys_, values_;
  std::optional<TensorFile> hyperplanes_, corners_, mask_, scores_, calibration_;
  MaskTrue mask_true_ = MaskTrue::allowed;
  bool causal_ = false;
  Index heads_ = 1, key_heads_ = 1;
  Vector norms_;  // [key_heads * keys]
};

}  // namespace skt
