#include "experiments/command/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "sim/require.hpp"

namespace skt {
namespace {

constexpr std::size_t kWidth = 100, kColumn = 30;  // of help; of its descriptions
constexpr const char* kHelpLine = "  -h,--help                   Print this help message and exit\n";

// A word that begins with a dash is an option unless it is a number.
bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && word.find_first_of("0123456789.", 1) != 1;
}

void split(const std::string& text, std::vector<std::string>& items) {
  items.emplace_back();
  for (const char c : text) {
    if (c == ',')
      items.emplace_back();
    else
      items.back() += c;
  }
}

// What a list was given, each time that it was.
struct GivenList {
  std::string name;
  std::vector<std::string> items;
};

class Reader {
 public:
  Reader(Command& command, const std::vector<std::string>& words) : command_(command), words_(words) {}

  void read() {
    bool options = true;
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      if (options && word == "--")
        options = false;
      else if (options && looks_like_option(word))
        read_option(word);
      else
        read_positional(word);
    }
    for (const GivenList& list : lists_) command_.fields.set(list.name, list.items);
  }

 private:
  void read_option(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string typed = word.substr(0, equals);
    Field* const field = typed.starts_with("--") ? command_.fields.find(typed.substr(2)) : nullptr;
    if (field == nullptr || field->positional)
      refuse_unknown(typed, command_.fields.nearest(typed.substr(typed.find_first_not_of('-'))), command_.name);
    std::vector<std::string> values;
    if (equals != std::string::npos) {
      values.push_back(word.substr(equals + 1));
    } else if (field->kind() != ValueKind::flag) {
      if (next_ == words_.size()) refuse("--{}: no value given; allowed are {}", field->name, field->allowed());
      values.push_back(words_[next_++]);
    }
    if (!field->is_list()) return command_.fields.set(field->name, values);
    while (next_ < words_.size() && !looks_like_option(words_[next_]) && words_[next_] != "--")
      values.push_back(words_[next_++]);
    std::vector<std::string>& items = items_of(field->name);
    for (const std::string& value : values) split(value, items);
  }

  void read_positional(const std::string& word) {
    for (const Field& field : command_.fields.rows())
      if (field.positional && field.turn == 0) return command_.fields.set(field.name, {word});
    refuse("{}: not expected here; `socketlab {} --help` says what is allowed", word, command_.name);
  }

  std::vector<std::string>& items_of(const std::string& name) {
    const auto found = std::ranges::find(lists_, name, &GivenList::name);
    return found != lists_.end() ? found->items : lists_.emplace_back(GivenList{name, {}}).items;
  }

  Command& command_;
  const std::vector<std::string>& words_;
  std::size_t next_ = 0;
  std::vector<GivenList> lists_;
};

// Where the lines below the first begin, if it is an entry; 0: it is none.
std::size_t entry_column(const std::string& line) {
  const std::size_t name = line.find_first_not_of(' ');
  if (name == 0 || name == std::string::npos) return 0;
  if (line.compare(name, 2, "- ") == 0) return name + 2;
  const std::size_t gap = line.find("  ", name);
  return gap == std::string::npos ? name : line.find_first_not_of(' ', gap);
}

std::string entry(const std::string& name, const std::string& description) {
  const bool fits = name.size() + 2 < kColumn;
  const std::string space(fits ? kColumn - name.size() - 2 : kColumn, ' ');
  return "  " + name + (fits ? "" : "\n") + space + wrapped(description, kColumn) + "\n";
}

std::string type_of(const Field& field) {
  switch (field.kind()) {
    case ValueKind::flag:
      return "";
    case ValueKind::whole:
      return " INT";
    case ValueKind::number:
      return " FLOAT";
    case ValueKind::text:
    case ValueKind::count:
      return " TEXT";
    case ValueKind::wholes:
    case ValueKind::numbers:
    case ValueKind::texts:
      return " LIST";
  }
  return "";
}

// All that exclude it, whichever of the two says so.
std::string excluding(const Field& field, const Fields& fields) {
  std::string text;
  for (const Field& other : fields.rows()) {
    const bool excludes =
        std::ranges::count(field.excluded, other.name) + std::ranges::count(other.excluded, field.name);
    if (excludes) text += " " + other.flag();
  }
  return text.empty() ? "" : " Excludes:" + text;
}

// The words that are allowed stand in the help once: where it does not explain them all, behind it.
std::string description_of(const Field& field) {
  const auto explained = [&](const std::string& word) { return field.help.find(word) != std::string::npos; };
  if (std::ranges::all_of(field.words, explained)) return field.help;
  return fmt::format("{}: {}", field.help, field.allowed());
}

std::string entries(const Fields& fields, bool positional) {
  std::string text;
  for (const Field& field : fields.rows()) {
    if (field.hidden || field.positional != positional) continue;
    const bool shown = !field.standard.empty() && field.kind() != ValueKind::flag;
    text += entry(field.flag() + type_of(field) + (shown ? "=" + field.standard : "") +
                      (field.is_list() ? " ..." : "") + (field.required ? " REQUIRED" : "") + excluding(field, fields),
                  description_of(field));
  }
  return text;
}

}  // namespace

void read_arguments(Command& command, const std::vector<std::string>& words) {
  if (command.fields.before) command.fields.before();
  Reader(command, words).read();
  command.fields.check();
}

bool asks_for_help(const std::vector<std::string>& words) {
  const auto end = std::ranges::find(words, "--");
  return std::any_of(words.begin(), end, [](const std::string& word) { return word == "-h" || word == "--help"; });
}

void refuse_unknown(const std::string& word, const std::vector<std::string>& nearest, const std::string& where) {
  refuse("{}: no such option; the nearest are {}; `socketlab{}{} --help` lists all that are allowed", word,
         fmt::join(nearest, ", "), where.empty() ? "" : " ", where);
}

std::string help_of(const Command& command) {
  const std::string positionals = entries(command.fields, true);
  std::string text = fmt::format("{}\nUsage: socketlab {} [OPTIONS]", command.description, command.name);
  for (const Field& field : command.fields.rows())
    if (field.positional) text += " " + field.name;
  text += "\n";
  if (!positionals.empty()) text += "\nPositionals:\n" + positionals;
  text += std::string("\nOptions:\n") + kHelpLine + entries(command.fields, false);
  return text + "\n" + (command.footer.empty() ? "" : wrapped(command.footer) + "\n");
}

std::string help_of(const std::vector<Command>& commands, const std::string& description) {
  std::string text = fmt::format("{}\nUsage: socketlab [OPTIONS] [SUBCOMMAND]\n\nOptions:\n{}", description, kHelpLine);
  text += entry("--version", "Display program version information and exit") + "\nSubcommands:\n";
  for (const Command& command : commands)  // a line each: their names are what stands at its begin
    text += fmt::format("  {:<{}}{}\n", command.name, kColumn - 2, command.description);
  return text + "\n";
}

std::string wrapped(const std::string& text, std::size_t indent) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!all.empty()) all += "\n" + std::string(line.empty() ? 0 : indent, ' ');
    const std::size_t hang = entry_column(line);
    all += line.substr(0, hang);
    std::size_t column = indent + hang;
    bool first = true;
    std::istringstream words(line.substr(hang));
    for (std::string word; words >> word; first = false) {
      const bool breaks = !first && column + 1 + word.size() > kWidth;
      if (breaks) {
        column = indent + hang;
        all += "\n" + std::string(column, ' ');
      } else if (!first) {
        all += " ";
        ++column;
      }
      all += word;
      column += word.size();
    }
  }
  return all;
}

}  // namespace skt
