// Who draws? The scripts of plots/, which read the result files of a folder and write figures and report.html there,
// run by a Python that has matplotlib and jinja2.
#pragma once

#include <filesystem>
#include <string>

namespace skt {

struct Plotter {
  std::string python;             // interpreter, a path or a name on PATH
  std::filesystem::path scripts;  // the folder plots/
};

// python: as the user named it, or empty for the system's. plots/ is looked for beside the build folder of the running
// program, then where it was compiled. InputError if the interpreter, one of its packages or plots/ is missing.
Plotter find_plotter(const std::string& python);

// InputError if the scripts fail; their own message is on stderr by then.
void draw_report(const Plotter& plotter, const std::filesystem::path& folder);

}  // namespace skt
