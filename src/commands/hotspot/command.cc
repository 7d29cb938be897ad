// Flags, and the order of work: find, read, choose the kernel, analyse, write the files, describe.
#include "commands/hotspot/command.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "att/select.h"
#include "commands/hotspot/baseline.h"
#include "commands/hotspot/dispatch.h"
#include "commands/hotspot/sections.h"
#include "commands/hotspot/summary.h"
#include "commands/hotspot/tables.h"
#include "jaxtrace/error.h"
#include "jaxtrace/thread_trace_reader.h"
#include "report/output_dir.h"
#include "report/text.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultDirectory = "hotspot";
constexpr std::size_t kMostNames = 8;
constexpr std::size_t kLongestName = 100;

using Owned = std::vector<std::unique_ptr<HotspotDispatch>>;

/// What was read, and what had to be left out.
struct Traces {
  std::vector<ThreadTrace> read;
  std::vector<fs::path> inputs;  ///< Files that must not be written over
  std::vector<Finding> findings;
};

/// Reads all.  One that has no cycles among others is a finding; if all are, the first says why.
Traces read_all(const std::vector<fs::path>& paths, const ReadOptions& options) {
  Traces traces;
  std::optional<InputError> first;
  for (const fs::path& path : paths) {
    try {
      ThreadTrace trace = read_thread_trace(path, {.progress = options.progress});
      traces.inputs.push_back(trace.directory / trace.file);
      if (trace.timing != Timing::measured) {
        throw InputError(path.string(), no_timing(trace.timing));
      }
      traces.read.push_back(std::move(trace));
    } catch (const InputError& error) {
      if (!first) first = error;
      traces.findings.push_back({.severity = Severity::error,
                                 .code = "att-left-out",
                                 .message = std::string("was left out: ") + error.what(),
                                 .where = path.filename().string()});
    }
  }
  if (traces.read.empty()) throw *first;
  return traces;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i) {
    text += (i == 0 ? "" : "; ") + shortened(one_line(names[i]), kLongestName);
  }
  if (names.size() > kMostNames) text += fmt::format("; and {} more", names.size() - kMostNames);
  return text;
}

/// Leaves only the kernel that --kernel means, and throws if that is none or several.
void choose_kernel(Traces& traces, const std::string& wanted, const std::string& where) {
  if (wanted.empty()) return;
  const std::vector<std::string> names = matching_kernels(traces.read, wanted);
  if (names.empty()) {
    const std::vector<std::string> known = kernel_names(traces.read);
    throw InputError(where, "has no kernel \"" + wanted + "\"; " +
                                (known.empty() ? "its kernels have no names"
                                               : "its kernels are " + listed(known)));
  }
  if (names.size() > 1) {
    throw InputError(where, "\"" + wanted + "\" fits several kernels, so give more of the name: " +
                                listed(names));
  }
  for (ThreadTrace& trace : traces.read) keep_kernel(trace, names.front());
  std::erase_if(traces.read,
                [](const ThreadTrace& trace) { return trace.timing != Timing::measured; });
  if (traces.read.empty()) {
    throw InputError(where, "has no cycles of the kernel " + listed(names));
  }
}

/// The directory's name, with as many of those above as it takes to tell them apart.
std::vector<std::string> labels(const std::vector<ThreadTrace>& traces) {
  std::vector<std::string> result;
  std::vector<fs::path> above;
  for (const ThreadTrace& trace : traces) {
    std::error_code ignored;
    result.push_back(trace.name);
    above.push_back(fs::absolute(trace.directory, ignored).lexically_normal());
    if (!above.back().has_filename()) above.back() = above.back().parent_path();
    if (above.back().filename() == trace.name) above.back() = above.back().parent_path();
  }
  for (int level = 0; level < 16; ++level) {
    std::map<std::string, std::size_t> count;
    for (const std::string& label : result) ++count[label];
    bool unique = true;
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (count[result[i]] == 1 || above[i].filename().empty()) continue;
      result[i] = above[i].filename().string() + '/' + result[i];
      above[i] = above[i].parent_path();
      unique = false;
    }
    if (unique) break;
  }
  return result;
}

std::optional<Verification> verify(const ThreadTrace& trace, std::vector<Finding>& findings) {
  Verifier verifier;
  for (Finding& finding : read_waves(trace, [&](const Wave& wave) { verifier.add(wave); })) {
    findings.push_back(std::move(finding));
  }
  return verifier.finish(trace);
}

/// Everything about the dispatches at `paths`, with findings added to those given.
Owned dispatches_of(const std::vector<fs::path>& paths, const HotspotOptions& options,
                    const ReadOptions& read, std::vector<fs::path>& inputs,
                    std::vector<Finding>& findings) {
  Traces traces = read_all(find_thread_traces(paths), read);
  inputs.insert(inputs.end(), traces.inputs.begin(), traces.inputs.end());
  findings.insert(findings.end(), traces.findings.begin(), traces.findings.end());

  std::map<std::string, Verification> verified;
  std::vector<Finding> unused;  // The analyses read the waves again, and find the same.
  if (options.verify) {
    for (const ThreadTrace& trace : traces.read) {
      verified[trace.directory.string()] = *verify(trace, unused);
    }
  }
  choose_kernel(traces, options.kernel, paths.front().string());
  std::vector<std::string> names = labels(traces.read);
  if (options.merge && traces.read.size() > 1) {
    ThreadTrace merged = merge(traces.read);
    names = {merged.name};
    traces.read.clear();
    traces.read.push_back(std::move(merged));
  }
  Owned result;
  for (std::size_t i = 0; i < traces.read.size(); ++i) {
    result.push_back(std::make_unique<HotspotDispatch>(std::move(traces.read[i])));
    HotspotDispatch& dispatch = *result.back();
    dispatch.label = names[i];
    if (const auto found = verified.find(dispatch.trace.directory.string());
        found != verified.end() && !options.merge) {
      dispatch.verification = found->second;
    }
    analyse(dispatch, options);
    findings.insert(findings.end(), dispatch.findings.begin(), dispatch.findings.end());
  }
  return result;
}

Outcome run(const HotspotOptions& options, const Context& context) {
  Outcome outcome;
  std::vector<fs::path> inputs;
  const Owned dispatches =
      dispatches_of(context.inputs, options, context.read, inputs, outcome.findings);

  std::optional<Comparison> comparison;
  Owned before;
  if (!options.baseline.empty()) {
    before = dispatches_of({options.baseline}, options, context.read, inputs, outcome.findings);
    comparison = compare(side_of(before), side_of(dispatches));
  }

  OutputDir directory(context.out.empty() ? kDefaultDirectory : context.out, inputs);
  write_instructions_csv(dispatches, directory.file("instructions.csv"));
  write_csv_file(lines_csv(dispatches), directory);
  write_csv_file(stalls_csv(dispatches), directory);
  write_csv_file(waits_csv(dispatches), directory);
  write_csv_file(loops_csv(dispatches), directory);
  write_csv_file(occupancy_csv(dispatches), directory);
  write_csv_file(plan_csv(dispatches), directory);
  if (comparison) write_csv_file(changes_csv(*comparison), directory);

  outcome.report = hotspot_report(dispatches, options);
  if (comparison) add_comparison(outcome.report, *comparison, options);
  write_markdown(outcome.report, directory.file("summary.txt"));
  directory.commit();

  for (const auto& dispatch : dispatches) {
    if (dispatch->verification && !dispatch->verification->wrong.empty()) {
      outcome.doubts.push_back(dispatch->label +
                               ": code.json and the wave files contradict each other");
    }
  }
  return outcome;
}

/// What is wrong with a name of a GPU; empty if nothing is.
std::string arch_fault(const std::string& name) {
  return arch_of(name) ? "" : "'" + name + "' is no GPU's name, such as gfx942";
}

std::string mode_fault(const std::string& word) {
  const bool known = word == "asm" || word == "src" || word == "both";
  return known ? "" : "'" + word + "' is none of asm, src and both";
}

std::optional<Inline> inline_of(std::string_view word) {
  if (word == "innermost") return Inline::innermost;
  if (word == "outermost") return Inline::outermost;
  if (word == "all") return Inline::all;
  return std::nullopt;
}

std::string inline_fault(const std::string& word) {
  return inline_of(word) ? "" : "'" + word + "' is none of innermost, outermost and all";
}

Run declare(CLI::App& app) {
  constexpr std::size_t kMost = 1'000'000;
  const auto options = std::make_shared<HotspotOptions>();
  const auto mode = std::make_shared<std::string>("both");
  const auto inlined = std::make_shared<std::string>("innermost");
  const CLI::Option* const topk =
      app.add_option("--topk", options->topk,
                     "Rows of the hotspot tables; default 15, or 3 for each of several dispatches")
          ->type_name("N")
          ->check(CLI::Range(std::size_t{1}, kMost).description(""));
  app.add_option("--mode", *mode, "Hotspots by instruction, by source line, or both")
      ->type_name("asm|src|both")
      ->check(CLI::Validator(mode_fault, ""));
  app.add_flag("--detail", options->detail, "The source around the first lines, with instructions");
  app.add_option("--context", options->context, "Lines around each with --detail; default 3")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{0}, kMost).description(""));
  app.add_option("--kernel", options->kernel,
                 "Only this kernel: its name, or the beginning or a part that no other has")
      ->type_name("NAME");
  app.add_option("--arch", options->arch, "The GPU, where the recording does not say: gfx942 …")
      ->type_name("GFX")
      ->check(CLI::Validator(arch_fault, ""));
  app.add_option("--inline", *inlined,
                 "Line of inlined code: innermost (default), outermost, or all as one chain")
      ->type_name("innermost|outermost|all")
      ->check(CLI::Validator(inline_fault, ""));
  app.add_flag("--plan", options->plan, "What to try first, with evidence and an estimated gain");
  app.add_flag("--merge", options->merge, "Add up all dispatches, instruction by instruction");
  app.add_flag("--verify", options->verify, "Add the wave files up again and compare");
  app.add_option("--baseline", options->baseline,
                 "A recording of the kernel before a change, to compare with")
      ->type_name("DIR");
  app.footer(
      "Examples:\n"
      "  jaxtrace hotspot ui_output_agent_6426_dispatch_608\n"
      "  jaxtrace hotspot kernel_trace_output --kernel pa_decode --detail --plan\n"
      "  jaxtrace hotspot after --baseline before\n"
      "\n"
      "Writes instructions.csv, lines.csv, stalls.csv, waits.csv, loops.csv, occupancy.csv,\n"
      "plan.csv, changes.csv (with --baseline) and summary.txt into ./hotspot or the directory\n"
      "of --out.");
  return [options, mode, inlined, topk](const Context& context) {
    HotspotOptions chosen = *options;
    chosen.topk_given = topk->count() > 0;
    chosen.which = inline_of(*inlined).value_or(Inline::innermost);
    chosen.by_source = *mode != "asm";
    chosen.by_instruction = *mode != "src";
    return run(chosen, context);
  };
}

}  // namespace

Command hotspot_command() {
  return {.name = "hotspot",
          .summary = "Thread traces of a GPU kernel → stalls by line and instruction → what to try",
          .input = {.name = "DIR",
                    .help = "A ui_output_agent_*_dispatch_* directory, or one above several",
                    .many = true,
                    .runs = false},
          .declare = declare};
}

}  // namespace jaxtrace
