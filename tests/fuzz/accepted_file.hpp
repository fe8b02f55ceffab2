// What does a reader do with a file whose header it accepts?
//
// The bytes go to a file of the format's extension and are read through as rows and as a mask. The only way out that is
// no crash is the end of the data or an InputError of one line.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "experiments/files/tensor_file.hpp"
#include "sim/require.hpp"

namespace skt {

// Aborts unless the action ends, or ends in an InputError of one line.
template <class Action>
void only_input_errors(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
}

// `tensor` may be empty: the file's only one.
inline void read_accepted_file(std::string_view bytes, const std::string& extension, const std::string& tensor) {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("socketlab-fuzz-" + std::to_string(::getpid()) + extension);
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
  const std::string given = tensor.empty() ? path.string() : path.string() + ":" + tensor;
  only_input_errors([&] {
    TensorFile file(given);
    if (file.read_rows(0, file.rows()).size() != file.rows() * file.cols()) std::abort();
  });
  only_input_errors([&] {
    TensorFile file(given);
    if (std::ssize(file.read_allowed(0, file.rows())) != file.rows() * file.cols()) std::abort();
  });
  std::filesystem::remove(path);
}

}  // namespace skt
