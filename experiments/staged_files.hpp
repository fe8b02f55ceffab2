// How do several result files reach the disk together? Each is written under a temporary name in the folder,
// and all are renamed at the end; a run that fails before leaves the folder as it was.
#pragma once

#include <filesystem>
#include <fstream>
#include <list>
#include <string>

namespace skt {

class StagedFiles {
 public:
  // Makes the folder. InputError if that fails.
  explicit StagedFiles(std::filesystem::path folder);
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
  };

  std::filesystem::path folder_;
  bool folder_was_there_ = false;
  std::list<Staged> files_;  // streams stay where callers hold references to them
};

}  // namespace skt
