// What differs between two runs, and is the second worse?
#pragma once

#include <string>
#include <vector>

namespace skt {

enum class Weight { told, worse };

struct Difference {
  std::string kind{};  // "verdict", "interval", "vanished", "new", "lies", "time"
  std::string where{};
  std::string what{};
  Weight weight = Weight::told;
};

// What was compared, for the last line, and in what it differs.
struct RunComparison {
  std::size_t compared = 0;
  std::vector<Difference> differences{};
};

}  // namespace skt
