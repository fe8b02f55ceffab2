// Which parts of a long run are done already, so that the same run, started again after an interruption, loses nothing?
//
// A journal in the folder of results: its first line says which run it belongs to, every further one holds a finished
// part. Only the same run reads it: the same command, seed, build, program file and machine; another one starts afresh.
// A line that an interruption cut short is forgotten. Results that differ from those of a run without interruption
// would show in tests/experiments/command/finished_parts_test.cpp, which compares their bytes.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/command/provenance.hpp"

namespace skt {

class FinishedParts {
 public:
  // In a folder that exists. InputError if the journal cannot be written.
  FinishedParts(const std::filesystem::path& folder, const RunFacts& facts);

  // Null if the part is not done.
  const nlohmann::ordered_json* find(const std::string& part) const;
  bool empty() const { return parts_.empty(); }

  // On disk when it returns.
  void add(const std::string& part, const nlohmann::ordered_json& result);

  // The run is over: removes the journal.
  void remove();

 private:
  std::filesystem::path path_;
  std::map<std::string, nlohmann::ordered_json> parts_;
  std::ofstream journal_;
};

}  // namespace skt
