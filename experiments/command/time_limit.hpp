// Ends what takes too long: calls the given function, once, from a thread of its own, when a step that was begun has
// not ended within the limit. For steps that cannot be interrupted, as a kernel that never ends.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace skt {

class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;

  TimeLimit(Clock::duration limit, std::function<void()> too_late)
      : limit_(limit), too_late_(std::move(too_late)), thread_([this](std::stop_token stop) { watch(stop); }) {}

  void begin() { set(Clock::now() + limit_); }
  void end() { set(std::nullopt); }

 private:
  void set(std::optional<Clock::time_point> deadline) {
    const std::lock_guard lock(mutex_);
    deadline_ = deadline;
    changed_.notify_one();
  }

  void watch(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      if (!deadline_) {
        changed_.wait(lock, stop, [&] { return deadline_.has_value(); });
      } else if (Clock::now() >= *deadline_) {
        return too_late_();
      } else {
        const Clock::time_point until = *deadline_;
        changed_.wait_until(lock, stop, until, [&] { return deadline_ != until; });
      }
    }
  }

  Clock::duration limit_;
  std::function<void()> too_late_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Clock::time_point> deadline_;
  std::jthread thread_;  // last: it starts when the rest is there
};

}  // namespace skt
