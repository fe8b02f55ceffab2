// An array in a .npy file, read by rows.
//
// Elements become doubles block by block, so that an array of any size needs the memory of one block. A file
// whose size is not exactly what its header announces is refused, as is an element that is not finite, with
// one line that names file, position and what is allowed.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "estimators/selection.hpp"
#include "experiments/npy_header.hpp"

namespace skt {

// The array seen as a matrix: the last dimension is a row, all others together count the rows.
class NpyFile {
 public:
  // InputError unless `path` is a regular file of exactly the announced size with at least one element.
  explicit NpyFile(const std::filesystem::path& path);

  const std::string& name() const { return name_; }
  const std::vector<Index>& shape() const { return header_.shape; }
  ElementType type() const { return header_.type; }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

  // Floating-point rows first .. first + count - 1, [count, cols]. InputError with the position of an element
  // that is not finite.
  Matrix read_rows(Index first, Index count);

  // The same rows of a bool array, [count * cols].
  std::vector<Allowed> read_allowed(Index first, Index count);

 private:
  template <class Element>
  std::vector<Element> read(Index first, Index count);
  std::string position(Index flat) const;

  std::string name_;
  NpyHeader header_;
  Index rows_ = 0;
  Index cols_ = 0;
  std::ifstream file_;
};

}  // namespace skt
