#include "experiments/attend/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimators/weighted_output.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr Index kBlockElements = Index{1} << 20;  // 8 MiB of doubles

Index block_rows(const TensorFile& file) {
  return std::max<Index>(1, kBlockElements / file.cols());
}

void require_floats(const TensorFile& file, std::vector<std::size_t> dimensions, const char* shapes) {
  if (is_floating(file.type()) &&
      std::find(dimensions.begin(), dimensions.end(), file.shape().size()) != dimensions.end())
    return;
  refuse("{}: {}; allowed is float16, bfloat16, float32 or float64 {}", file.name(), file.describe(), shapes);
}

void require_equal(const TensorFile& file, const char* what, Index is, const TensorFile& other, Index must) {
  if (is != must)
    refuse("{}: {} is {} in shape {}; {} has {}", file.name(), what, is, bracketed(file.shape()), other.name(), must);
}

std::optional<TensorFile> open_if_given(const std::string& given, const std::vector<std::string>& names) {
  if (given.empty()) return std::nullopt;
  return std::optional<TensorFile>(std::in_place, given, names);
}

AttendTensors opened(const AttendFiles& files) {
  return {.queries = TensorFile(files.queries, {"queries", "q"}),
          .keys = TensorFile(files.keys, {"keys", "k"}),
          .values = TensorFile(files.values, {"values", "v"}),
          .hyperplanes = open_if_given(files.hyperplanes, {"hyperplanes", "w"}),
          .corners = open_if_given(files.corners, {"corners"}),
          .mask = open_if_given(files.mask, {"mask", "m"}),
          .scores = open_if_given(files.scores, {"scores"}),
          .calibration = open_if_given(files.calibration, {"calibration"}),
          .mask_true = files.mask_true,
          .causal = files.causal};
}

}  // namespace

AttendProblem::AttendProblem(const AttendFiles& files, Batches batches) : AttendProblem(opened(files), batches) {}

AttendProblem::AttendProblem(AttendTensors tensors, Batches batches)
    : queries_(std::move(tensors.queries)),
      keys_(std::move(tensors.keys)),
      values_(std::move(tensors.values)),
      hyperplanes_(std::move(tensors.hyperplanes)),
      corners_(std::move(tensors.corners)),
      mask_(std::move(tensors.mask)),
      scores_(std::move(tensors.scores)),
      calibration_(std::move(tensors.calibration)),
      mask_true_(tensors.mask_true),
      causal_(tensors.causal) {
  check_batches(batches);
  if (keys_.shape().size() == 2)
    require_floats(queries_, {1, 2, 3}, "[dim], [queries, dim] or [heads, queries, dim], of one element of a batch");
  else
    require_floats(queries_, {2, 3}, "[queries, dim] or [heads, queries, dim], of one element of a batch");
  require_floats(keys_, {2, 3}, "[keys, dim] or [key_heads, keys, dim], of one element of a batch");
  require_floats(values_, {keys_.shape().size()}, "with the dimensions of the keys");
  require_equal(queries_, "dim", queries_.cols(), keys_, keys_.cols());
  check_heads();
  if (hyperplanes_) {
    require_floats(*hyperplanes_, {3}, "[tables, planes, dim]");
    require_equal(*hyperplanes_, "dim", hyperplanes_->cols(), keys_, keys_.cols());
  }
  if (corners_) require_floats(*corners_, {2}, "[2^planes, planes]");
  if (scores_ && scores_->shape() != score_shape())
    refuse("{}: shape {}; allowed is {}, the queries' with keys for dim", scores_->name(), bracketed(scores_->shape()),
           bracketed(score_shape()));
  if (calibration_) {
    require_floats(*calibration_, {2}, "[queries, dim]");
    require_equal(*calibration_, "dim", calibration_->cols(), keys_, keys_.cols());
  }
  if (mask_) check_mask();
  if (causal_) check_causal();
}

void AttendProblem::check_batches(Batches batches) {
  if (batches == Batches::merged && queries_.shape().size() == 4 && keys_.shape().size() == 4)
    require_equal(queries_, "batch", queries_.shape().front(), keys_, keys_.shape().front());
  for (TensorFile* file : {&queries_, &keys_, &values_, mask_ ? &*mask_ : nullptr, scores_ ? &*scores_ : nullptr})
    if (file != nullptr && file->shape().size() == 4 && (batches == Batches::merged || file->shape().front() == 1))
      file->merge_batch();
}

void AttendProblem::check_heads() {
  const bool headed = keys_.shape().size() == 3;
  key_heads_ = headed ? keys_.shape()[0] : 1;
  heads_ = headed || queries_.shape().size() == 3 ? queries_.shape()[0] : 1;
  if (headed) require_equal(values_, "the number of heads", values_.shape()[0], keys_, key_heads_);
  require_equal(values_, "the number of keys", values_.rows() / key_heads_, keys_, num_keys());
  if (heads_ % key_heads_ != 0)
    refuse("{}: {} heads in shape {}; allowed are multiples of the {} of {}", queries_.name(), heads_,
           bracketed(queries_.shape()), key_heads_, keys_.name());
}

void AttendProblem::check_causal() const {
  const Index per_head = num_queries() / heads_;
  if (per_head > num_keys())
    refuse("--causal: {} has {} queries per head for the {} keys of {}; allowed are at most as many queries as keys",
           queries_.name(), per_head, num_keys(), keys_.name());
}

// As NumPy broadcasts, but for a mask that has a dimension 1 where there could be none.
void AttendProblem::check_mask() {
  const std::vector<Index> full = score_shape();
  const std::vector<Index>& shape = mask_->shape();
  const bool typed = mask_->type() == ElementType::boolean || is_floating(mask_->type());
  const bool headed = full.size() == 3;
  const bool for_all_heads = headed && shape.size() == 2 && shape[0] == full[1];
  bool fits = typed && (shape.size() == 1 || shape.size() == full.size()) && shape.back() == num_keys();
  for (std::size_t i = 0; fits && shape.size() > 1 && i + 1 < shape.size(); ++i)
    fits = shape[i] == full[i] || (shape[i] == 1 && headed);
  if (fits || (typed && for_all_heads && shape.back() == num_keys())) return;
  const std::string of_all_heads = headed ? fmt::format(", {} for all heads", bracketed({full[1], full[2]})) : "";
  refuse("{}: {}; allowed is bool or floating point [{}]{} or {}{}", mask_->name(), mask_->describe(), num_keys(),
         of_all_heads, bracketed(full), headed ? ", with 1 for heads or queries" : "");
}

std::span<const Index> AttendProblem::query_shape() const {
  return std::span(queries_.shape()).first(queries_.shape().size() - 1);
}

std::vector<Index> AttendProblem::score_shape() const {
  std::vector<Index> shape(query_shape().begin(), query_shape().end());
  shape.push_back(num_keys());
  return shape;
}

void AttendProblem::check_elements() {
  for (Index i = 0; i < num_queries(); ++i) query(i);
  for (Index i = 0; mask_ && i < mask_->rows(); ++i) mask_->read_allowed(i, 1);
  if (hyperplanes_) hyperplanes(std::nullopt, std::nullopt, {});
  norms_.resize(values_.rows());
  for (Index g = 0; g < key_heads_; ++g) {
    visit_keys(g, [](Index, const Matrix&) {});
    visit_values(g, [&](Index first, const Matrix& rows) {
      norms_.segment(g * num_keys() + first, rows.rows()) = row_norms(rows);
    });
  }
  for (Index j = 0; j < norms_.size(); ++j)
    if (!std::isfinite(norms_[j])) refuse("{}: the norm of row {} is not finite", values_.name(), j);
}

Hyperplanes AttendProblem::hyperplanes(std::optional<Index> tables, std::optional<Index> planes, Seed seed) {
  if (!hyperplanes_)
    return draw_hyperplanes(seed, 0, tables.value_or(kDefaultTables), planes.value_or(kDefaultPlanes), dim());
  const std::vector<Index>& shape = hyperplanes_->shape();
  if (tables.value_or(shape[0]) != shape[0] || planes.value_or(shape[1]) != shape[1])
    refuse("{}: shape {} differs from --tables or --planes; leave these out, or give {} and {}", hyperplanes_->name(),
           bracketed(shape), shape[0], shape[1]);
  return given_hyperplanes(shape[0], shape[1], hyperplanes_->read_rows(0, hyperplanes_->rows()));
}

Matrix AttendProblem::corners(Index planes) {
  if (corners_->cols() != planes || corners_->rows() != Index{1} << planes)
    refuse("{}: shape {}; allowed is [{}, {}], 2^planes corners of that many planes", corners_->name(),
           bracketed(corners_->shape()), Index{1} << planes, planes);
  return corners_->read_rows(0, corners_->rows());
}

Vector AttendProblem::own_scores(Index i) {
  return scores_->read_rows(i, 1).row(0);
}

Matrix AttendProblem::calibration() {
  return calibration_ ? calibration_->read_rows(0, calibration_->rows()) : Matrix();
}

Vector AttendProblem::query(Index i) {
  return queries_.read_rows(i, 1).row(0);
}

Index AttendProblem::visible(Index i) const {
  const Index per_head = num_queries() / heads_;
  return causal_ ? num_keys() - per_head + i % per_head + 1 : num_keys();
}

Index AttendProblem::mask_row(Index i) const {
  const std::vector<Index>& shape = mask_->shape();
  const Index per_head = num_queries() / heads_;
  if (shape.size() == 1) return 0;
  if (shape.size() == 2) return query_shape().size() == 2 ? i % per_head : i;
  const Index head = shape[0] == 1 ? 0 : head_of(i), query = shape[1] == 1 ? 0 : i % per_head;
  return head * shape[1] + query;
}

std::vector<Allowed> AttendProblem::mask(Index i) {
  std::vector<Allowed> allowed;
  if (mask_) allowed = read_mask(mask_row(i));
  if (visible(i) == num_keys()) return allowed;
  allowed.resize(num_keys(), Allowed::yes);
  std::fill(allowed.begin() + visible(i), allowed.end(), Allowed::no);
  return allowed;
}

std::vector<Allowed> AttendProblem::read_mask(Index row) {
  std::vector<Allowed> allowed = mask_->read_allowed(row, 1);
  if (mask_true_ == MaskTrue::forbidden && mask_->type() == ElementType::boolean)
    for (Allowed& a : allowed) a = a == Allowed::yes ? Allowed::no : Allowed::yes;
  return allowed;
}

Index AttendProblem::blocks() const {
  const Index rows = block_rows(keys_);
  return key_heads_ * ((num_keys() + rows - 1) / rows);
}

void AttendProblem::visit_rows(TensorFile& file, Index key_head, const Visit& visit) {
  const Index rows = block_rows(file);
  for (Index first = 0; first < num_keys(); first += rows)
    visit(first, file.read_rows(key_head * num_keys() + first, std::min(rows, num_keys() - first)));
}

HeadArrays AttendProblem::head(Index key_head) {
  HeadArrays head{Matrix(num_keys(), dim()), Matrix(num_keys(), value_dim())};
  visit_keys(key_head, [&](Index first, const Matrix& rows) { head.keys.middleRows(first, rows.rows()) = rows; });
  visit_values(key_head, [&](Index first, const Matrix& rows) { head.values.middleRows(first, rows.rows()) = rows; });
  return head;
}

Matrix AttendProblem::values_at(Index key_head, std::span<const Index> keys) {
  Matrix rows(std::ssize(keys), value_dim());
  for (Index i = 0; i < std::ssize(keys); ++i) rows.row(i) = values_.read_rows(key_head * num_keys() + keys[i], 1);
  return rows;
}

}  // namespace skt
