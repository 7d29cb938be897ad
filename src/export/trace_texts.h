// What stands on slices, as JSON, made once for all slices that say the same.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attribution/ops.h"
#include "hlo/cost.h"
#include "skip/steps.h"

namespace jaxtrace {

/// Pieces of an event between its times and its end.
struct SliceText {
  std::string name;   ///< `"name":"…"`
  std::string marks;  ///< `,"cat":"…","cname":"…"`, or empty
  std::string args;   ///< Members, without braces
};

/// How a match is coloured by viewers that know `cname` (Chrome's and XProf's); one name each of
/// Chrome's reserved colours.
std::string_view colour_of(const Label& label);

class SliceTexts {
 public:
  SliceTexts(const Trace& trace, const Attribution& attribution, const Ops& ops,
             const hlo::UserTest& user);

  const SliceText& operator[](std::uint32_t text) const { return texts_[text]; }
  std::uint32_t add(SliceText text);

  /// Texts by label of an instruction, of its scopes and of the user's frames of its stack, the
  /// outermost first.  Two slices are of the same scope or frame if their texts are.
  std::uint32_t instruction(std::uint32_t label) const { return instruction_[label]; }
  std::span<const std::uint32_t> scopes(std::uint32_t label) const;
  std::span<const std::uint32_t> frames(std::uint32_t label) const;

  /// By program: "jit_step(17)"
  std::uint32_t module(std::uint32_t program) const { return module_[program]; }

  /// Members that a kernel's args get from its label; empty if there is nothing to say.
  const std::string& of_kernel(std::uint32_t label) const { return kernel_[label]; }

 private:
  void add_costs(std::string& args, const Op& op);
  void add_paths(const Op& op, const hlo::UserTest& user);
  std::uint32_t keyed(const std::string& key, std::string_view name, std::string args);

  const Trace& trace_;
  const Attribution& attribution_;
  const Ops& ops_;
  std::vector<SliceText> texts_;
  std::map<std::string, std::uint32_t, std::less<>> keyed_;
  std::vector<std::uint32_t> instruction_;                   ///< By label
  std::vector<std::string> kernel_;                          ///< By label
  std::vector<std::vector<std::uint32_t>> scopes_;           ///< By op
  std::vector<std::vector<std::uint32_t>> frames_;           ///< By op
  std::vector<std::uint32_t> module_;                        ///< By program
  std::map<std::uint32_t, std::vector<hlo::OpCost>> costs_;  ///< By program; of those that ran
};

}  // namespace jaxtrace
