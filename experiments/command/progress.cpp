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
constexpr std::chrono::seconds kBetweenLines{1}, kLongestSilence{10};

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
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
  if (style_ == Style::bar) draw_bar(start_);
}

ProgressMeter::~ProgressMeter() {
  if (style_ == Style::bar) out_ << '\n' << std::flush;
}

void ProgressMeter::advance(std::uint64_t steps) {
  const std::lock_guard<std::mutex> lock(mutex_);
  done_ = std::min(done_ + steps, total_);
  const auto now = clock_();
  if (!first_) first_ = FirstStep{now, done_};
  if (style_ == Style::lines) {
    if (!is_line_due(now)) return;
    last_drawn_ = now;
    print_line(now);
  } else if (done_ == total_ || now - last_drawn_ >= kRedraw) {
    last_drawn_ = now;
    draw_bar(now);
  }
}

// The pace so far, carried on. What went before the first step, such as making an instance, is no part of it as soon as
// the steps after tell as much as the first; one small step alone tells nothing.
std::string ProgressMeter::time_text(std::chrono::steady_clock::time_point now) const {
  if (done_ == total_) return fmt::format("{:.1f} s", seconds_between(start_, now));
  const std::uint64_t since_first = first_ ? done_ - first_->done : 0;
  const bool later_tell = since_first > 0 && since_first >= first_->done;
  if (!later_tell && 100 * done_ < total_) return "";
  const double seconds = seconds_between(later_tell ? first_->at : start_, now);
  const long left = std::lround(seconds * real(total_ - done_) / real(later_tell ? since_first : done_));
  return left < 60 ? fmt::format("{} s left", left) : fmt::format("{} min {:02} s left", left / 60, left % 60);
}

void ProgressMeter::draw_bar(std::chrono::steady_clock::time_point now) {
  const std::uint64_t full = kBarWidth * done_ / total_;
  // \x1b[K clears what a longer line left behind.
  out_ << fmt::format("\r{} [{:#<{}}{:.<{}}] {:3.0f}% {}\x1b[K", label_, "", full, "", kBarWidth - full,
                      100 * real(done_) / real(total_), time_text(now))
       << std::flush;
}

bool ProgressMeter::is_line_due(std::chrono::steady_clock::time_point now) const {
  if (done_ == total_) return tenths_printed_ < 10;
  const auto silence = now - last_drawn_;
  const bool tenth = 10 * done_ / total_ > tenths_printed_;
  return silence >= kLongestSilence || (silence >= kBetweenLines && (tenth || untimed_));
}

void ProgressMeter::print_line(std::chrono::steady_clock::time_point now) {
  tenths_printed_ = 10 * done_ / total_;
  const std::string time = time_text(now);
  untimed_ = time.empty();
  out_ << fmt::format("{}: {}%{}{}\n", label_, 100 * done_ / total_, time.empty() ? "" : ", ", time) << std::flush;
}

}  // namespace skt
