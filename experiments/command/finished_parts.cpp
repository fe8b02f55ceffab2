#include "experiments/command/finished_parts.hpp"

#include <fmt/format.h>

#include "experiments/files/result_file.hpp"

namespace skt {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

// Sources may have changed since the commit: the program file tells.
std::string run_line(const RunFacts& facts) {
  Json run = Json::parse(provenance_json(facts));
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  run["program_bytes"] = fs::file_size(program, ignored);
  run["program_written"] = fs::last_write_time(program, ignored).time_since_epoch().count();
  return run.dump();
}

}  // namespace

FinishedParts::FinishedParts(const fs::path& folder, const RunFacts& facts) : path_(folder / "unfinished.jsonl") {
  const std::string run = run_line(facts);
  std::string kept = run + "\n";
  std::ifstream old(path_);
  std::string line;
  if (std::getline(old, line) && line == run) {
    while (std::getline(old, line)) {
      const Json entry = Json::parse(line, nullptr, false);
      if (entry.is_discarded()) break;
      parts_[entry.at("part").get<std::string>()] = entry.at("result");
      kept += line + "\n";
    }
  }
  write_result(path_, kept);
  journal_.open(path_, std::ios::app);
}

const Json* FinishedParts::find(const std::string& part) const {
  const auto found = parts_.find(part);
  return found == parts_.end() ? nullptr : &found->second;
}

void FinishedParts::add(const std::string& part, const Json& result) {
  journal_ << Json{{"part", part}, {"result", result}}.dump() << std::endl;
  parts_[part] = result;
}

void FinishedParts::remove() {
  journal_.close();
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace skt
