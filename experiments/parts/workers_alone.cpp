#include "experiments/parts/workers.hpp"

namespace skt {

bool leads_the_run() {
  return true;
}

bool runs_alone() {
  return true;
}

Workers::Workers() = default;
Workers::~Workers() = default;

void Workers::run(const std::vector<Part>& parts, const std::vector<Index>& order, const Json&, const Done& done) {
  run_in_turn(parts, order, done);
}

void Workers::help(const std::vector<Part>&, const Json&) {}

}  // namespace skt
