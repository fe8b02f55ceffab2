#include "experiments/certify/certify_queries.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "estimators/error_terms/table_moments.hpp"
#include "estimators/occupancy.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

// Certifies queries of one group after the other, for as long as it may.
class GroupsInTurn {
 public:
  GroupsInTurn(LoadedGroups& groups, const Hyperplanes& hyperplanes, Seed seed, const RedrawsOfGroups& redraws,
               const WorkDone& done, const TimeBudget& time)
      : groups_(groups),
        hyperplanes_(hyperplanes),
        seed_(seed),
        redraws_(redraws),
        done_(done),
        time_(time),
        begun_(time.seconds()) {
    for (std::size_t g = 0; g < groups.list().size(); ++g)
      for (std::size_t k = 0; k < groups.list()[g].queries.size(); ++k) places_.push_back({g, k});
  }

  std::vector<QueryCertificate> all() {
    const std::vector<Index> order = spread_order(std::ssize(places_));
    Index next = 0;
    while (const Index fit = std::min(that_fit(), std::ssize(order) - next)) {
      // In the order of the groups, each of which is loaded once. Where the time is short half of what fits, so that a
      // pace that was too quick leaves no head out.
      const Index batch = std::isfinite(time_.limit) ? (fit + 1) / 2 : fit;
      std::vector<Index> queries(order.begin() + next, order.begin() + next + batch);
      std::sort(queries.begin(), queries.end());
      for (const Index i : queries)
        if (that_fit() > 0) add(places_[i]);
      next += batch;
    }
    std::sort(results_.begin(), results_.end(), [](const auto& a, const auto& b) { return a.query < b.query; });
    return std::move(results_);
  }

 private:
  struct Place {
    std::size_t group, query;
  };

  Index that_fit() const {
    if (std::isinf(time_.limit)) return std::ssize(places_);
    if (results_.empty()) return 1;
    const double now = time_.seconds(), pace = (now - begun_) / real(results_.size());
    const double fit = std::max(0.0, time_.limit - now) / pace;
    return fit < real(places_.size()) ? static_cast<Index>(fit) : std::ssize(places_);
  }

  void add(const Place& place) {
    const auto& [g, k] = place;
    const LoadedGroup& loaded = groups_.at(g);
    if (!codes_ || loaded_ != g) {
      loaded_ = g;
      instance_ = loaded.keys_and_values;
      codes_ = hash_keys(hyperplanes_, instance_.keys);
      half_space_ = half_space_occupancy_at_least(instance_.keys, derive_seed(seed_, 1));
    }
    const Index i = groups_.list()[g].queries[k];
    instance_.query = loaded.queries[k];
    results_.push_back({i, groups_.problem().head_of(i), groups_.list()[g].key_head, instance_.num_keys(),
                        certify(instance_, groups_.plan(), loaded.targets[k], hyperplanes_, *codes_, half_space_,
                                redraws_[g][k], derive_seed(seed_, 3 + 2 * i), done_)});
    done_(work_of(groups_.size_of(g), groups_.plan()).redraw_query);
  }

  LoadedGroups& groups_;
  const Hyperplanes& hyperplanes_;
  Seed seed_;
  const RedrawsOfGroups& redraws_;
  const WorkDone& done_;
  const TimeBudget& time_;
  double begun_;
  std::vector<Place> places_;  // by query
  std::size_t loaded_ = 0;
  Instance instance_;
  std::optional<KeyCodes> codes_;
  Index half_space_ = 0;
  std::vector<QueryCertificate> results_;
};

}  // namespace

TimeBudget time_budget(const std::optional<double>& limit) {
  TimeBudget time;
  if (limit) time.limit = *limit;
  time.seconds = [start = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  return time;
}

std::uint64_t certify_work(const LoadedGroups& groups) {
  std::uint64_t total = 0;
  for (std::size_t g = 0; g < groups.list().size(); ++g)
    total += std::ssize(groups.list()[g].queries) * work_of_query(groups.size_of(g), groups.plan());
  return total;
}

double expected_seconds(const LoadedGroups& groups) {
  const auto& list = groups.list();
  const std::size_t count = list.size(), timed = std::min<std::size_t>(count, 4);
  PairTimes mean;
  if (groups.plan().pairs == Pairs::exact) {
    for (std::size_t i = 0; i < timed; ++i) {
      const Instance instance = groups.first_of(i * count / timed);
      const PairTimes times = time_pairs(population_parameters(instance, groups.plan().setting), instance);
      mean.before += times.before / real(timed);
      mean.block += times.block / real(timed);
    }
  }
  double seconds = 0;
  for (std::size_t g = 0; g < count; ++g) {
    const CertifyPlan& plan = groups.plan();
    const Index blocks = plan.pairs == Pairs::exact ? pair_blocks(groups.size_of(g).keys) : 0;
    const std::uint64_t pairs = work_of(groups.size_of(g), plan).pair_block * blocks;
    const double others = 1e-6 * real(work_of_query(groups.size_of(g), plan) - pairs);
    seconds += real(list[g].queries.size()) * (mean.before + mean.block * real(blocks) + others);
  }
  return seconds;
}

// Steps of about n over the golden ratio, which leave the most even gaps, and without a common divisor reach all.
std::vector<Index> spread_order(Index n) {
  Index step = std::max<Index>(1, std::llround(real(n) * 0.6180339887));
  while (std::gcd(step, n) != 1) ++step;
  std::vector<Index> order;
  for (Index k = 0; k < n; ++k) order.push_back(k * step % n);
  return order;
}

std::vector<QueryCertificate> certify_queries(LoadedGroups& groups, const Hyperplanes& hyperplanes, Seed seed,
                                              const RedrawsOfGroups& redraws, const WorkDone& done,
                                              const TimeBudget& time) {
  return GroupsInTurn(groups, hyperplanes, seed, redraws, done, time).all();
}

}  // namespace skt
