// Where do the files lie that come with the program and are read while it runs?
//
// At the place that they have in the tree: below the checkout that the program was built in or from, or below
// share/socketlab of an installation (cmake/install.cmake). tests/install looks for each after installing.
#pragma once

#include <filesystem>
#include <string>

namespace skt {

// `file`: its path in the tree. InputError where it is in none of these folders; `otherwise`, what a user can do then,
// ends its line.
std::filesystem::path shipped_file(const std::string& file, const std::string& otherwise = "");

}  // namespace skt
