// How far is a long loop? A bar with the time left on a terminal; elsewhere plain lines: the first after a second, then
// one for each tenth, and one where nothing was said for a while; never two within a second but for the last. It goes
// to stderr and to no result file: time left depends on the machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>

namespace skt {

class ProgressMeter {
 public:
  enum class Style { bar, lines };
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  // A bar if stderr is a terminal. total: how many steps make the whole.
  ProgressMeter(std::string label, std::uint64_t total);
  ProgressMeter(std::string label, std::uint64_t total, std::ostream& out, Style style, Clock clock);
  ~ProgressMeter();  // ends the bar's line
  ProgressMeter(const ProgressMeter&) = delete;
  ProgressMeter& operator=(const ProgressMeter&) = delete;

  // May be called from any thread.
  void advance(std::uint64_t steps = 1);

 private:
  struct FirstStep {
    std::chrono::steady_clock::time_point at;
    std::uint64_t done;
  };

  std::string time_text(std::chrono::steady_clock::time_point now) const;
  void draw_bar(std::chrono::steady_clock::time_point now);
  void print_line(std::chrono::steady_clock::time_point now);
  bool is_line_due(std::chrono::steady_clock::time_point now) const;

  std::string label_;
  std::uint64_t total_;
  std::ostream& out_;
  Style style_;
  Clock clock_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_drawn_;
  std::optional<FirstStep> first_;
  bool untimed_ = true;  // no line with a time left yet
  std::uint64_t done_ = 0;
  std::uint64_t tenths_printed_ = 0;
  std::mutex mutex_;
};

}  // namespace skt
