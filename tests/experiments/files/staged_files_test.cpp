#include "experiments/files/staged_files.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;
namespace fs = std::filesystem;

TEST_CASE("Staged files appear together, and only when they are committed", "[unit]") {
  const TemporaryFolder folder;
  StagedFiles files(folder.path);
  files.add("a.txt") << "one";
  files.add("b.txt") << "two";
  CHECK_FALSE(fs::exists(folder.path / "a.txt"));

  files.commit();

  CHECK(contents(folder.path / "a.txt") == "one");
  CHECK(contents(folder.path / "b.txt") == "two");
  CHECK(files_in(folder.path) == 2);
}

TEST_CASE("A run that is killed before the end leaves no file, whole or half", "[unit]") {
  const TemporaryFolder folder;
  std::ofstream(folder.path / "a.txt") << "before";

  const pid_t child = fork();
  if (child == 0) {
    StagedFiles files(folder.path);
    files.add("a.txt") << std::string(100000, 'x') << std::flush;
    files.add("b.txt") << "half" << std::flush;
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);

  CHECK(WIFSIGNALED(status));
  CHECK(contents(folder.path / "a.txt") == "before");
  CHECK(files_in(folder.path) == 1);
}

TEST_CASE("What is not committed leaves nothing, and what was there stays", "[unit]") {
  const TemporaryFolder folder;
  std::ofstream(folder.path / "a.txt") << "before";

  {
    StagedFiles files(folder.path);
    files.add("a.txt") << "after";
    StagedFiles made(folder.path / "new");
    made.add("b.txt") << "never";
  }

  CHECK(contents(folder.path / "a.txt") == "before");
  CHECK(files_in(folder.path) == 1);
}

TEST_CASE("A folder or a file that cannot be written is refused", "[unit]") {
  const TemporaryFolder folder;
  std::ofstream(folder.path / "file") << "x";
  fs::create_directory(folder.path / "taken.npy");

  CHECK_THROWS_AS(StagedFiles(folder.path / "file"), InputError);
  CHECK_THROWS_AS(StagedFiles(folder.path / "file" / "below"), InputError);
  StagedFiles files(folder.path);
  CHECK_THROWS_AS(files.add("taken.npy"), InputError);
}

TEST_CASE("A full disk is an error and leaves nothing behind", "[unit]") {
  REQUIRE(fs::exists("/dev/full"));
  const TemporaryFolder folder;
  {
    StagedFiles files(folder.path);
    files.add("a.txt") << "kept back";
    std::ofstream& full = files.add("b.txt");
    full.close();
    full.open("/dev/full", std::ios::binary);
    full << "more than fits";
    CHECK_THROWS_AS(files.commit(), InputError);
  }
  CHECK(files_in(folder.path) == 0);
}
