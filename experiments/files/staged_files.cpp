#include "experiments/files/staged_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "experiments/files/result_file.hpp"
#include "sim/require.hpp"

namespace skt {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path) {
  refuse("{}: cannot write this file; allowed is a folder with write permission and free space", path.string());
}

std::string by_descriptor(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

}  // namespace

StagedFiles::StagedFiles(fs::path folder, const char* option) : folder_(std::move(folder)) {
  std::error_code ignored;
  folder_was_there_ = fs::exists(folder_, ignored);
  make_folder(folder_, option);
}

StagedFiles::~StagedFiles() {
  std::error_code ignored;
  for (const Staged& file : files_) {
    fs::remove(file.temporary, ignored);
    if (file.unnamed >= 0) close(file.unnamed);
  }
  if (!folder_was_there_) fs::remove(folder_, ignored);  // refuses a folder that holds something
}

std::ofstream& StagedFiles::add(const std::string& name) {
  const fs::path path = folder_ / name;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) fail(path);
  // The process id keeps two runs into one folder from writing the same temporary file.
  Staged& file = files_.emplace_back(path, fmt::format("{}.{}.tmp", path.string(), getpid()), std::ofstream(), -1);
  file.unnamed = open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  file.stream.open(file.unnamed < 0 ? file.temporary.string() : by_descriptor(file.unnamed),
                   std::ios::binary | std::ios::trunc);
  if (!file.stream) fail(path);
  return file.stream;
}

void StagedFiles::commit() {
  for (Staged& file : files_) {
    file.stream.close();
    if (!file.stream) fail(file.path);
  }
  for (const Staged& file : files_) {
    std::error_code failure;
    if (file.unnamed >= 0 &&
        linkat(AT_FDCWD, by_descriptor(file.unnamed).c_str(), AT_FDCWD, file.temporary.c_str(), AT_SYMLINK_FOLLOW) != 0)
      fail(file.path);
    fs::rename(file.temporary, file.path, failure);
    if (failure) fail(file.path);
  }
  for (const Staged& file : files_)
    if (file.unnamed >= 0) close(file.unnamed);
  files_.clear();
  folder_was_there_ = true;
}

}  // namespace skt
