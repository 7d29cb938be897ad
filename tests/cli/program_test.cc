// What only a process has: exit codes, streams, and what happens when they are closed or full.
#include <gtest/gtest.h>

#include "support/program.h"

namespace jaxtrace {
namespace {

class Program : public testing::Test {
 protected:
  ProgramResult run(std::string_view line) const { return run_shell(line, scratch_.path()); }

  ScratchDir scratch_;
};

TEST_F(Program, PrintsHelpAndFailsWithoutArguments) {
  const ProgramResult result = run("jaxtrace");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, run("jaxtrace --help").out);
}

TEST_F(Program, HelpAndVersionGoToStdout) {
  const ProgramResult help = run("jaxtrace --help");
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.err, "");
  EXPECT_NE(help.out.find("Exit codes:"), std::string::npos);
  EXPECT_TRUE(run("jaxtrace --version").out.starts_with("jaxtrace "));
}

TEST_F(Program, SaysInOneLineWhatIsWrongWithTheCommandLine) {
  const ProgramResult flag = run("jaxtrace --format json attribute x");
  EXPECT_EQ(flag.code, 2);
  EXPECT_EQ(flag.err,
            "jaxtrace: options go after a subcommand, as in `jaxtrace attribute CAPTURE "
            "--format`\n");

  const ProgramResult capture = run("mkdir 'my run'; jaxtrace 'my run'");
  EXPECT_EQ(capture.code, 2);
  EXPECT_EQ(capture.err,
            "jaxtrace: a subcommand goes before the capture, as in `jaxtrace attribute my run`\n");

  const ProgramResult word = run("printf 'x\\n\\033' | xargs -0 jaxtrace");
  EXPECT_EQ(word.err, "jaxtrace: 'x\\n\\x1b' is not a subcommand; `jaxtrace --help` lists them\n");
}

TEST_F(Program, AFullDiskIsAnErrorAndAClosedPipeIsNot) {
  const ProgramResult full = run("jaxtrace --help >/dev/full");
  EXPECT_EQ(full.code, 70);
  EXPECT_EQ(full.err, "jaxtrace: stdout: cannot be written: No space left on device\n");

  EXPECT_EQ(run("jaxtrace --help >&-").code, 70);
  EXPECT_EQ(run("{ sleep 0.2; jaxtrace --help; echo $? >&2; } | true; sleep 0.4").err, "0\n");
}

TEST_F(Program, NeedsNoStderr) {
  EXPECT_EQ(run("jaxtrace 2>&-").code, 2);
  EXPECT_EQ(run("jaxtrace 2>/dev/full").code, 2);
  EXPECT_EQ(run("jaxtrace attribute missing 2>/dev/full").code, 3);
}

TEST_F(Program, CompletionScriptsAreShell) {
  const ProgramResult bash =
      run("jaxtrace completion bash >c && bash -c '. ./c; COMP_WORDS=(jaxtrace --v); COMP_CWORD=1; "
          "_jaxtrace; echo \"${COMPREPLY[@]}\"'");
  EXPECT_EQ(bash.code, 0) << bash.err;
  EXPECT_EQ(bash.out, "--version\n");
  EXPECT_TRUE(run("jaxtrace completion zsh").out.starts_with("#compdef jaxtrace\n"));
  EXPECT_EQ(run("jaxtrace completion fish").code, 2);
}

}  // namespace
}  // namespace jaxtrace
