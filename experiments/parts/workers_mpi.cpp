// The processes of an MPI launcher. MPI starts only under one: without, starting it takes up to a second.
//
// MPI is spoken on the main thread and never inside an OpenMP region (MPI_THREAD_FUNNELED). The first process computes
// on a second thread and serves on the main one, so that 16 processes compute on 16 and a question is answered at once.
// All wait by sleeping and looking again: a receive of MPI spins, and would take a core from the threads that compute.
#include <mpi.h>
#include <omp.h>

#include <chrono>
#include <climits>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "experiments/parts/run_identity.hpp"
#include "experiments/parts/workers.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr int kFirst = 0;                           // the process that leads
constexpr std::chrono::milliseconds kLookAgain{1};  // a part takes some milliseconds and more
constexpr std::chrono::milliseconds kTimeToPassOn{300};
constexpr Index kNothingLeft = -1;

// What a message is about.
enum Tag : int { kIdentity, kResult, kBadInputThrown, kNoMemory, kOtherThrown, kPart };

// Set by Open MPI, by Hydra (MPICH, Intel MPI) and by PMIx (Slurm's srun) for each process.
constexpr const char* kRankVariables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};

const char* rank_in_environment() {
  for (const char* name : kRankVariables)
    if (const char* rank = std::getenv(name)) return rank;
  return nullptr;
}

int processes() {
  int count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

struct Message {
  int from = kFirst;
  int tag = kResult;
  std::string text;
};

void send(int to, int tag, const std::string& text) {
  require(text.size() < INT_MAX, "a result of {} bytes: allowed between processes are fewer than {}", text.size(),
          INT_MAX);
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD);
}

std::optional<Message> arrived() {
  int is_there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
  if (!is_there) return {};
  int bytes = 0;
  MPI_Get_count(&status, MPI_CHAR, &bytes);
  Message message{status.MPI_SOURCE, status.MPI_TAG, std::string(bytes, '\0')};
  MPI_Recv(message.text.data(), bytes, MPI_CHAR, message.from, message.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return message;
}

Message awaited() {
  for (;;) {
    if (std::optional<Message> message = arrived()) return std::move(*message);
    std::this_thread::sleep_for(kLookAgain);
  }
}

// The result of a part, or what it threw.
Message outcome_of(const Part& part) try {
  return {kFirst, kResult, part.run().dump()};
} catch (const InputError& error) {
  return {kFirst, kBadInputThrown, error.what()};
} catch (const std::bad_alloc&) {
  return {kFirst, kNoMemory, ""};
} catch (const std::exception& error) {
  return {kFirst, kOtherThrown, error.what()};
}

// Throws again what a part threw.
const std::string& checked(const Message& outcome) {
  if (outcome.tag == kBadInputThrown) throw InputError(outcome.text);
  if (outcome.tag == kNoMemory) throw std::bad_alloc();
  if (outcome.tag == kOtherThrown) throw std::runtime_error(outcome.text);
  return outcome.text;
}

// Parts that nobody has begun, in order; and what this process's own thread has done.
class Queue {
 public:
  explicit Queue(const std::vector<Index>& order) : order_(order) {}

  Index take() {
    const std::lock_guard lock(mutex_);
    return next_ < order_.size() ? order_[next_++] : kNothingLeft;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    next_ = order_.size();
  }
  void put(Index part, Message outcome) {
    const std::lock_guard lock(mutex_);
    done_.emplace_back(part, std::move(outcome));
  }
  std::vector<std::pair<Index, Message>> done() {
    const std::lock_guard lock(mutex_);
    return std::exchange(done_, {});
  }

 private:
  const std::vector<Index>& order_;
  std::size_t next_ = 0;
  std::vector<std::pair<Index, Message>> done_;
  std::mutex mutex_;
};

// Computes parts on a thread of its own, as long as there are any; its end is waited for, also while an exception is
// thrown, after the part that it is at.
class OwnThread {
 public:
  OwnThread(const std::vector<Part>& parts, Queue& queue) : queue_(queue) {
    const int threads = omp_get_max_threads();  // a new thread would have the default of the environment
    thread_ = std::jthread([&parts, &queue, threads] {
      omp_set_num_threads(threads);
      for (Index part = queue.take(); part != kNothingLeft; part = queue.take())
        queue.put(part, outcome_of(parts[part]));
    });
  }
  ~OwnThread() { queue_.close(); }
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;

 private:
  Queue& queue_;
  std::jthread thread_;  // joins when `queue_` is closed
};

// Hands out parts to the other processes and to the own thread until all are done.
class Server {
 public:
  Server(Queue& queue, std::size_t parts, const Done& done)
      : queue_(queue), left_(parts), done_(done), at_(processes(), kNothingLeft) {}

  void serve() {
    for (int process = 1; process < std::ssize(at_); ++process) hand_out(process);
    while (left_ > 0) {
      for (const auto& [part, outcome] : queue_.done()) finish(part, outcome);
      if (const std::optional<Message> message = arrived()) {
        finish(at_[message->from], *message);
        hand_out(message->from);
      } else {
        std::this_thread::sleep_for(kLookAgain);
      }
    }
    for (int process = 1; process < std::ssize(at_); ++process) send(process, kPart, std::to_string(kNothingLeft));
  }

 private:
  // Nothing is sent where nothing is left: that process sleeps until all are done.
  void hand_out(int process) {
    at_[process] = queue_.take();
    if (at_[process] != kNothingLeft) send(process, kPart, std::to_string(at_[process]));
  }
  void finish(Index part, const Message& outcome) {
    done_(part, Json::parse(checked(outcome)));
    --left_;
  }

  Queue& queue_;
  std::size_t left_;
  const Done& done_;
  std::vector<Index> at_;  // the part that each process is at
};

void check_identities(const Json& identity) {
  for (int count = 1; count < processes(); ++count) {
    const Message message = awaited();
    if (const auto difference = first_difference(Json::parse(message.text), identity))
      refuse("process {} of the launcher has {}; allowed are processes with one program, command and processor type",
             message.from, *difference);
  }
}

// When this process has said what was wrong and ends: so all launchers end with its exit code, and not with that of the
// signal by which they end the others. Hydra drops what it has not passed on by then: it is given time for the line.
void end_all(int exit_code, void*) {
  std::this_thread::sleep_for(kTimeToPassOn);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace

bool leads_the_run() {
  const char* const rank = rank_in_environment();
  return rank == nullptr || std::string(rank) == "0";
}

bool runs_alone() {
  return rank_in_environment() == nullptr;
}

Workers::Workers() {
  if (runs_alone()) return;
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
  require(given >= MPI_THREAD_FUNNELED, "MPI: allowed is a library with threads (MPI_THREAD_FUNNELED)");
}

Workers::~Workers() {
  if (runs_alone()) return;
  if (std::uncaught_exceptions() == 0)
    MPI_Finalize();
  else
    on_exit(end_all, nullptr);
}

void Workers::run(const std::vector<Part>& parts, const std::vector<Index>& order, const Json& identity,
                  const Done& done) {
  if (runs_alone() || processes() == 1) return run_in_turn(parts, order, done);
  check_identities(identity);
  Queue queue(order);
  Server server(queue, order.size(), done);
  const OwnThread own(parts, queue);
  server.serve();
}

void Workers::help(const std::vector<Part>& parts, const Json& identity) {
  send(kFirst, kIdentity, identity.dump());
  for (;;) {
    const Index part = std::stol(awaited().text);
    if (part == kNothingLeft) return;
    const Message outcome = outcome_of(parts[part]);
    send(kFirst, outcome.tag, outcome.text);
  }
}

}  // namespace skt
