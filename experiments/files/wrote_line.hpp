// Where are the results? The last line of a command that writes files.
#pragma once

#include <string>
#include <vector>

namespace skt {

// "wrote results/sweep.csv, sweep_slopes.csv\n": the path of the first, and the names of the others beside it. Nothing
// for no file.
std::string wrote_line(const std::string& folder, const std::vector<std::string>& names);

}  // namespace skt
