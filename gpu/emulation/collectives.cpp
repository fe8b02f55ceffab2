// What lanes of a warp tell one another. The lane that comes last computes every lane's result.
#include <algorithm>

#include "gpu/emulation/threads.hpp"

namespace skt::emulation {
namespace {

struct Shuffled {
  std::uint32_t value, from, result;
};
struct Told {
  std::uint32_t value, result;
};

// Of all lanes' values, in order, one result.
template <class Join>
void join(Warp& warp, Join step) {
  std::uint32_t result = 0;
  for (int lane = 0; lane < 32; ++lane) result = step(result, static_cast<Told*>(warp.given[lane])->value, lane);
  for (void* given : warp.given) static_cast<Told*>(given)->result = result;
}

std::uint32_t joined(Meeting meeting, unsigned mask, std::uint32_t value) {
  Told mine = {value, 0};
  meet(meeting, &mine, mask);
  return mine.result;
}

}  // namespace

std::uint32_t shuffle(unsigned mask, std::uint32_t value, unsigned lane) {
  Shuffled mine = {value, lane % 32, 0};
  const Meeting meeting = [](Warp& warp) {
    for (void* given : warp.given) {
      auto& to = *static_cast<Shuffled*>(given);
      to.result = static_cast<Shuffled*>(warp.given[to.from])->value;
    }
  };
  meet(meeting, &mine, mask);
  return mine.result;
}

std::uint32_t ballot(unsigned mask, bool vote) {
  const Meeting meeting = [](Warp& warp) {
    join(warp, [](std::uint32_t all, std::uint32_t one, int lane) { return all | one << lane; });
  };
  return joined(meeting, mask, vote ? 1 : 0);
}
std::uint32_t reduce_add(unsigned mask, std::uint32_t value) {
  const Meeting meeting = [](Warp& warp) {
    join(warp, [](std::uint32_t all, std::uint32_t one, int) { return all + one; });
  };
  return joined(meeting, mask, value);
}
std::uint32_t reduce_max(unsigned mask, std::uint32_t value) {
  const Meeting meeting = [](Warp& warp) {
    join(warp, [](std::uint32_t all, std::uint32_t one, int) { return std::max(all, one); });
  };
  return joined(meeting, mask, value);
}

}  // namespace skt::emulation
