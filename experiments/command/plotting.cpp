#include "experiments/command/plotting.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "experiments/command/shipped_files.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

namespace fs = std::filesystem;

enum class Output { shown, dropped };

// The exit status of a program given its arguments one by one, so that no shell sees spaces; -1 if it cannot start.
int exit_status(const std::vector<std::string>& arguments, Output output) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output == Output::dropped) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed != 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace

Plotter find_plotter(const std::string& python) {
  // A Python of the user's own that comes first on PATH often lacks the packages of the distribution.
  const std::string system = fs::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  Plotter plotter{python.empty() ? system : python, shipped_file("plots/report.py").parent_path()};
  if (exit_status({plotter.python, "-B", "-c", "import matplotlib, numpy, jinja2"}, Output::dropped) != 0) {
    refuse(
        "--python {}: no Python with matplotlib and jinja2; install python3-matplotlib and python3-jinja2 or name another",
        plotter.python);
  }
  return plotter;
}

void draw_report(const Plotter& plotter, const fs::path& folder) {
  // -B: nothing is written beside the scripts.
  const std::string script = (plotter.scripts / "report.py").string();
  if (exit_status({plotter.python, "-B", script, folder.string()}, Output::shown) != 0) {
    refuse("{} failed on {}", script, folder.string());
  }
}

}  // namespace skt
