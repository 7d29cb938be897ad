// What stops the program: input that cannot be used, and output that cannot be written.
#pragma once

#include <stdexcept>
#include <string>

namespace jaxtrace {

/// How the process ends; scripts rely on these numbers (docs/jaxtrace.1).
enum class ExitCode : int {
  ok = 0,             ///< A report was written, whatever it says.
  gate_failed = 1,    ///< A gate that the caller asked for (--strict) did not hold.
  usage = 2,          ///< The command line cannot be understood.
  input_missing = 3,  ///< The input is missing or cannot be read.
  input_unfit = 4,  ///< The input is corrupt beyond use, of another kind, or lacks what is needed.
  internal = 70,    ///< A mistake of ours, or no room to write.
};

/// Thrown by readers, caught once, in main.  The message is one sentence, lower case, without a
/// full stop: what is wrong, where (byte or line), and what to do next.
class InputError : public std::runtime_error {
 public:
  InputError(const std::string& path, const std::string& what,
             ExitCode code = ExitCode::input_unfit)
      : std::runtime_error(path + ": " + what), code_(code) {}

  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Thrown when a result cannot be written: no room, no permission, a directory in the way.  One
/// sentence as above; main ends with ExitCode::internal.
class OutputError : public std::runtime_error {
 public:
  OutputError(const std::string& path, const std::string& what)
      : std::runtime_error(path + ": " + what) {}
};

}  // namespace jaxtrace
