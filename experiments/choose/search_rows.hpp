// What does a search say: its settings, their frontier, and what the one that is named takes at other draws of the tables?
#pragma once

#include "experiments/choose/search.hpp"
#include "experiments/files/csv.hpp"

namespace skt {

CsvTable search_table(const SearchResult& result);

// The frontier and one line: the setting that reads least.
std::string readable(const SearchResult& result);

}  // namespace skt
