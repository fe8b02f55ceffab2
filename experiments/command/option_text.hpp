// How do options read as text: in the command that gives the same results again, and in the help?
#pragma once

#include <string>
#include <vector>

#include "experiments/command/command.hpp"

namespace skt {

// What a reader must type to get the same results again: the options that were given and the seed; not those that
// change no result, as --threads, --out and --slice.
std::string command_text(const CLI::App& sub, const SharedOptions& shared);

// Of words that no option took, what the first could have meant: the options with the nearest names.
std::string unknown_words(const CLI::App& app, const std::vector<std::string>& words);

// An option and the choices of a part, mode or quantity that use it.
struct UsedBy {
  const char* option;
  std::vector<std::string> choices;
};

// InputError for an option of `uses` that is given and that the choice leaves without effect. `chooser` is what the user
// typed before the choice: "--part".
void refuse_unused(const CLI::App& sub, const std::string& chooser, const std::string& choice,
                   const std::vector<UsedBy>& uses);

// Help is written for 100 columns. CLI11 starts a description, and each line of it, at column 30, and 2.1 (Debian 12)
// and 2.4 (Ubuntu 24.04) break no line by themselves: line breaks are part of the texts.
constexpr Index kHelpWidth = 100;
constexpr Index kDescriptionWidth = 70;

// How a list is broken into lines.
struct ListLayout {
  Index width = kHelpWidth;  // that no line exceeds, unless by a single item
  Index indent = 0;          // spaces before every line but the first, which starts at that column as well
};

// The items with commas between them.
std::string comma_list(const std::vector<std::string>& items, ListLayout layout);

}  // namespace skt
