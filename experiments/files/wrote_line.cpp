#include "experiments/files/wrote_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

namespace skt {

std::string wrote_line(const std::string& folder, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::vector<std::string> said = names;
  said.front() = (std::filesystem::path(folder) / names.front()).string();
  return fmt::format("wrote {}\n", fmt::join(said, ", "));
}

}  // namespace skt
