#include "experiments/command/shipped_files.hpp"

#include "sim/require.hpp"

namespace skt {

namespace fs = std::filesystem;

fs::path shipped_file(const std::string& file, const std::string& otherwise) {
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  const fs::path prefix = program.parent_path().parent_path();  // of an installation, or the checkout of a build
  for (const fs::path& folder : {prefix / "share/socketlab", prefix, fs::path(SKT_SOURCE_DIR)})
    if (fs::exists(folder / file)) return folder / file;
  refuse("{} is missing: looked beside {} and in {}{}", file, program.parent_path().string(), SKT_SOURCE_DIR,
         otherwise);
}

}  // namespace skt
