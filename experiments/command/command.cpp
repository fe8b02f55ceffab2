#include "experiments/command/command.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "experiments/command/result_folder.hpp"

namespace skt {
namespace {

// The number that the whole text is; none where it does not fit.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T number{};
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string refused(const std::string& text, const std::string& allowed) {
  return fmt::format("{} given; allowed are {}", text.empty() ? "nothing" : text, allowed);
}

template <class T>
CLI::Validator number_check(const std::string& allowed) {
  return {[allowed](std::string& text) { return number_in<T>(text) ? std::string() : refused(text, allowed); }, ""};
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> items{""};
  for (const char c : text) {
    if (c == ',')
      items.emplace_back();
    else
      items.back() += c;
  }
  return items;
}

template <class T>
T item_of(const std::string& flag, const std::string& item) {
  if constexpr (std::is_same_v<T, std::string>) {
    if (item.empty()) throw CLI::ValidationError(flag, refused(item, "items separated by commas"));
    return item;
  } else {
    const std::optional<T> number = number_in<T>(item);
    const char* const allowed =
        std::is_integral_v<T> ? "whole numbers separated by commas" : "numbers separated by commas";
    if (!number) throw CLI::ValidationError(flag, refused(item, allowed));
    return *number;
  }
}

}  // namespace

CLI::Validator whole_numbers(std::uint64_t low, std::uint64_t high) {
  return {[low, high](std::string& text) {
            const auto number = number_in<std::uint64_t>(text);
            const bool allowed = number && *number >= low && *number <= high;
            return allowed ? std::string() : refused(text, fmt::format("whole numbers from {} to {}", low, high));
          },
          ""};
}

template <class T>
CLI::Option& add_list(CLI::App& sub, const std::string& flags, std::vector<T>& values, const std::string& description) {
  const std::string flag = flags.substr(0, flags.find(','));  // what messages call it
  const auto read = [flag, &values](const std::vector<std::string>& given) {
    values.clear();
    for (const std::string& text : given)
      for (const std::string& item : split(text)) {
        const T value = item_of<T>(flag, item);
        if (std::count(values.begin(), values.end(), value) > 0)
          throw CLI::ValidationError(flag, fmt::format("{} twice; allowed is each once", item));
        values.push_back(value);
      }
  };
  CLI::Option& option = *sub.add_option_function<std::vector<std::string>>(flags, read, description);
  option.type_name("LIST")->default_str(fmt::format("{}", fmt::join(values, ",")));
  return option;
}
template CLI::Option& add_list(CLI::App&, const std::string&, std::vector<std::string>&, const std::string&);
template CLI::Option& add_list(CLI::App&, const std::string&, std::vector<double>&, const std::string&);
template CLI::Option& add_list(CLI::App&, const std::string&, std::vector<Index>&, const std::string&);

void check_every_text(CLI::App& app) {
  for (CLI::App* sub : app.get_subcommands({})) {
    for (CLI::Option* option : sub->get_options()) {
      const std::string type = option->get_type_name().substr(0, option->get_type_name().find(':'));
      if (type == "INT") {
        option->check(number_check<std::int64_t>("whole numbers that 64 bits hold"));
      } else if (type == "UINT") {
        option->check(number_check<std::uint64_t>("whole numbers from 0 on that 64 bits hold"));
      } else if (type == "FLOAT") {
        option->check(number_check<double>("numbers that a double holds"));
      } else if (type == "TEXT" || type == "LIST") {
        option->check({[](std::string& text) { return text.empty() ? refused(text, "non-empty texts") : ""; }, ""});
      }
    }
  }
}

CLI::App& add_subcommand(CLI::App& app, const std::string& name, const std::string& description, SharedOptions& shared,
                         std::function<int()> run, Writes writes) {
  CLI::App& sub = *app.add_subcommand(name, description);
  sub.add_option("--seed", shared.seed, "Seed of all random numbers")->capture_default_str();
  sub.add_option("--threads", shared.threads, "Number of threads; 0 uses all")
      ->check(whole_numbers(0, 1024))
      ->capture_default_str();
  if (writes == Writes::results) {
    sub.add_option("--out", shared.out, "Folder for result files")->default_str(default_folder(name));
    sub.add_flag("--force", shared.force, "Replaces the results of another run in that folder");
  } else {
    sub.add_option("--out", shared.out, "Not used: no result file is written")->group("");
  }
  sub.callback([&sub, &shared, writes, run = std::move(run)] {
    if (shared.out.empty()) shared.out = default_folder(sub.get_name());
    if (writes == Writes::nothing) shared.writes = Writes::nothing;
    shared.chosen = [&sub, &shared, run] {
      if (shared.threads > 0) omp_set_num_threads(shared.threads);
      if (shared.writes == Writes::nothing) return run();
      const ResultFolder folder(sub, shared);
      const int code = run();
      folder.remove_stale();
      return code;
    };
  });
  return sub;
}

}  // namespace skt
