// What does a launch run, and when is it refused? Clusters one after the other, in rising order of their index, or
// falling with Order::reverse. A read outside every allocation is a signal here, and ends the kernel as fail() does.
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>

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

cudaError_t run(const Shape& shape, const void* kernel, const std::function<void()>& thread) {
  const Signals signals;
  running = {};
  running.kernel = kernel;
  running.thread = &thread;
  running.shared_bytes = shape.shared_bytes;
  const unsigned clusters = shape.grid.x / shape.cluster;
  const std::uint64_t count = std::uint64_t{clusters} * shape.grid.y * shape.grid.z;
  for (std::uint64_t i = 0; i < count && running.failure.empty(); ++i) {
    const std::uint64_t c = settings().order == Order::reverse ? count - 1 - i : i;
    run_cluster(
        shape, {static_cast<unsigned>(c % clusters) * shape.cluster, static_cast<unsigned>(c / clusters % shape.grid.y),
                static_cast<unsigned>(c / clusters / shape.grid.y)});
  }
  if (running.failure.empty()) return cudaSuccess;
  std::fprintf(stderr, "emulated device: %s\n", running.failure.c_str());
  return cudaErrorLaunchFailure;
}

bool is_allowed(const Shape& shape) {
  const dim3 grid = shape.grid, block = shape.block;
  return block.x >= 1 && block.x <= 1024 && block.y == 1 && block.z == 1 && grid.x >= 1 && grid.x <= 0x7fffffff &&
         grid.y >= 1 && grid.y <= 65535 && grid.z >= 1 && grid.z <= 65535 && shape.cluster >= 1 && shape.cluster <= 8 &&
         grid.x % shape.cluster == 0;
}

}  // namespace

Shape shape_of(const cudaLaunchConfig_t& config) {
  Shape shape = {config.gridDim, config.blockDim, config.dynamicSmemBytes, 1};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (config.attrs[i].id == cudaLaunchAttributeClusterDimension) shape.cluster = config.attrs[i].val.clusterDim.x;
  }
  return shape;
}

cudaError_t launch(const Shape& shape, cudaStream_t stream, const void* kernel, std::function<void()> thread) {
  if (!is_allowed(shape)) return note(cudaErrorInvalidConfiguration);
  if (shape.shared_bytes > static_cast<std::size_t>(most_shared_bytes(kernel))) return note(cudaErrorInvalidValue);
  return on_stream(stream, [=] { return run(shape, kernel, thread); });
}

}  // namespace skt::emulation
