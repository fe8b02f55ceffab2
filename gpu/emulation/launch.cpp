// What does a launch run, and when is it refused? A kernel that lets the next one begin before its end is left there, and
// goes on with the next call of the runtime. A read outside every allocation is a signal here, and ends the kernels in
// flight as fail() does.
#include <array>
#include <csignal>
#include <cstdio>

#include "gpu/emulation/runtime.hpp"
#include "gpu/emulation/settings.hpp"
#include "gpu/emulation/threads.hpp"

namespace skt::emulation {
namespace {

void on_signal(int number, siginfo_t* info, void*) {
  if (running.fiber == nullptr) {  // not a kernel's
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  if (number == SIGFPE) fail("a division by zero");
  fail("a read or write at %p, which is outside of every allocation", info->si_addr);
}

// Signals of a kernel are the device's while one runs, and whose they were before and after. The handler has a stack of
// its own, as a fiber's may be what ran out.
class Signals {
 public:
  Signals() {
    stack_t stack = {};
    stack.ss_sp = stack_.data();
    stack.ss_size = stack_.size();
    sigaltstack(&stack, &stack_before_);
    struct sigaction action = {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
    sigaltstack(&stack_before_, nullptr);
  }

 private:
  static constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE};

  std::vector<std::byte> stack_ = std::vector<std::byte>(64 * 1024);
  stack_t stack_before_ = {};
  std::array<struct sigaction, kSignals.size()> before_ = {};
};

cudaError_t go_on_with_signals(Until until) {
  if (running.grids.empty()) return cudaSuccess;
  const Signals signals;
  go_on(until);
  if (running.failure.empty()) return cudaSuccess;
  std::fprintf(stderr, "emulated device: %s\n", running.failure.c_str());
  running.failure.clear();
  return cudaErrorLaunchFailure;
}

cudaError_t run(const Shape& shape, cudaStream_t stream, const void* kernel, const std::function<void()>& thread) {
  if (!shape.is_dependent || stream != running.stream) {
    if (const cudaError_t error = finish_launches(); error != cudaSuccess) return error;
  }
  if (running.grids.empty()) {
    begin_random_numbers();
    forget_changes();
  }
  Grid* before = running.newest_has_ended ? nullptr : &running.grids.back();
  Grid& grid = running.grids.emplace_back();
  grid.shape = shape;
  grid.number = ++running.launches;
  grid.kernel = kernel;
  grid.thread = thread;
  grid.before = before;
  grid.clusters = std::uint64_t{shape.grid.x / shape.cluster} * shape.grid.y * shape.grid.z;
  grid.holding = grid.clusters;
  running.newest_has_ended = false;
  running.stream = stream;
  return go_on_with_signals(settings().kernels == Kernels::overlap ? Until::next_may_begin : Until::all_have_ended);
}

bool is_allowed(const Shape& shape, const void* kernel) {
  const dim3 grid = shape.grid, block = shape.block;
  return block.x >= 1 && block.x <= 1024 && block.y == 1 && block.z == 1 && grid.x >= 1 && grid.x <= 0x7fffffff &&
         grid.y >= 1 && grid.y <= 65535 && grid.z >= 1 && grid.z <= 65535 && shape.cluster >= 1 &&
         shape.cluster <= largest_cluster(kernel) && grid.x % shape.cluster == 0;
}

}  // namespace

cudaError_t finish_launches() {
  return go_on_with_signals(Until::all_have_ended);
}

Shape shape_of(const cudaLaunchConfig_t& config) {
  Shape shape = {config.gridDim, config.blockDim, config.dynamicSmemBytes};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == cudaLaunchAttributeClusterDimension) shape.cluster = attribute.val.clusterDim.x;
    if (attribute.id == cudaLaunchAttributeProgrammaticStreamSerialization) {
      shape.is_dependent = attribute.val.programmaticStreamSerializationAllowed != 0;
    }
  }
  return shape;
}

cudaError_t launch(const Shape& shape, cudaStream_t stream, const void* kernel, std::function<void()> thread) {
  const std::lock_guard lock(launch_mutex());
  if (!is_allowed(shape, kernel)) return note(cudaErrorInvalidConfiguration);
  if (shape.shared_bytes > static_cast<std::size_t>(most_shared_bytes(kernel))) return note(cudaErrorInvalidValue);
  return on_stream(stream, [=] { return run(shape, stream, kernel, thread); });
}

}  // namespace skt::emulation
