#include "experiments/attend_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimators/weighted_output.hpp"
#include "sim/input_error.hpp"

namespace skt {
namespace {

constexpr Index kBlockRows = 8192;  // 8 MiB of doubles at dim 128

void require_floats(const TensorFile& file, std::size_t dimensions, const char* shape) {
  const bool floats =
      file.type() == ElementType::f16 || file.type() == ElementType::f32 || file.type() == ElementType::f64;
  if (!floats || file.shape().size() != dimensions)
    throw InputError(fmt::format("{}: {} {}; allowed is float16, float32 or float64 {}", file.name(),
                                 type_name(file.type()), bracketed(file.shape()), shape));
}

void require_equal(const TensorFile& file, const char* what, Index is, const TensorFile& other, Index must) {
  if (is != must)
    throw InputError(fmt::format("{}: {} is {} in shape {}; {} has {}", file.name(), what, is,
                                 bracketed(file.shape()), other.name(), must));
}

std::optional<TensorFile> open_if_given(const std::string& path) {
  if (path.empty()) return std::nullopt;
  return std::optional<TensorFile>(std::in_place, path);
}

}  // namespace

AttendProblem::AttendProblem(const AttendFiles& files)
    : queries_(files.queries),
      keys_(files.keys),
      values_(files.values),
      hyperplanes_(open_if_given(files.hyperplanes)),
      mask_(open_if_given(files.mask)) {
  require_floats(queries_, 2, "[queries, dim]");
  require_floats(keys_, 2, "[keys, dim]");
  require_floats(values_, 2, "[keys, value_dim]");
  require_equal(queries_, "dim", queries_.cols(), keys_, keys_.cols());
  require_equal(values_, "the number of keys", values_.rows(), keys_, keys_.rows());
  if (hyperplanes_) {
    require_floats(*hyperplanes_, 3, "[tables, planes, dim]");
    require_equal(*hyperplanes_, "dim", hyperplanes_->cols(), keys_, keys_.cols());
  }
  if (!mask_) return;
  const std::size_t dimensions = mask_->shape().size();
  if (mask_->type() != ElementType::boolean || (dimensions != 1 && dimensions != 2))
    throw InputError(fmt::format("{}: {} {}; allowed is bool [keys] or [queries, keys]", mask_->name(),
                                 type_name(mask_->type()), bracketed(mask_->shape())));
  require_equal(*mask_, "the number of keys", mask_->cols(), keys_, keys_.rows());
  if (dimensions == 2)
    require_equal(*mask_, "the number of queries", mask_->rows(), queries_, queries_.rows());
}

void AttendProblem::check_elements() {
  for (Index i = 0; i < num_queries(); ++i) query(i);
  for (Index i = 0; mask_ && i < mask_->rows(); ++i) mask(i);
  if (hyperplanes_) hyperplanes(std::nullopt, std::nullopt);
  visit_keys([](Index, const Matrix&) {});
  norms_.resize(num_keys());
  visit_values(
      [&](Index first, const Matrix& rows) { norms_.segment(first, rows.rows()) = row_norms(rows); });
  for (Index j = 0; j < num_keys(); ++j)
    if (!std::isfinite(norms_[j]))
      throw InputError(fmt::format("{}: the norm of row {} is not finite", values_.name(), j));
}

Hyperplanes AttendProblem::hyperplanes(std::optional<Index> tables, std::optional<Index> planes) {
  const std::vector<Index>& shape = hyperplanes_->shape();
  if (tables.value_or(shape[0]) != shape[0] || planes.value_or(shape[1]) != shape[1])
    throw InputError(
        fmt::format("{}: shape {} differs from --tables or --planes; leave these out, or give {} and {}",
                    hyperplanes_->name(), bracketed(shape), shape[0], shape[1]));
  return given_hyperplanes(shape[0], shape[1], hyperplanes_->read_rows(0, hyperplanes_->rows()));
}

Vector AttendProblem::query(Index i) {
  return queries_.read_rows(i, 1).row(0);
}

std::vector<Allowed> AttendProblem::mask(Index i) {
  if (!mask_) return {};
  return mask_->read_allowed(mask_->rows() == 1 ? 0 : i, 1);
}

Index AttendProblem::blocks() const {
  return (num_keys() + kBlockRows - 1) / kBlockRows;
}

void AttendProblem::visit_rows(TensorFile& file, const Visit& visit) {
  for (Index first = 0; first < file.rows(); first += kBlockRows)
    visit(first, file.read_rows(first, std::min(kBlockRows, file.rows() - first)));
}

}  // namespace skt
