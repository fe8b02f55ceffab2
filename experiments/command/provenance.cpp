#include "experiments/command/provenance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <Eigen/Core>
#include <boost/version.hpp>
#include <fstream>
#include <vector>

#include "build_commit.hpp"
#include "experiments/command/numeric_fingerprint.hpp"
#include "experiments/files/staged_files.hpp"
#include "sim/json.hpp"

namespace skt {
namespace {

namespace fs = std::filesystem;

// "key : value" of a /proc file, the first such line; empty if there is none.
std::string proc_field(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const auto value = line.find_first_not_of(" \t", line.find(':') + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

// The driver's list needs no CUDA toolkit, so it also works in a build without gpu/.
std::vector<std::string> gpu_models() {
  std::vector<std::string> models;
  std::error_code none;
  for (fs::directory_iterator gpu("/proc/driver/nvidia/gpus", none), end; !none && gpu != end; gpu.increment(none)) {
    models.push_back(proc_field(gpu->path() / "information", "Model"));
  }
  return models;
}

std::string operating_system() {
  utsname names{};
  return uname(&names) == 0 ? fmt::format("{} {} {}", names.sysname, names.release, names.machine) : "";
}

std::string libraries() {
  return fmt::format("Eigen {}.{}.{}, Boost {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION,
                     BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100);
}

}  // namespace

std::string program_version() {
  return SKT_VERSION;
}

std::string provenance_json(const RunFacts& facts) {
  Json json;
  json["program"] = "socketlab";
  json["version"] = program_version();
  json["git_commit"] = kBuildCommit;
  json["compiler"] = SKT_COMPILER;
  json["flags"] = SKT_FLAGS;
  json["libraries"] = libraries();
  json["command"] = facts.command;
  json["seed"] = facts.seed;
  if (!facts.profile.empty()) json["profile"] = facts.profile;
  if (!facts.fault.empty()) json["fault"] = facts.fault;
  if (!facts.learned_heads.empty()) json["learned_heads"] = facts.learned_heads;
  json["processor"] = proc_field("/proc/cpuinfo", "model name");
  json["processors"] = sysconf(_SC_NPROCESSORS_CONF);
  json["numbers"] = numeric_fingerprint();
  json["system"] = operating_system();
  json["gpus"] = gpu_models();
  return json.dump(2) + "\n";
}

std::string write_results(const fs::path& folder, FileTexts files, const RunFacts& facts) {
  files.emplace_back("provenance.json", provenance_json(facts));
  StagedFiles staged(folder);
  std::vector<std::string> said;
  for (const auto& [name, text] : files) {
    staged.add(name) << text;
    said.push_back(said.empty() ? (folder / name).string() : name);
  }
  staged.commit();
  return fmt::format("wrote {}\n", fmt::join(said, ", "));
}

}  // namespace skt
