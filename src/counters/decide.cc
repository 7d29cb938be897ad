#include "counters/decide.h"

namespace jaxtrace {
namespace {

Fetch fetch_of(double ratio) {
  if (ratio < kLeastOfIdeal) return Fetch::too_little;
  if (ratio <= 1.15) return Fetch::clean;
  return ratio <= 1.5 ? Fetch::moderate : Fetch::redundant;
}

}  // namespace

std::optional<Reuse> reuse(const L2Row& row) {
  if (!row.hits) return std::nullopt;
  const double rate = row.hits->value();
  return rate < 0.05 ? Reuse::streaming : rate < 0.5 ? Reuse::partial : Reuse::reused;
}

std::optional<Requests> requests(const L2Row& row) {
  if (!row.of_32) return std::nullopt;
  const double share = row.of_32->value();
  return share < 0.05    ? Requests::full
         : share <= 0.25 ? Requests::some_partial
                         : Requests::scattered;
}

std::optional<Fetch> fetch(const L2Row& row, const L2Options& options) {
  const auto ratio = over_fetch(row, options);
  if (!ratio) return std::nullopt;
  const Fetch low = fetch_of(ratio->first);
  if (low != fetch_of(ratio->second)) return std::nullopt;
  return low;
}

bool fetched_again(const L2Row& row, const L2Options& options) {
  const auto ratio = over_fetch(row, options);
  return ratio && ratio->first > 1.2 && reuse(row) == Reuse::streaming;
}

std::optional<double> share_of_peak(const L2Row& row, const L2Options& options) {
  if (!row.peak) return std::nullopt;
  if (const auto useful = useful_bandwidth(row, options)) return *useful / *row.peak;
  const auto moved = bandwidth(past_l2(row));
  if (!moved || moved->first != moved->second) return std::nullopt;
  return moved->first / *row.peak;
}

std::optional<Path> path(const L2Row& row, const L2Options& options) {
  const auto small = requests(row);
  const auto fetched = fetch(row, options);
  const auto share = share_of_peak(row, options);
  if (!small || !fetched) return std::nullopt;
  if (*small != Requests::full || *fetched == Fetch::moderate || *fetched == Fetch::redundant) {
    return Path::wasteful;
  }
  if (*fetched != Fetch::clean || !share) return std::nullopt;
  return *share >= 0.5 ? Path::healthy : Path::underused;
}

std::string_view text(Reuse reuse) {
  switch (reuse) {
    case Reuse::streaming:
      return "streaming";
    case Reuse::partial:
      return "partial";
    case Reuse::reused:
      break;
  }
  return "reused";
}

std::string_view text(Requests requests) {
  switch (requests) {
    case Requests::full:
      return "full";
    case Requests::some_partial:
      return "some-partial";
    case Requests::scattered:
      break;
  }
  return "scattered";
}

std::string_view text(Fetch fetch) {
  switch (fetch) {
    case Fetch::too_little:
      return "too-little";
    case Fetch::clean:
      return "clean";
    case Fetch::moderate:
      return "moderate";
    case Fetch::redundant:
      break;
  }
  return "redundant";
}

std::string_view text(Path path) {
  switch (path) {
    case Path::healthy:
      return "healthy";
    case Path::underused:
      return "underused";
    case Path::wasteful:
      break;
  }
  return "wasteful";
}

std::string_view advice(Reuse reuse, bool fetched_again) {
  switch (reuse) {
    case Reuse::streaming:
      return fetched_again
                 ? "data is read again and L2 does not keep it: let workgroups that share data run "
                   "at the same time on the same XCD, or make their tiles smaller"
                 : "it streams. Unless workgroups share data, a higher hit rate is nothing to aim "
                   "for: what is read once cannot be found again";
    case Reuse::partial:
      return "some data is found again in L2";
    case Reuse::reused:
      break;
  }
  return "most accesses find their data in L2";
}

std::string_view advice(Requests requests) {
  switch (requests) {
    case Requests::full:
      return "no bytes of a line are fetched in vain; nothing to gain from layout";
    case Requests::some_partial:
      return "some accesses use only a part of their line";
    case Requests::scattered:
      break;
  }
  return "accesses are scattered or not aligned: change the layout, or load wider vectors";
}

std::string_view advice(Fetch fetch) {
  switch (fetch) {
    case Fetch::too_little:
      return "less than the kernel has to read cannot be all of it: part of the data was in a "
             "cache "
             "already, requests of 128 bytes were not counted, or --ideal-gb is too high";
    case Fetch::clean:
      return "it reads what it needs";
    case Fetch::moderate:
      return "some data is read more than once";
    case Fetch::redundant:
      break;
  }
  return "data is read again and again: keep it in registers, LDS or L2";
}

std::string_view advice(Path path) {
  switch (path) {
    case Path::healthy:
      return "memory is well used, and 50 to 60 % of the peak is normal for gathers; optimise "
             "elsewhere";
    case Path::underused:
      return "the traffic is clean, and memory waits: look for latency, too few loads in flight or "
             "too few workgroups, which a thread trace shows (`jaxtrace hotspot`)";
    case Path::wasteful:
      break;
  }
  return "first reduce the traffic";
}

}  // namespace jaxtrace
