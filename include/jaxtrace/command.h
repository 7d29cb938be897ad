// A subcommand as data: a name, a line of help, and a function that declares its flags.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

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
  /// What --strict turns into exit code 1: one sentence each.  Findings of severity data_loss and
  /// error belong here, and whatever else the command considers a failed check.
  std::vector<std::string> doubts;
};

using Run = std::function<Outcome(const Context&)>;

struct Command {
  std::string_view name;
  std::string_view summary;
  Run (*declare)(CLI::App& app);  ///< Adds the flags; what it returns runs after parsing.
};

/// Every subcommand, in the order of --help.  One row each in src/commands/commands.cc.
std::span<const Command> commands();

}  // namespace jaxtrace
