// A .npy file for a test.
#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

#include "experiments/files/npy_header.hpp"

namespace skt {

// Writes the array, then `tail`, and gives back its path.
template <class Element>
std::filesystem::path write_array(const std::filesystem::path& path, ElementType type, const std::vector<Index>& shape,
                                  const std::vector<Element>& elements, const std::string& tail = "") {
  std::ofstream file(path, std::ios::binary);
  file << npy_header(type, shape);
  write_elements(file, elements);
  file << tail;
  return path;
}

}  // namespace skt
