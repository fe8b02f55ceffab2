#include "experiments/npy_file.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "sim/input_error.hpp"

namespace skt {

static_assert(std::endian::native == std::endian::little,
              "elements are copied from little-endian files as they are");

namespace {

// Bytes of all elements; InputError if they are none or more than a file can have.
Index data_bytes(const NpyHeader& header, const std::string& name) {
  Index bytes = size_of(header.type);
  for (const Index size : header.shape) {
    if (size == 0)
      throw InputError(fmt::format("{}: empty, its shape is {}; at least one element is needed", name,
                                   bracketed(header.shape)));
    if (__builtin_mul_overflow(bytes, size, &bytes))
      throw InputError(
          fmt::format("{}: its shape {} is larger than any file", name, bracketed(header.shape)));
  }
  return bytes;
}

}  // namespace

NpyFile::NpyFile(const std::filesystem::path& path) : name_(path.string()) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) throw InputError(fmt::format("{}: there is no such file", name_));
  if (!std::filesystem::is_regular_file(status))
    throw InputError(fmt::format("{}: not a regular file", name_));
  file_.open(path, std::ios::binary);
  if (!file_) throw InputError(fmt::format("{}: cannot be opened for reading", name_));
  std::string start(kNpyHeaderLimit, '\0');
  file_.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file_.gcount()));
  file_.clear();
  header_ = parse_npy_header(start, name_);

  const auto announced = static_cast<std::uint64_t>(data_bytes(header_, name_));
  const std::uint64_t held = std::filesystem::file_size(path) - header_.data_offset;
  if (held != announced)
    throw InputError(fmt::format("{}: {}, {} bytes of elements for {}, which has {}", name_,
                                 held < announced ? "truncated" : "more than the array", held,
                                 describe(header_), announced));
  cols_ = header_.shape.empty() ? 1 : header_.shape.back();
  rows_ = static_cast<Index>(announced) / size_of(header_.type) / cols_;
}

template <class Element>
std::vector<Element> NpyFile::read(Index first, Index count) {
  std::vector<Element> elements(static_cast<std::size_t>(count * cols_));
  const auto bytes = static_cast<std::streamsize>(elements.size() * sizeof(Element));
  file_.seekg(static_cast<std::streamoff>(header_.data_offset) + first * cols_ * Index{sizeof(Element)});
  file_.read(reinterpret_cast<char*>(elements.data()), bytes);
  if (!file_ || file_.gcount() != bytes)
    throw InputError(fmt::format("{}: reading failed; the file may have changed meanwhile", name_));
  return elements;
}

std::string NpyFile::position(Index flat) const {
  std::vector<Index> at(header_.shape.size());
  for (std::size_t i = at.size(); i-- > 0; flat /= header_.shape[i]) at[i] = flat % header_.shape[i];
  return bracketed(at);
}

Matrix NpyFile::read_rows(Index first, Index count) {
  const auto matrix_of = [&](const auto& elements) -> Matrix {
    using Element = typename std::decay_t<decltype(elements)>::value_type;
    using Raw = Eigen::Matrix<Element, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const Raw>(elements.data(), count, cols_).template cast<double>();
  };
  Matrix rows;
  switch (header_.type) {
    case ElementType::f16:
      rows = matrix_of(read<Eigen::half>(first, count));
      break;
    case ElementType::f32:
      rows = matrix_of(read<float>(first, count));
      break;
    case ElementType::f64:
      rows = matrix_of(read<double>(first, count));
      break;
    default:
      throw InputError(
          fmt::format("{}: {}; allowed are float16, float32 and float64", name_, describe(header_)));
  }
  if (!rows.allFinite()) {
    Index flat = 0;
    while (std::isfinite(rows.data()[flat])) ++flat;
    throw InputError(fmt::format("{}: element {} is {}; allowed are finite numbers", name_,
                                 position(first * cols_ + flat), rows.data()[flat]));
  }
  return rows;
}

std::vector<Allowed> NpyFile::read_allowed(Index first, Index count) {
  if (header_.type != ElementType::boolean)
    throw InputError(fmt::format("{}: {}; allowed is bool", name_, describe(header_)));
  std::vector<Allowed> allowed;
  for (const std::uint8_t byte : read<std::uint8_t>(first, count)) {
    if (byte > 1)
      throw InputError(fmt::format("{}: element {} is the byte {}; a bool is 0 or 1", name_,
                                   position(first * cols_ + std::ssize(allowed)), byte));
    allowed.push_back(byte == 1 ? Allowed::yes : Allowed::no);
  }
  return allowed;
}

}  // namespace skt
