// Which attention problem do the user's files hold, and do they fit together?
//
// Only shapes and masks are kept; keys and values stay on disk and come in blocks, so that a problem of any
// length needs the memory of a block. Everything that could be wrong with the files is found here, before any
// result exists.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "estimators/hyperplanes.hpp"
#include "experiments/tensor_file.hpp"

namespace skt {

struct AttendFiles {
  std::string queries;      // [queries, dim]
  std::string keys;         // [keys, dim]
  std::string values;       // [keys, value_dim]
  std::string hyperplanes;  // [tables, planes, dim], or empty: drawn
  std::string mask;         // [keys] or [queries, keys] bool, or empty: every key allowed
};

class AttendProblem {
 public:
  // Opens the files and checks types and shapes against each other; InputError naming file and shape.
  explicit AttendProblem(const AttendFiles& files);

  // Reads every element once: InputError for one that is not finite, and for a value row of infinite length.
  void check_elements();

  Index num_queries() const { return queries_.rows(); }
  Index num_keys() const { return keys_.rows(); }
  Index dim() const { return keys_.cols(); }
  Index value_dim() const { return values_.cols(); }

  bool has_hyperplanes() const { return hyperplanes_.has_value(); }
  // The given hyperplanes. InputError where tables or planes are given and differ.
  Hyperplanes hyperplanes(std::optional<Index> tables, std::optional<Index> planes);

  Vector query(Index i);
  std::vector<Allowed> mask(Index i);                   // [keys]; empty: all allowed
  const Vector& value_norms() const { return norms_; }  // [keys]; of check_elements

  // visit(first, rows) for blocks of rows in order.
  using Visit = std::function<void(Index first, const Matrix& rows)>;
  void visit_keys(const Visit& visit) { visit_rows(keys_, visit); }
  void visit_values(const Visit& visit) { visit_rows(values_, visit); }
  Index blocks() const;  // of the keys

 private:
  static void visit_rows(TensorFile& file, const Visit& visit);

  TensorFile queries_, keys_, values_;
  std::optional<TensorFile> hyperplanes_, mask_;
  Vector norms_;
};

}  // namespace skt
