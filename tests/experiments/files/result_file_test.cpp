#include "experiments/files/result_file.hpp"

#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"
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

TEST_CASE("A file is read to its last byte, and one that is missing is named", "[unit]") {
  const TemporaryFolder folder;
  const std::string bytes("a\r\n\0b\n", 6);
  write_result(folder.path / "bytes", bytes);

  CHECK(read_file(folder.path / "bytes") == bytes);
  CHECK(refusal([] { read_file("/no such file"); }) == "/no such file: cannot be read; allowed is a file");
}

TEST_CASE("A result that cannot be put in place leaves nothing half-written", "[unit]") {
  const TemporaryFolder folder;
  const fs::path taken = folder.path / "sweep.csv";
  fs::create_directories(taken / "a folder has this name");

  CHECK_THROWS_AS(write_result(taken, "text"), InputError);

  CHECK(files_in(folder.path) == 1);
}

TEST_CASE("A folder is made with its parents, and a file in its place is named", "[unit]") {
  const TemporaryFolder folder;
  write_result(folder.path / "file", "text");

  make_folder(folder.path / "a" / "b");
  make_folder(folder.path / "a" / "b");

  CHECK(fs::is_directory(folder.path / "a" / "b"));
  CHECK(refusal([&] {
          make_folder(folder.path / "file");
        }).starts_with("--out " + (folder.path / "file").string() + ": cannot make this folder"));
}
