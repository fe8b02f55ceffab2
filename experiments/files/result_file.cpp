#include "experiments/files/result_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "experiments/files/staged_files.hpp"
#include "sim/require.hpp"

namespace skt {

namespace fs = std::filesystem;

void make_folder(const fs::path& folder, const char* option) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure || !fs::is_directory(folder)) {
    refuse("{} {}: cannot make this folder{}", option, folder.string(),
           failure ? ": " + failure.message() : std::string(": a file has this name"));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse("{} {}: allowed is a folder with write permission", option, folder.string());
  }
}

void require_folder_of(const fs::path& file, const char* option) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored) || access(folder.c_str(), W_OK | X_OK) != 0 || fs::is_directory(file, ignored))
    refuse("{} {}: allowed is a file in a folder with write permission", option, file.string());
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse("{}: cannot be read; allowed is a file", path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_result(const fs::path& path, std::string_view contents) {
  StagedFiles file(path.has_parent_path() ? path.parent_path() : ".");
  file.add(path.filename()) << contents;
  file.commit();
}

}  // namespace skt
