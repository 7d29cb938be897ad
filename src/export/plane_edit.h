// What is added to the events of one plane, and to its table of stat names.
//
// An event that gets its instruction looks as if the tracer had known it: the stats that readers
// look for, of the types that the tracer writes.  Nothing of what was there is lost.  The old
// hlo_op, a graph's name, cannot stay under that name, since readers take whichever they meet, so
// it is renamed; all that is new stands after `jaxtrace_match`.  Renamed back, and without that
// end, the event is what it was, and that is how our own reader reads it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attribution/attribution.h"
#include "jaxtrace/trace.h"
#include "readers/stats.h"
#include "readers/tail_memo.h"

namespace jaxtrace {

/// What the stats after an event's correlation id became, when they were met before.
struct EditedTail {
  std::uint32_t label = kNone;
  StringId prefix = StringId::empty;
  std::string bytes;
};

class PlaneEdit {
 public:
  /// `plane`: an XPlane.  `cut`: it ends early, so that entries of its tables may be missing.
  PlaneEdit(const Trace& trace, const Attribution& attribution, std::string_view plane, bool cut);

  enum class Verdict : std::uint8_t {
    edited,
    written,  ///< Has been edited before.
    no_work,  ///< An allocation or the like, which is in no Trace, whatever row looks like it.
    damaged,  ///< Ends in bytes that are no field; what is appended would not be read.
  };

  /// Makes `out` what the XEvent `event`, row `row` of the Trace, becomes.  The label of the row
  /// must name an instruction of a program whose HLO is known.
  Verdict edit(std::string_view event, std::size_t row, std::string& out);

  /// Whether an earlier run has edited the XEvent `event`.
  bool is_edited(std::string_view event);

  /// The entries of XPlane.stat_metadata that events edited so far need beyond those that the plane
  /// has, as fields of it.
  const std::string& metadata() const { return metadata_; }

  PlaneNames& names() { return names_; }

  /// Lets go of what only makes the next edit() faster: a capture may have many planes.
  void forget() { tails_.reset(); }

 private:
  /// Which of the tracer's stats an event has, which are not written twice.
  struct Has {
    bool tf_op = false;
    bool module = false;
    bool program = false;
    StringId prefix = StringId::empty;  ///< Of the program's op_names, which `name` leaves out.

    bool operator==(const Has&) const = default;
  };
  /// What is appended to every event of a label that has the same already.
  struct Ending {
    Has has;
    std::string stats;
  };

  std::int64_t id_of(std::string_view text);
  const std::string& ending(std::uint32_t label, const Has& has);
  std::string make_ending(const Label& label, const Has& has);
  void put_ref(std::string_view key, std::string_view value, std::string& out);
  void put_renamed(std::string_view stat, std::string_view key, std::string& out);

  const Trace& trace_;
  const Attribution& attribution_;
  PlaneNames names_;
  std::map<std::string, std::int64_t, std::less<>> ids_;  // Of stat_metadata, by name.
  std::int64_t next_id_ = 1;
  std::string metadata_;
  std::vector<std::vector<Ending>> endings_;  // By label.
  std::optional<TailMemo<EditedTail>> tails_;
};

}  // namespace jaxtrace
