// Which parts of a run are done already, here or elsewhere?
//
// A journal is a file in the folder of results: unfinished.jsonl of a whole run, slice-2-of-3.jsonl of a slice. Its first
// line is the identity of the run, every further one a part that is done, {"part": .., "result": ..}. A run reads all
// journals of its folder, so that to merge slices is to go on after an interruption. Text after the last end of a line
// is what an interruption cut short, and is forgotten; so is a line that is no JSON. A journal of another run is
// refused: nothing of it is used, and nothing of it is lost. Results that differ from those of one process without
// interruption would show in tests/experiments/parts/ways_to_run.py, which compares the bytes of result files.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sim/json.hpp"

namespace skt {

struct KeptPart {
  Json result;
  std::filesystem::path journal;
};
using KeptParts = std::map<std::string, KeptPart>;  // by the name of the part

enum class OtherRuns { refused, discarded };

// The journals of a folder, which may be missing; in the order of their names.
std::vector<std::filesystem::path> journals_in(const std::filesystem::path& folder);

// All parts that the journals of the folder hold. InputError for a journal of another run, unless those are discarded,
// and for a part that stands twice with different results.
KeptParts read_journals(const std::filesystem::path& folder, const Json& identity, OtherRuns others);

// The run is over: its results are written elsewhere.
void remove_journals(const std::filesystem::path& folder);

// Writes one journal, where it ends; one that was there is of the same run. One that holds no part in the end is removed:
// a run that was refused leaves nothing.
class Journal {
 public:
  // InputError if the file cannot be written, or another process is writing it.
  Journal(std::filesystem::path path, const Json& identity);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // With the system when it returns: it survives the end of the process. InputError if the disk is full; what was
  // written before stays as it is.
  void add(const std::string& part, const Json& result);

  const std::filesystem::path& path() const { return path_; }

 private:
  void begin(const Json& identity);
  void add_line(std::string line);

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::size_t bytes_ = 0;                // in whole lines
  std::size_t bytes_without_parts_ = 0;  // of the first line
};

}  // namespace skt
