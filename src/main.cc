// The program: parse, run, print, exit code; nothing else.
//
// stdout carries the report only, and it is complete in memory before its first byte is written.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>

#include "cli/completion.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/version.h"
#include "jaxtrace/error.h"
#include "report/text.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostFindings = 20;  // More would scroll the report's own words away.

/// A stderr that is closed or full changes nothing.
void complain(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

void say(std::string_view message) {
  complain(fmt::format("jaxtrace: {}\n", one_line(message)));
}

/// If the caller closed stdin, stdout or stderr, the next file opened would take its number, and
/// the report would be written into it.
void occupy_standard_streams() {
  int descriptor = 0;
  do {
    descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor >= 0) close(descriptor);
}

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      return;  // `| head` has seen enough.
    } else if (errno != EINTR) {
      throw OutputError("stdout", std::string("cannot be written: ") + std::strerror(errno));
    }
  }
}

std::string text_of(const Report& report, Format format) {
  std::ostringstream out;
  switch (format) {
    case Format::markdown:
      write_markdown(report, out);
      break;
    case Format::json:
      write_json(report, out);
      break;
    case Format::csv:
      write_csv(report, out);
      break;
  }
  return std::move(out).str();
}

void print_findings(const std::vector<Finding>& findings) {
  std::size_t left = kMostFindings;
  for (const Finding& finding : findings) {
    if (left-- == 0) {
      say(fmt::format("warning: {} more warnings and notes", findings.size() - kMostFindings));
      return;
    }
    say(fmt::format("{}: {}{}{}{}", finding.severity == Severity::note ? "note" : "warning",
                    finding.where, finding.where.empty() ? "" : ": ", finding.message,
                    finding.count > 1 ? fmt::format(" ({} times)", finding.count) : ""));
  }
}

/// What --strict holds against the outcome, as exit code.
ExitCode verdict(const Outcome& outcome) {
  const auto is_doubt = [](const Finding& finding) { return finding.severity != Severity::note; };
  const auto findings = std::ranges::count_if(outcome.findings, is_doubt);
  for (const std::string& doubt : outcome.doubts) say("strict: " + doubt);
  if (findings == 1) say("strict: one of the warnings counts as a failure");
  if (findings > 1) say(fmt::format("strict: {} of the warnings count as failures", findings));
  return findings > 0 || !outcome.doubts.empty() ? ExitCode::gate_failed : ExitCode::ok;
}

ExitCode run(const Run& command, Options& options) {
  options.context.version = version().substr(0, version().find(' '));
  Progress progress(!options.quiet);
  options.context.read.progress = [&](std::uint64_t done, std::uint64_t total) {
    progress.update(done, total);
  };
  const Outcome outcome = command(options.context);
  progress.erase();

  if (!options.quiet) print_findings(outcome.findings);
  print(text_of(outcome.report, outcome.json ? Format::json : options.format));
  return options.strict ? verdict(outcome) : ExitCode::ok;
}

ExitCode complete(const CLI::App& app, const std::string& shell) {
  std::ostringstream out;
  if (shell == "bash") {
    write_bash_completion(app, out);
  } else {
    write_zsh_completion(app, out);
  }
  print(std::move(out).str());
  return ExitCode::ok;
}

/// CLI11's sentences begin with a capital, unless with a name of ours.
std::string as_ours(std::string sentence) {
  const auto is_lower = [](char letter) { return letter >= 'a' && letter <= 'z'; };
  if (sentence.size() > 1 && (is_lower(sentence[1]) || sentence[1] == ' ')) {
    sentence[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(sentence[0])));
  }
  return sentence;
}

ExitCode run_program(std::vector<std::string> words) {
  CLI::App app;
  Options options;
  const std::vector<Declared> subcommands = declare(app, options);

  if (words.empty()) {
    complain(app.help());
    return ExitCode::usage;
  }
  if (const std::string wrong = wrong_subcommand(app, words); !wrong.empty()) {
    say(wrong);
    return ExitCode::usage;
  }
  try {
    std::ranges::reverse(words);  // CLI11 takes them from the back.
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return ExitCode::ok;
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return ExitCode::ok;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    say(fmt::format("{}; `jaxtrace {}--help` explains", as_ours(error.what()),
                    chosen.empty() ? "" : chosen[0]->get_name() + " "));
    return ExitCode::usage;
  }

  for (const Declared& subcommand : subcommands) {
    if (subcommand.app->parsed()) return run(subcommand.run, options);
  }
  return complete(app, options.shell);
}

}  // namespace
}  // namespace jaxtrace

int main(int argc, char** argv) {
  using jaxtrace::ExitCode;
  ExitCode code = ExitCode::internal;
  jaxtrace::occupy_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // A write over `ulimit -f` is then an error like a full disk.
  try {
    code = jaxtrace::run_program(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const jaxtrace::InputError& error) {
    jaxtrace::say(error.what());
    code = error.code();
  } catch (const jaxtrace::OutputError& error) {
    jaxtrace::say(error.what());
  } catch (const std::bad_alloc&) {
    std::fputs("jaxtrace: out of memory; a machine with more of it can read this capture\n",
               stderr);
  } catch (const std::exception& error) {
    jaxtrace::say(std::string("a mistake in jaxtrace, please report it: ") + error.what());
  }
  return static_cast<int>(code);
}
