#include "experiments/files/outcomes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace skt {
namespace {

// XML 1.0 has no control characters but these three, in an attribute only as references.
std::string character(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\n':
      return "&#10;";
    case '\r':
      return "&#13;";
    case '\t':
      return "&#9;";
    default:
      return static_cast<unsigned char>(c) < ' ' ? "?" : std::string(1, c);
  }
}

std::string xml(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += character(c);
  return escaped;
}

std::string replaced(std::string text, std::initializer_list<std::pair<char, const char*>> escapes) {
  std::string result;
  for (const char c : text) {
    const auto found =
        std::find_if(escapes.begin(), escapes.end(), [c](const auto& escape) { return escape.first == c; });
    result += found == escapes.end() ? std::string(1, c) : found->second;
  }
  return result;
}

std::string in_message(const std::string& text) {
  return replaced(text, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}});
}

std::string in_property(const std::string& text) {
  return replaced(text, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}});
}

std::string testcase(const Outcome& outcome) {
  const std::string head =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml(outcome.group), xml(outcome.name));
  if (outcome.state == OutcomeState::passed) return head + "/>\n";
  const std::string first_line = outcome.text.substr(0, outcome.text.find('\n'));
  if (outcome.state == OutcomeState::skipped)
    return fmt::format("{}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", head, xml(outcome.text));
  return fmt::format("{}>\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n", head, xml(first_line),
                     xml(outcome.text));
}

}  // namespace

std::string junit_xml(const std::string& suite, const std::vector<Outcome>& outcomes) {
  const auto count = [&](OutcomeState state) {
    return std::count_if(outcomes.begin(), outcomes.end(), [state](const Outcome& o) { return o.state == state; });
  };
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", outcomes.size(),
                                         count(OutcomeState::failed), count(OutcomeState::skipped));
  std::string text = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n", counts);
  text += fmt::format("  <testsuite name=\"{}\" {}>\n", xml(suite), counts);
  for (const Outcome& outcome : outcomes) text += testcase(outcome);
  return text + "  </testsuite>\n</testsuites>\n";
}

std::string annotations(const std::vector<Outcome>& outcomes) {
  std::string text;
  for (const Outcome& outcome : outcomes) {
    if (outcome.state == OutcomeState::failed)
      text += fmt::format("::error title={}::{}\n", in_property(outcome.name), in_message(outcome.text));
  }
  return text;
}

}  // namespace skt
