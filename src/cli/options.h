// The command line: what all subcommands share, and the subcommands themselves.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "jaxtrace/command.h"

namespace jaxtrace {

enum class Format : std::uint8_t { markdown, json, csv };

/// What the user asked for.  `app` holds pointers into it, so it does not move.
struct Options {
  Context context;
  Format format = Format::markdown;
  bool strict = false;
  bool quiet = false;
  std::string shell;  ///< Of the hidden subcommand `completion`.
};

/// A subcommand on the command line, and what runs it.
struct Declared {
  CLI::App* app;
  Run run;
};

/// Declares the whole command line on `app`: every row of commands(), with the shared options, and
/// `completion`.
std::vector<Declared> declare(CLI::App& app, Options& options);

/// What to tell someone whose first word is not a subcommand; empty if nothing is wrong with it.
std::string wrong_subcommand(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace jaxtrace
