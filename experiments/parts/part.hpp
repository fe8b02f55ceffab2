// What is a long command made of? Parts that know nothing of each other: each is a name, a weight and a function whose
// result is one line of JSON.
//
// What a part computes follows from the plan of the command and its seed alone, never from other parts, the process, the
// machine or the number of threads. So parts may run in any order, in several processes and at several times; the line is
// at once what a worker sends, what a slice writes and what an interrupted run goes on from. A part that depended on
// another would show as result files whose bytes differ between one process and several.
//
// A part that throws ends the command. One that says what went wrong in a field "failure" of its result does not: the
// result is used and not kept, so that the next run tries again, as after a want of memory.
#pragma once

#include <functional>
#include <string>

#include "sim/json.hpp"

namespace skt {

struct Part {
  std::string name;  // no two parts of a command have the same
  double weight =
      1;  // above 0: the time it takes, in any unit that all parts of the command share; heaviest are begun first
  std::function<Json()> run;
};

}  // namespace skt
