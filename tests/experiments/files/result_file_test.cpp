#include "experiments/files/result_file.hpp"

#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;
namespace fs = std::filesystem;

TEST_CASE("A result replaces the one before, and nothing else is left in the folder", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "sweep.csv";

  write_result(path, "the first, which is longer\n");
  write_result(path, "second\n");

  CHECK(contents(path) == "second\n");
  CHECK(files_in(folder.path) == 1);
}

TEST_CASE("A result that cannot be put in place leaves nothing half-written", "[unit]") {
  const TemporaryFolder folder;
  const fs::path taken = folder.path / "sweep.csv";
  fs::create_directories(taken / "a folder has this name");

  CHECK_THROWS_AS(write_result(taken, "text"), InputError);
  CHECK_THROWS_AS(write_result(folder.path / "missing" / "sweep.csv", "text"), InputError);

  CHECK(files_in(folder.path) == 1);
}

TEST_CASE("A folder is made with its parents, and a file in its place is named", "[unit]") {
  const TemporaryFolder folder;
  write_result(folder.path / "file", "text");

  make_folder(folder.path / "a" / "b");
  make_folder(folder.path / "a" / "b");

  CHECK(fs::is_directory(folder.path / "a" / "b"));
  std::string message;
  try {
    make_folder(folder.path / "file");
  } catch (const InputError& error) {
    message = error.what();
  }
  CHECK(message.find((folder.path / "file").string()) != std::string::npos);
}
