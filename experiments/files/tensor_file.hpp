// An array in a .npy or .safetensors file, or one of a caller's in memory, read by rows.
//
// Elements become doubles block by block, so that an array of any size needs the memory of one block. The blocks are
// read, not mapped: a mapped file that shrinks meanwhile would kill the process, and here it is an error like any
// other. A file that is not exactly what its header announces is refused, as is an element that is not finite, with one
// line that names file, position and what is allowed.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "estimators/selection.hpp"
#include "experiments/files/tensor_layout.hpp"

namespace skt {

// Elements in C order that somebody else owns and keeps; `name` stands in refusals where a file has its path.
struct ArrayInMemory {
  std::string name;
  ElementType type = ElementType::f64;
  std::vector<Index> shape;
  const void* elements = nullptr;
};

// The array seen as a matrix: the last dimension is a row, all others together count the rows.
class TensorFile {
 public:
  // `given` is FILE, or FILE:NAME for the tensor NAME of a .safetensors file. Without NAME it is the one tensor of the
  // file, or the one called as one of `names`. InputError unless FILE is a regular file of exactly the announced size
  // and the array has at least one element.
  explicit TensorFile(const std::string& given, const std::vector<std::string>& names = {});

  // The caller's own array, read where it lies. InputError without elements.
  explicit TensorFile(const ArrayInMemory& array);

  // [batch, heads, ..] becomes [batch * heads, ..].
  void merge_batch();

  const std::string& name() const { return name_; }
  const std::vector<Index>& shape() const { return layout_.shape; }
  ElementType type() const { return layout_.type; }
  std::string describe() const { return skt::describe(layout_); }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

  // Floating-point rows first .. first + count - 1, [count, cols]. InputError with the position of an element that is
  // not finite.
  Matrix read_rows(Index first, Index count);

  // The same, of whatever numbers; and int64. InputError for another type.
  Matrix read_elements(Index first, Index count);
  std::vector<std::int64_t> read_integers(Index first, Index count);

  // The same rows of a mask, [count * cols]: bool, true where allowed, or floating-point as it is added to logits,
  // allowed where >= 0.
  std::vector<Allowed> read_allowed(Index first, Index count);

 private:
  TensorLayout layout_of_npy(std::uint64_t file_bytes);
  TensorLayout layout_of_safetensors(const std::string& tensor, const std::vector<std::string>& names,
                                     std::uint64_t file_bytes);
  std::string read_start(std::size_t bytes);
  template <class Element>
  std::vector<Element> read(Index first, Index count);
  template <class Element>
  std::vector<Element> read_stretch(Index first, Index count);
  template <class Element>
  std::vector<Element> read_fortran(Index first, Index count);
  Index place_in_column(Index row) const;
  std::string position(Index flat) const;

  std::string name_;
  TensorLayout layout_;
  Index rows_ = 0;
  Index cols_ = 0;
  std::ifstream file_;
  const char* memory_ = nullptr;  // of an array in memory: its elements
};

}  // namespace skt
