// How do several result files reach the disk together? Each is written without a name, or under a temporary one where
// the file system knows no files without, and all are named at the end; a run that fails before leaves the folder as it
// was, and so does, but for temporary names, one that is killed.
#pragma once

#include <filesystem>
#include <fstream>
#include <list>
#include <string>

namespace skt {

class StagedFiles {
 public:
  // Makes the folder. InputError, naming the option that asked for it, if that fails.
  explicit StagedFiles(std::filesystem::path folder, const char* option = "--out");
  // Removes what was not committed, and the folder if it was made here and is empty.
  ~StagedFiles();
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;

  // A stream for the file of this name. InputError if it cannot be written.
  std::ofstream& add(const std::string& name);

  // Closes and renames all. InputError if any could not be written whole.
  void commit();

 private:
  struct Staged {
    std::filesystem::path path, temporary;
    std::ofstream stream;
    int unnamed = -1;  // descriptor of the file without a name
  };

  std::filesystem::path folder_;
  bool folder_was_there_ = false;
  std::list<Staged> files_;  // streams stay where callers hold references to them
};

}  // namespace skt
