// How are the words behind a command's name read, and what does its --help say? Both by its table.
#pragma once

#include <string>
#include <vector>

#include "experiments/command/command.hpp"

namespace skt {

// Fills the table: --name VALUE, --name=VALUE, a flag's --name, a list's values with commas or spaces between them, and
// for what stands without dashes its value. Behind -- all are values. InputError for a word that is none of these, and for
// what the table refuses.
void read_arguments(Command& command, const std::vector<std::string>& words);

// Is help what the words ask for?
bool asks_for_help(const std::vector<std::string>& words);

// An unknown option with the nearest three; where: of the command whose help lists all.
[[noreturn]] void refuse_unknown(const std::string& word, const std::vector<std::string>& nearest,
                                 const std::string& where);

std::string help_of(const Command& command);
// Of the program: one line for each command.
std::string help_of(const std::vector<Command>& commands, const std::string& description);

// The text in lines of at most 100 columns, unless a single word is longer; the first begins at column `indent`, the
// others are indented so far. Line breaks of the text stay. A line that begins with spaces is an entry, a name and behind
// two spaces or more what it is: it goes on below that.
std::string wrapped(const std::string& text, std::size_t indent = 0);

}  // namespace skt
