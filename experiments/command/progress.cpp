#include "experiments/command/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "sim/number.hpp"

namespace skt {
namespace {

constexpr std::uint64_t kBarWidth = 30;            // characters
constexpr std::chrono::milliseconds kRedraw{100};  // faster than the eye reads is waste
constexpr std::chrono::seconds kBetweenLines{1}, kLongestSilence{15};

// The pace so far, carried on.
std::string time_left(double share, double seconds) {
  if (!(share > 0)) return "";
  const long left = std::lround(seconds * (1 - share) / share);
  return left < 60 ? fmt::format("{} s left", left) : fmt::format("{} min {:02} s left", left / 60, left % 60);
}

}  // namespace

ProgressMeter::ProgressMeter(std::string label, std::uint64_t total)
    : ProgressMeter(std::move(label), total, std::cerr, isatty(STDERR_FILENO) ? Style::bar : Style::lines,
                    [] { return std::chrono::steady_clock::now(); }) {}

ProgressMeter::ProgressMeter(std::string label, std::uint64_t total, std::ostream& out, Style style, Clock clock)
    : label_(std::move(label)),
      total_(std::max<std::uint64_t>(total, 1)),
      out_(out),
      style_(style),
      clock_(std::move(clock)),
      start_(clock_()),
      last_drawn_(start_) {
  if (style_ == Style::bar) draw_bar(0, 0);
}

ProgressMeter::~ProgressMeter() {
  if (style_ == Style::bar) out_ << '\n' << std::flush;
}

void ProgressMeter::advance(std::uint64_t steps) {
  const std::lock_guard<std::mutex> lock(mutex_);
  done_ = std::min(done_ + steps, total_);
  const auto now = clock_();
  const double share = real(done_) / real(total_);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (style_ == Style::lines) {
    if (!is_line_due(now)) return;
    last_drawn_ = now;
    print_line(share, seconds);
  } else if (done_ == total_ || now - last_drawn_ >= kRedraw) {
    last_drawn_ = now;
    draw_bar(share, seconds);
  }
}

void ProgressMeter::draw_bar(double share, double seconds) {
  const std::uint64_t full = kBarWidth * done_ / total_;
  const std::string tail = done_ == total_ ? fmt::format("{:.1f} s", seconds) : time_left(share, seconds);
  // \x1b[K clears what a longer line left behind.
  out_ << fmt::format("\r{} [{:#<{}}{:.<{}}] {:3.0f}% {}\x1b[K", label_, "", full, "", kBarWidth - full, 100 * share,
                      tail)
       << std::flush;
}

bool ProgressMeter::is_line_due(std::chrono::steady_clock::time_point now) const {
  if (done_ == total_) return tenths_printed_ < 10;
  const auto silence = now - last_drawn_;
  const bool tenth = 10 * done_ / total_ > tenths_printed_;
  return silence >= kLongestSilence || (silence >= kBetweenLines && (tenth || silent_));
}

void ProgressMeter::print_line(double share, double seconds) {
  tenths_printed_ = 10 * done_ / total_;
  silent_ = false;
  const std::string tail = done_ == total_ ? fmt::format("{:.1f} s", seconds) : time_left(share, seconds);
  out_ << fmt::format("{}: {:.0f}%, {}\n", label_, std::floor(100 * share), tail) << std::flush;
}

}  // namespace skt
