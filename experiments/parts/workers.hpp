// Which processes compute the parts of a command?
//
// workers_alone.cpp: this one. workers_mpi.cpp, with SKT_MPI: all that a launcher (mpirun, srun) started. The first
// process plans, hands out the numbers of parts, keeps the results and writes the files; it computes as well. A process
// that dies ends them all, and the journal holds what was done.
#pragma once

#include <functional>
#include <vector>

#include "experiments/parts/part.hpp"
#include "sim/json.hpp"
#include "sim/number.hpp"

namespace skt {

// Is this the process that speaks and writes? True without a launcher. From the environment: nothing is started.
bool leads_the_run();

// Does no launcher stand behind this process?
bool runs_alone();

// Called with the number of a part and its result, on the thread that called Workers::run.
using Done = std::function<void(Index part, Json result)>;

class Workers {
 public:
  // Joins the processes of the launcher, if there is one: once in a process.
  Workers();
  // Leaves them. While an exception is thrown it does not: the others end when this process does, with its exit code.
  // NOLINTNEXTLINE(performance-trivially-destructible): with MPI it has something to do
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Of the process that leads: runs the parts numbered in `order`, those first begun first. What a part throws, in
  // whichever process, is thrown here. InputError, before the first part, if the identity of a process differs.
  void run(const std::vector<Part>& parts, const std::vector<Index>& order, const Json& identity, const Done& done);

  // Of the others: computes what is handed out until all is done.
  void help(const std::vector<Part>& parts, const Json& identity);
};

// One after the other, in this process.
inline void run_in_turn(const std::vector<Part>& parts, const std::vector<Index>& order, const Done& done) {
  for (const Index part : order) done(part, parts[part].run());
}

}  // namespace skt
