// May a run write its results into a folder? Into one that holds results of the same run, or of none.
//
// The same run is the same command with the same options but for those that change no result (fields.hpp); an
// option left out has its default. Whose results a folder holds, its provenance.json says. Replaced without asking, the
// verdicts of another run would be lost, and a report.html or a figure of it would stand beside new numbers.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "experiments/command/command.hpp"

namespace skt {

// "results" for the main job, "results-NAME" for the others, so that no two meet.
std::string default_folder(const std::string& subcommand);

// Do two texts of a command, as provenance.json and Command::text have them, ask for the same results?
bool same_run(const Fields& fields, const std::string& first, const std::string& second);

class ResultFolder {
 public:
  // InputError where the folder holds another run's results, unless they may be replaced (--force).
  explicit ResultFolder(const Command& command);

  // After the run: once it has put its own provenance.json there, removes result files of the other run that it did
  // not replace. Only names that the program or its plots write, and only those that were there before.
  void remove_stale() const;

 private:
  struct Version {
    std::uint64_t number = 0;  // of the file on its disk
    std::filesystem::file_time_type written{};
    bool operator==(const Version&) const = default;
  };
  static Version version_of(const std::filesystem::path& file);
  void note_files();

  std::filesystem::path folder_;
  std::map<std::filesystem::path, Version> before_;  // of another run; empty: nothing to remove
};

}  // namespace skt
