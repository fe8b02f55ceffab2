#include "experiments/command/result_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "experiments/files/result_file.hpp"
#include "sim/json.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProvenance = "provenance.json";

// The options of a command's text by name. A value may hold spaces; none begins with two dashes.
std::map<std::string, std::string> options_in(const std::string& text) {
  std::map<std::string, std::string> options;
  std::istringstream words(text);
  std::string name = "command";
  for (std::string word; words >> word;) {
    if (word.starts_with("--")) {
      name = word;
      options[name];
    } else {
      options[name] += (options[name].empty() ? "" : " ") + word;
    }
  }
  return options;
}

// What stands there or, without it, the default; a flag's name alone says the same as "true" behind it.
std::string value_of(const Fields& fields, const std::map<std::string, std::string>& options, const std::string& name) {
  const auto found = options.find(name);
  if (found != options.end()) return found->second == "true" ? "" : found->second;
  if (name == "command") return "";
  const Field* const field = fields.find(name.substr(2));
  return field == nullptr || field->kind() == ValueKind::flag ? "left out" : field->standard;
}

// What the other run was, for a refusal; empty where there is none.
std::string command_there(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder / kProvenance, ignored)) return "";
  const Json facts = Json::parse_or_null(read_file(folder / kProvenance));
  if (!facts.is_object() || !facts.contains("command") || !facts["command"].is_string()) return "an unknown command";
  return facts["command"];
}

// Stems of what is written, up to a suffix as that of attend --compare, with the endings that go with them.
bool is_result(const fs::path& file) {
  struct Names {
    std::set<std::string> endings;
    std::vector<std::string> stems;
  };
  static const std::vector<Names> kNames = {
      {{".jsonl"}, {"verdicts"}},
      {{".html"}, {"report"}},
      {{".json"}, {"worst_instances", "audit", "certificate", "summary", "comparison"}},
      {{".npy"}, {"scores", "selected", "output"}},
      {{".csv"},
       {"kill_matrix", "trials", "laws", "faults", "sweep", "search", "audit", "bound_ratios", "rankers", "ranking_",
        "certificate", "attend_curves", "gpu_bench"}},
      {{".png", ".svg"},
       {"error_", "grid_", "trial_distributions", "audit_terms", "bound_ratios", "certificate", "attend_curves",
        "ranking_", "frontier_"}}};
  const std::string name = file.filename().string();
  return std::any_of(kNames.begin(), kNames.end(), [&](const Names& names) {
    return names.endings.contains(file.extension().string()) &&
           std::any_of(names.stems.begin(), names.stems.end(),
                       [&](const std::string& stem) { return name.starts_with(stem); });
  });
}

}  // namespace

std::string default_folder(const std::string& subcommand) {
  return subcommand == "reproduce" ? "results" : "results-" + subcommand;
}

bool same_run(const Fields& fields, const std::string& first, const std::string& second) {
  const auto a = options_in(first), b = options_in(second);
  const auto agrees = [&](const auto& entry) {
    return value_of(fields, a, entry.first) == value_of(fields, b, entry.first);
  };
  return std::all_of(a.begin(), a.end(), agrees) && std::all_of(b.begin(), b.end(), agrees);
}

ResultFolder::ResultFolder(const Command& command) : folder_(command.shared->out) {
  const std::string there = command_there(folder_);
  if (there.empty() || same_run(command.fields, there, command.shared->command)) return;
  if (!command.shared->force)
    refuse("--out {}: holds results of `{}`; allowed are that command, another folder, or --force, which replaces them",
           folder_.string(), there);
  note_files();
}

ResultFolder::Version ResultFolder::version_of(const fs::path& file) {
  struct stat facts{};
  if (stat(file.c_str(), &facts) != 0) return {};
  std::error_code ignored;
  return {facts.st_ino, fs::last_write_time(file, ignored)};
}

void ResultFolder::note_files() {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    if (entry.is_regular_file() && (is_result(entry.path()) || entry.path().filename() == kProvenance))
      before_[entry.path()] = version_of(entry.path());
  }
}

void ResultFolder::remove_stale() const {
  const auto own = before_.find(folder_ / kProvenance);
  if (own == before_.end() || version_of(own->first) == own->second) return;
  for (const auto& [file, version] : before_) {
    std::error_code ignored;
    if (version_of(file) == version) fs::remove(file, ignored);
  }
}

}  // namespace skt
