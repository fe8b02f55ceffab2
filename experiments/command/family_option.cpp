#include "experiments/command/family_option.hpp"

namespace skt {

void add_families(CLI::App& sub, std::vector<std::string>& families, const std::string& description) {
  add_list(sub, "--families,--family", families, description);
}

}  // namespace skt
