#include "experiments/command.hpp"

#include <omp.h>

namespace skt {

CLI::Validator count_from_zero() {
  return {[](std::string& text) {
            return text.starts_with('-') ? text + " given; allowed are whole numbers from 0 on" : std::string();
          },
          ""};
}

CLI::App& add_subcommand(CLI::App& app, const std::string& name, const std::string& description,
                         SharedOptions& shared, std::function<int()> run) {
  CLI::App& sub = *app.add_subcommand(name, description);
  sub.add_option("--seed", shared.seed, "Seed of all random numbers")->check(count_from_zero())->capture_default_str();
  sub.add_option("--threads", shared.threads, "Threads; 0 uses all")->check(CLI::Range(0, 1024))->capture_default_str();
  sub.add_option("--out", shared.out, "Folder for result files")->capture_default_str();
  sub.callback([&shared, run = std::move(run)] {
    shared.chosen = [&shared, run] {
      if (shared.threads > 0) omp_set_num_threads(shared.threads);
      return run();
    };
  });
  return sub;
}

}  // namespace skt
