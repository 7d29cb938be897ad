// A subcommand as data: a name, a line of help, and a function that declares its flags.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jaxtrace/finding.h"
#include "jaxtrace/readers.h"
#include "jaxtrace/report.h"

namespace CLI {
class App;
}

namespace jaxtrace {

/// What main gives to every subcommand.
struct Context {
  std::filesystem::path capture;  ///< The positional CAPTURE, as typed.
  std::filesystem::path out;      ///< --out, or empty: the command's own default directory.
  ReadOptions read;               ///< Progress bar and --run.
};

/// What every subcommand gives back to main, which prints the report in the format asked for.
struct Outcome {
  Report report;

  /// Of the trace and of the analysis, in the order to print them on stderr.  Under --strict those
  /// of severity data_loss and error make the exit code 1.
  std::vector<Finding> findings;

  /// What else --strict turns into exit code 1: one sentence for each failed check.
  std::vector<std::string> doubts;
};

using Run = std::function<Outcome(const Context&)>;

struct Command {
  std::string_view name;
  std::string_view summary;

  /// Adds the flags of this command alone, and its examples as the footer; what it returns runs
  /// after parsing.  CAPTURE and the options of Context are declared already.
  Run (*declare)(CLI::App& app);
};

/// Every subcommand, in the order of --help.  One row each in src/commands/commands.cc.
std::span<const Command> commands();

}  // namespace jaxtrace
