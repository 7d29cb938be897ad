// Attributions beside the truth: which events got the instruction that they belong to.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "attribution/attribution.h"
#include "jaxtrace/trace.h"
#include "support/recording.h"
#include "support/write_xplane.h"

namespace jaxtrace {

/// One device event and its answer, spelled out.
struct Answer {
  std::string host{}, device{}, line{};
  std::int64_t start_ps = 0;
  std::int64_t duration_ps = 0;
  std::string kernel{};
  std::int64_t program_id = kNoProgram;
  std::string op{};  ///< Empty: none.
  Match match = Match::none;
  Rule rule = Rule::no_program;
  int confidence = 0;  ///< In thousandths.
  std::uint32_t execution = kNone;
  Kind kind = Kind::kernel;
  bool in_graph = false;
  std::size_t event = 0;  ///< Row of Trace::events.
};

/// All answers, by host, device, start, line, row.
std::vector<Answer> answers_of(const Trace& trace, const Attribution& attribution);

/// How an attribution fares.  Truth rows without an instruction are right if nothing is claimed.
struct Score {
  std::int64_t events = 0;  ///< Truth rows that the capture has an event for.
  std::int64_t right = 0;
  std::int64_t wrong = 0;        ///< Another instruction, none, or one where none is true.
  std::int64_t exact = 0;        ///< Claimed to be the tracer's own word,
  std::int64_t exact_wrong = 0;  ///< and wrong all the same.
  std::int64_t absent = 0;       ///< Truth rows without an event: always a mistake of the test.
  std::vector<std::string> mistakes{};  ///< The first of them, in words.

  double share() const {
    return events == 0 ? 0 : static_cast<double>(right) / static_cast<double>(events);
  }
};

std::ostream& operator<<(std::ostream& out, const Score& verdict);

Score judge(const std::vector<Answer>& answers, const std::vector<synth::TruthRow>& truth);

/// A capture, read and attributed, beside its truth.
struct Judged {
  Trace trace;
  Attribution attribution;
  std::vector<Answer> answers;
  std::vector<synth::TruthRow> truth;
  Score verdict;

  /// Answers for kernels of this name.
  std::vector<Answer> of(const std::string& kernel) const;
  /// The instructions of a device's events in order of start, one word each.
  std::vector<std::string> ops(int device = 0) const;
  /// How many events each instruction got; "" is none.
  std::map<std::string, int> counts() const;
};

/// Writes, reads, attributes and judges.
Judged judged(const synth::Recording& recording, const AttributeOptions& options = {},
              const synth::WriteOptions& write = {});
Judged judged(const std::string& xspace, std::vector<synth::TruthRow> truth,
              const AttributeOptions& options = {});

/// Rows of a golden's truth.csv(.gz): device,start_ps,duration_ps,kernel,hlo_op,in_graph.
std::vector<synth::TruthRow> read_truth(const std::string& csv, const std::string& host);

}  // namespace jaxtrace
