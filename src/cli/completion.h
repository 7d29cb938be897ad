// Shell completion, made from the options that the program has.
#pragma once

#include <CLI/App.hpp>
#include <ostream>

namespace jaxtrace {

void write_bash_completion(const CLI::App& app, std::ostream& out);
void write_zsh_completion(const CLI::App& app, std::ostream& out);

}  // namespace jaxtrace
