#include "experiments/command/plotting.hpp"

#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;

namespace {

// An interpreter that runs any script as a shell does; -B it does not know, and drops.
std::string shell_in(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "a shell";
  std::ofstream(path) << "#!/bin/sh\nshift\nexec /bin/sh \"$@\"\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path.string();
}

}  // namespace

TEST_CASE("A Python that is missing, or lacks its packages, is refused before anything is computed", "[unit]") {
  for (const std::string python : {"/no such python", "/bin/false"}) {
    CHECK(refusal([&] { find_plotter(python); }) ==
          "--python " + python +
              ": no Python with matplotlib and jinja2; install python3-matplotlib and python3-jinja2 or name another");
  }
}

TEST_CASE("The scripts are found beside the sources", "[unit]") {
  const Plotter plotter = find_plotter("/bin/true");  // any program that says that it has them

  CHECK(plotter.python == "/bin/true");
  CHECK(std::filesystem::exists(plotter.scripts / "report.py"));
}

TEST_CASE("The script gets the folder as one argument, whatever its name holds", "[unit]") {
  const TemporaryFolder folder;
  std::ofstream(folder.path / "report.py") << "echo drawn > \"$1/report.html\"\n";

  draw_report({shell_in(folder.path), folder.path}, folder.path);

  CHECK(contents(folder.path / "report.html") == "drawn\n");
}

TEST_CASE("A script that fails is named with its folder", "[unit]") {
  const TemporaryFolder folder;
  std::ofstream(folder.path / "report.py") << "exit 3\n";

  CHECK(refusal([&] { draw_report({shell_in(folder.path), folder.path}, "results"); }) ==
        (folder.path / "report.py").string() + " failed on results");
}
