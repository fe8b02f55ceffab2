#include "experiments/files/tensor_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>

#include "experiments/files/npy_header.hpp"
#include "experiments/files/safetensors_header.hpp"
#include "sim/require.hpp"

namespace skt {

namespace {

namespace fs = std::filesystem;

struct Place {
  std::string file, tensor;
};

// FILE:NAME, unless a file of the whole name exists; NAME may hold colons.
Place place_of(const std::string& given) {
  std::error_code ignored;
  if (fs::exists(given, ignored)) return {given, ""};
  for (std::size_t at = given.find(':'); at != std::string::npos; at = given.find(':', at + 1))
    if (fs::is_regular_file(given.substr(0, at), ignored)) return {given.substr(0, at), given.substr(at + 1)};
  return {given, ""};
}

std::uint64_t open_file(std::ifstream& stream, const std::string& file) {
  std::error_code failure;
  const fs::file_status status = fs::status(file, failure);
  if (!fs::exists(status)) refuse("{}: there is no such file", file);
  if (!fs::is_regular_file(status)) refuse("{}: not a regular file", file);
  stream.open(file, std::ios::binary);
  const std::uint64_t bytes = fs::file_size(file, failure);
  if (!stream || failure) refuse("{}: cannot be opened for reading", file);
  return bytes;
}

// The first names, for an error's one line.
std::string listed(const std::map<std::string, StoredTensor>& tensors) {
  constexpr int kShown = 8;
  std::string text;
  int shown = 0;
  for (const auto& [name, stored] : tensors) {
    if (shown++ == kShown) return text + ", ..";
    text += (text.empty() ? "" : ", ") + printable(name);
  }
  return text.empty() ? "none" : text;
}

// The tensor of a file that `tensor` or else one of `names` means.
std::string chosen_tensor(const std::map<std::string, StoredTensor>& tensors, const std::string& tensor,
                          const std::vector<std::string>& names, const std::string& file) {
  if (tensors.contains(tensor)) return tensor;
  if (!tensor.empty()) refuse("{}: it holds no tensor '{}'; it holds {}", file, printable(tensor), listed(tensors));
  std::string found;
  for (const std::string& name : names) {
    if (!tensors.contains(name)) continue;
    if (!found.empty()) refuse("{}: both '{}' and '{}'; say {}:NAME", file, found, name, file);
    found = name;
  }
  if (found.empty() && tensors.size() == 1) found = tensors.begin()->first;
  if (found.empty()) refuse("{}: which tensor is meant? say {}:NAME; it holds {}", file, file, listed(tensors));
  return found;
}

}  // namespace

TensorFile::TensorFile(const std::string& given, const std::vector<std::string>& names) {
  const Place place = place_of(given);
  name_ = place.file;
  const std::uint64_t bytes = open_file(file_, name_);
  const bool safetensors = fs::path(name_).extension() == ".safetensors";
  if (!safetensors && !place.tensor.empty())
    refuse("{}: only a .safetensors file has named tensors; '{}' was requested", name_, place.tensor);
  layout_ = safetensors ? layout_of_safetensors(place.tensor, names, bytes) : layout_of_npy(bytes);
  cols_ = layout_.shape.empty() ? 1 : layout_.shape.back();
  rows_ = data_bytes(layout_, name_) / size_of(layout_.type) / cols_;
}

TensorFile::TensorFile(const ArrayInMemory& array)
    : name_(array.name), layout_{array.type, array.shape}, memory_(static_cast<const char*>(array.elements)) {
  cols_ = layout_.shape.empty() ? 1 : layout_.shape.back();
  rows_ = data_bytes(layout_, name_) / size_of(layout_.type) / cols_;
}

void TensorFile::merge_batch() {
  std::vector<Index>& shape = layout_.shape;
  shape[1] *= shape[0];
  shape.erase(shape.begin());
}

std::string TensorFile::read_start(std::size_t bytes) {
  std::string start(bytes, '\0');
  file_.seekg(0);
  file_.read(start.data(), std::ssize(start));
  start.resize(file_.gcount());
  file_.clear();
  return start;
}

TensorLayout TensorFile::layout_of_npy(std::uint64_t file_bytes) {
  TensorLayout layout = parse_npy_header(read_start(kNpyHeaderLimit), name_);
  const std::uint64_t announced = data_bytes(layout, name_);
  const std::uint64_t held = file_bytes - layout.data_offset;
  if (held != announced)
    refuse("{}: {}, {} bytes of elements for {}, which has {}", name_,
           held < announced ? "truncated" : "more than the array", held, skt::describe(layout), announced);
  return layout;
}

TensorLayout TensorFile::layout_of_safetensors(const std::string& tensor, const std::vector<std::string>& names,
                                               std::uint64_t file_bytes) {
  const std::uint64_t head_bytes = safetensors_head_bytes(read_start(8), file_bytes, name_);
  const std::string head = read_start(head_bytes);
  if (head.size() != head_bytes) refuse("{}: reading failed; the file may have changed meanwhile", name_);
  const std::map<std::string, StoredTensor> tensors = parse_safetensors_header(head, file_bytes, name_);
  const std::string chosen = chosen_tensor(tensors, tensor, names, name_);
  const StoredTensor& stored = tensors.at(chosen);
  name_.append(":").append(printable(chosen));
  if (!stored.layout) refuse("{}: type {}; allowed are F16, BF16, F32, F64, I64 and BOOL", name_, stored.dtype);
  return *stored.layout;
}

// Elements of the file, in its own order.
template <class Element>
std::vector<Element> TensorFile::read_stretch(Index first, Index count) {
  std::vector<Element> elements(count);
  constexpr Index kElementBytes = sizeof(Element);
  const Index before = layout_.data_offset, bytes = count * kElementBytes;
  if (memory_) {
    std::memcpy(elements.data(), memory_ + first * kElementBytes, bytes);
    return elements;
  }
  file_.seekg(before + first * kElementBytes);
  file_.read(reinterpret_cast<char*>(elements.data()), bytes);
  if (!file_ || file_.gcount() != bytes) refuse("{}: reading failed; the file may have changed meanwhile", name_);
  return elements;
}

// Elements of rows, in C order.
template <class Element>
std::vector<Element> TensorFile::read(Index first, Index count) {
  if (layout_.order == ElementOrder::fortran) return read_fortran<Element>(first, count);
  return read_stretch<Element>(first * cols_, count * cols_);
}

// In Fortran order a column of the matrix is a stretch of the file, in which the first dimension moves fastest.
Index TensorFile::place_in_column(Index row) const {
  const std::vector<Index>& shape = layout_.shape;
  Index stride = rows_, place = 0;
  for (Index dimension = std::ssize(shape) - 2; dimension >= 0; --dimension) {
    stride /= shape[dimension];
    place += row % shape[dimension] * stride;
    row /= shape[dimension];
  }
  return place;
}

// Of each column what lies between the first and the last of these rows: of heads that is every head's.
template <class Element>
std::vector<Element> TensorFile::read_fortran(Index first, Index count) {
  if (count == 0) return {};
  std::vector<Index> places;
  for (Index row = first; row < first + count; ++row) places.push_back(place_in_column(row));
  const auto [lowest, highest] = std::minmax_element(places.begin(), places.end());
  std::vector<Element> elements(count * cols_);
  for (Index column = 0; column < cols_; ++column) {
    const auto stretch = read_stretch<Element>(column * rows_ + *lowest, *highest - *lowest + 1);
    for (Index row = 0; row < count; ++row) elements[row * cols_ + column] = stretch[places[row] - *lowest];
  }
  return elements;
}

std::string TensorFile::position(Index flat) const {
  std::vector<Index> at(layout_.shape.size());
  for (Index i = std::ssize(at) - 1; i >= 0; flat /= layout_.shape[i--]) at[i] = flat % layout_.shape[i];
  return bracketed(at);
}

Matrix TensorFile::read_elements(Index first, Index count) {
  const auto matrix_of = [&](const auto& elements) -> Matrix {
    using Element = typename std::decay_t<decltype(elements)>::value_type;
    using Raw = Eigen::Matrix<Element, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const Raw>(elements.data(), count, cols_).template cast<double>();
  };
  switch (layout_.type) {
    case ElementType::f16:
      return matrix_of(read<Eigen::half>(first, count));
    case ElementType::bf16:
      return matrix_of(read<Eigen::bfloat16>(first, count));
    case ElementType::f32:
      return matrix_of(read<float>(first, count));
    case ElementType::f64:
      return matrix_of(read<double>(first, count));
    default:
      refuse("{}: {}; allowed are float16, bfloat16, float32 and float64", name_, describe());
  }
}

Matrix TensorFile::read_rows(Index first, Index count) {
  Matrix rows = read_elements(first, count);
  // Squares of such numbers and their sums are finite in double precision. The comparison is false for a NaN.
  constexpr double kLargest = std::numeric_limits<float>::max();
  if (rows.size() > 0 && !(rows.array().abs().maxCoeff<Eigen::PropagateNaN>() <= kLargest)) {
    Index flat = 0;
    while (std::abs(rows.data()[flat]) <= kLargest) ++flat;
    refuse("{}: element {} is {}; allowed are finite numbers up to {:.4g} in size", name_,
           position(first * cols_ + flat), rows.data()[flat], kLargest);
  }
  return rows;
}

std::vector<std::int64_t> TensorFile::read_integers(Index first, Index count) {
  if (layout_.type != ElementType::i64) refuse("{}: {}; allowed is int64", name_, describe());
  return read<std::int64_t>(first, count);
}

std::vector<Allowed> TensorFile::read_allowed(Index first, Index count) {
  std::vector<Allowed> allowed;
  if (is_floating(layout_.type)) {
    const Matrix added = read_elements(first, count);
    for (Index flat = 0; flat < added.size(); ++flat) {
      if (std::isnan(added.data()[flat]))
        refuse("{}: element {} is nan; a mask has numbers, and 0 or more where a key is allowed", name_,
               position(first * cols_ + flat));
      allowed.push_back(added.data()[flat] >= 0 ? Allowed::yes : Allowed::no);
    }
    return allowed;
  }
  if (layout_.type != ElementType::boolean) refuse("{}: {}; allowed is bool or floating point", name_, describe());
  for (const std::uint8_t byte : read<std::uint8_t>(first, count)) {
    if (byte > 1)
      refuse("{}: element {} is the byte {}; a bool is 0 or 1", name_, position(first * cols_ + std::ssize(allowed)),
             byte);
    allowed.push_back(byte == 1 ? Allowed::yes : Allowed::no);
  }
  return allowed;
}

}  // namespace skt
