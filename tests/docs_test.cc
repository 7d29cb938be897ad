// The documentation names everything that the command line has.
#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/options.h"
#include "support/golden_capture.h"
#include "support/program.h"
#include "support/world.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

const std::filesystem::path kDocs = std::filesystem::path(JAXTRACE_SOURCE_DIR) / "docs";

/// The man page as text: `\-` is a hyphen, and a line may begin with a request.
std::string man_page() {
  std::string text = read_file(kDocs / "jaxtrace.1");
  std::erase(text, '\\');
  return text;
}

/// Long names, and short ones where there is no long one.
std::vector<std::string> names(const CLI::Option& option) {
  std::vector<std::string> result;
  for (const std::string& name : option.get_lnames()) result.push_back("--" + name);
  if (!result.empty() || option.get_positional()) return result;
  for (const std::string& name : option.get_snames()) result.push_back("-" + name);
  return result;
}

class Docs : public testing::Test {
 protected:
  Docs() : subcommands_(declare(app_, options_)) {}

  CLI::App app_;
  Options options_;
  std::vector<Declared> subcommands_;
};

TEST_F(Docs, TheManPageNamesEverySubcommandAndFlag) {
  const std::string page = man_page();
  for (const Declared& sub : subcommands_) {
    EXPECT_NE(page.find("jaxtrace " + sub.app->get_name()), std::string::npos)
        << sub.app->get_name();
    for (const CLI::Option* option : sub.app->get_options()) {
      for (const std::string& name : names(*option)) {
        EXPECT_NE(page.find(name), std::string::npos) << sub.app->get_name() << ' ' << name;
      }
    }
  }
}

TEST_F(Docs, EverySubcommandHasAPageThatNamesItsOwnFlags) {
  for (const Declared& sub : subcommands_) {
    std::string file = sub.app->get_name() + ".md";
    const std::string page = read_file(kDocs / file);
    ASSERT_FALSE(page.empty()) << "docs/" << file << " is missing";
    for (const CLI::Option* option : sub.app->get_options()) {
      if (option->get_group() == "Shared options") continue;
      for (const std::string& name : names(*option)) {
        if (name == "--help") continue;
        EXPECT_NE(page.find("`" + name), std::string::npos) << file << " lacks " << name;
      }
    }
  }
}

TEST_F(Docs, HelpAndTheManPageShowEverySubcommandAtWork) {
  const std::string page = man_page();
  const std::string examples = page.substr(page.find(".SH EXAMPLES"));
  for (const Declared& sub : subcommands_) {
    const std::string command = "jaxtrace " + sub.app->get_name() + ' ';
    EXPECT_NE(app_.get_footer().find("  " + command), std::string::npos) << command;
    EXPECT_NE(examples.find("\n" + command), std::string::npos) << command;
    EXPECT_NE(examples.find(sub.app->get_name() + ".md"), std::string::npos) << command;
  }
}

TEST_F(Docs, TheManPageHasTheExitCodesOfHelp) {
  const std::string page = man_page();
  for (const char* code : {"0", "1", "2", "3", "4", "70"}) {
    EXPECT_NE(page.find(std::string(".TP\n.B ") + code + "\n"), std::string::npos) << code;
  }
}

/// The first block of the README that shows a run of the program: its command, then excerpts of
/// what that prints, with `…` where something was left out.
TEST(Readme, ShowsWhatTheDemoPrints) {
  std::istringstream lines(read_file(kDocs.parent_path() / "README.md"));
  std::string line;
  while (std::getline(lines, line) && !line.starts_with("$ jaxtrace ")) {
  }
  ASSERT_FALSE(line.empty());
  const ScratchDir scratch;
  const std::string out = " --out '" + scratch.path().string() + "'";
  const ProgramResult result = run_shell(line.substr(2) + out, kDocs.parent_path());
  ASSERT_EQ(result.code, 0) << result.err;
  while (std::getline(lines, line) && line != "```") {
    if (line != "…") {
      EXPECT_NE(result.out.find(line), std::string::npos) << line;
    }
  }
}

// ---- Skills: instructions for agents, whose commands have to work as they stand.

/// The lines of ```sh blocks that run the program, without comments.
std::vector<std::string> commands_of(const std::string& page) {
  std::vector<std::string> result;
  std::istringstream lines(page);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));  // A block in a list is indented.
    if (line.starts_with("```")) {
      inside = !inside && line == "```sh";
      continue;
    }
    if (inside && line.starts_with("jaxtrace ")) result.push_back(line.substr(0, line.find(" #")));
  }
  return result;
}

/// What stands for the user's own files and names, and what it is in the test.
const std::map<std::string, std::string> kStandIns = {
    {"CAPTURE", "demo"},
    {"OTHER", "demo"},
    {"DISPATCH", "att/ui_output_agent_7_dispatch_3"},
    {"AFTER", "after/after"},
    {"RESULTS", "results"},
    {"HITS", "counters/hits"},
    {"READS", "counters/reads"},
};

std::string with_stand_ins(std::string command) {
  // The demo calls no jitted function; the other capture calls this one.
  if (command.find("FUNCTION") != std::string::npos) {
    command = std::regex_replace(command, std::regex("\\bCAPTURE\\b"), "steps");
    command = std::regex_replace(command, std::regex("\\bFUNCTION\\b"), "step");
  }
  for (const auto& [word, file] : kStandIns) {
    command = std::regex_replace(command, std::regex("\\b" + word + "\\b"), file);
  }
  // Kernels are those of the example's own files.
  const std::string kernel = command.find("pmc-l2") == std::string::npos ? "gemm" : "pa_decode";
  return std::regex_replace(command, std::regex("\\bKERNEL\\b"), kernel);
}

TEST(Skills, EveryCommandInThemRuns) {
  const std::filesystem::path data = kDocs.parent_path() / "testdata";
  const ScratchDir scratch;
  const std::filesystem::path& here = scratch.path();
  std::filesystem::copy(data / "demo", here / "demo", std::filesystem::copy_options::recursive);
  std::filesystem::create_directory(here / "steps");
  write_file(here / "steps/host0.xplane.pb",
             synth::xspace_bytes(world::run({.steps = 6}).recording));
  build_capture(data / "cases/hotspot/loop-kernel/capture", here / "att");
  build_capture(data / "cases/hotspot/baseline/capture", here / "after");
  build_capture(data / "cases/kernels/directory/capture", here / "results");
  build_capture(data / "cases/pmc-l2/worked-example/capture", here / "counters");

  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kDocs / "skills")) {
    if (entry.path().filename() != "SKILL.md") continue;
    const std::string name = entry.path().parent_path().filename().string();
    SCOPED_TRACE(name);
    names.insert(name);
    const std::string page = read_file(entry.path());
    EXPECT_TRUE(page.starts_with("---\nname: " + name + "\ndescription: ")) << "no frontmatter";
    const std::vector<std::string> commands = commands_of(page);
    EXPECT_GE(commands.size(), 4u);
    for (const std::string& command : commands) {
      const ProgramResult result = run_shell(with_stand_ins(command), here);
      EXPECT_EQ(result.code, 0) << command << '\n' << result.err;
      EXPECT_FALSE(result.out.empty()) << command;
    }
  }
  EXPECT_GE(names.size(), 2u);
}

/// Codes of findings as the sources file them: `Severity::note, "epoch-times"`.
std::set<std::string> finding_codes() {
  // Codes stand beside their severity: `Severity::note, "x"`, `.code = "x"`, `lost ? "x" : "y"`.
  const std::regex code(
      R"re((?:Severity::\w+,\s*(?:\w+ \? "([a-z-]+)"\s*: )?|\.code = )"([a-z-]+)",)re");
  std::set<std::string> result;
  const std::filesystem::path sources = std::filesystem::path(JAXTRACE_SOURCE_DIR) / "src";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sources)) {
    if (entry.path().extension() != ".cc") continue;
    const std::string text = read_file(entry.path());
    if (text.find("Severity::") == std::string::npos) continue;
    for (std::sregex_iterator at(text.begin(), text.end(), code), end; at != end; ++at) {
      if ((*at)[1].matched) result.insert((*at)[1]);
      result.insert((*at)[2]);
    }
  }
  return result;
}

TEST(DocsOfFindings, ExplainEveryCodeAndNoOther) {
  const std::string page = read_file(kDocs / "formats.md");
  std::set<std::string> explained;
  const std::regex heading(R"(\n#### `([a-z-]+)`\n)");
  for (std::sregex_iterator at(page.begin(), page.end(), heading), end; at != end; ++at) {
    explained.insert((*at)[1]);
  }
  EXPECT_EQ(explained, finding_codes());
}

}  // namespace
}  // namespace jaxtrace
