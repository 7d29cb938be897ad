// The thunks of a small program, and its HLO beside them; small_hlo.h knows how HLO is spelled.
#include "support/small_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "support/small_hlo.h"

namespace jaxtrace::synth {
namespace {

struct Builder {
  SmallHlo hlo;
  std::int64_t next_thunk = 1;
  std::map<std::string, std::string> kernels{};  ///< By body and kind of argument
  std::set<std::string> taken{};                 ///< Kernel names
};

std::string symbol(std::string name) {
  for (char& c : name) {
    const bool kept = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                      c == '_' || c == '$';
    if (!kept) c = '_';
  }
  return name;
}

/// Names as XLA's uniquer, whose separator is `__`: a second `x` becomes `x__1`.
std::string unique_symbol(Builder& builder, const std::string& name) {
  const std::string out = symbol(name);
  if (builder.taken.insert(out).second) return out;
  std::size_t number = 1;
  while (!builder.taken.insert(fmt::format("{}__{}", out, number)).second) ++number;
  return fmt::format("{}__{}", out, number);
}

Thunk thunk(Builder& builder, std::string kind, std::string instruction) {
  return {.id = builder.next_thunk++,
          .kind = std::move(kind),
          .kernel = "",
          .instruction = std::move(instruction)};
}

using Thunks = std::vector<Thunk>;

void build(Builder& builder, Scope& scope, const std::vector<Node>& nodes, Thunks& out);

Thunk build_fusion(Builder& builder, Scope& scope, const Node& node, bool predicate) {
  const std::string body = node.body.empty() ? node.name : node.body;
  add_fusion(builder.hlo, scope, node, body, predicate);
  const std::string key = fmt::format("{}\n{}{}", body, scope.parameter_class, predicate);
  auto& kernel = builder.kernels[key];
  if (kernel.empty()) kernel = unique_symbol(builder, node.name);
  Thunk out = thunk(builder, "kCustomKernel", node.name);
  out.kernel = kernel;
  out.block = {128, 1, 1};
  out.grid = {static_cast<std::uint32_t>((node.elements + 127) / 128), 1, 1};
  return out;
}

std::string custom_kind(const std::string& target) {
  if (target == "__cublas$gemm") return "kGemm";
  if (target.starts_with("__cublas$lt")) return "kCublasLtMatmul";
  if (target.starts_with("__cudnn$conv")) return "kConvolution";
  if (target.starts_with("__cudnn$")) return "kCuDnn";
  if (target.starts_with("__cub$DeviceRadixSort")) return "kCubSort";
  return "kCustomCall";
}

/// "all-reduce", "all-reduce-start" -> "kAllReduce"
std::string collective_kind(const std::string& opcode) {
  std::string out = "k";
  bool upper = true;
  for (const char c : opcode) {
    if (c == '-') {
      upper = true;
    } else {
      out.push_back(upper ? static_cast<char>(c - 'a' + 'A') : c);
      upper = false;
    }
  }
  if (out.ends_with("Start")) out.resize(out.size() - 5);
  return out;
}

Thunk build_loop(Builder& builder, Scope& scope, const Node& node) {
  Thunk out = thunk(builder, "kWhile", node.name);
  Loop parts = open_loop(builder.hlo, scope, node);
  out.sections = {{"condition", {}}, {"body", {}}};
  Thunks& condition = out.sections[0].thunks;
  build(builder, parts.condition, node.parts[0], condition);
  condition.push_back(build_fusion(builder, parts.condition, fusion(node.name + "_compare"), true));
  build(builder, parts.body, node.parts[1], out.sections[1].thunks);
  close_loop(builder.hlo, scope, node, std::move(parts));
  return out;
}

Thunk build_branch(Builder& builder, Scope& scope, const Node& node) {
  std::vector<Scope> branches;
  std::vector<ThunkSection> sections;
  for (std::size_t i = 0; i < node.parts.size(); ++i) {
    branches.push_back(
        open_computation(builder.hlo, scope, fmt::format("{}_branch_{}", node.name, i)));
    sections.push_back({fmt::format("branch_{}", i), {}});
    build(builder, branches.back(), node.parts[i], sections.back().thunks);
  }
  close_branches(builder.hlo, scope, node, std::move(branches));
  Thunk out = thunk(builder, "kConditional", node.name);
  out.sections = std::move(sections);
  return out;
}

Thunk build_call(Builder& builder, Scope& scope, const Node& node) {
  Thunk out{.id = 0,
            .kind = "kCommandBuffer",
            .kernel = "",
            .instruction = node.name,
            .sections = {{"", {}}}};
  Scope content = open_computation(builder.hlo, scope, "command_buffer_of_" + symbol(node.name));
  content.name = "command_buffer." + std::to_string(builder.next_thunk);
  build(builder, content, node.parts[0], out.sections[0].thunks);
  close_call(builder.hlo, scope, node, std::move(content));
  return out;
}

void build_async(Builder& builder, Scope& scope, const Node& node, Thunks& out) {
  const std::vector<Node>& started = node.parts[0];
  Thunk start{.id = 0,
              .kind = "kAsyncStart",
              .kernel = "",
              .instruction = node.name,
              .sections = {{"", {}}}};
  Thunks& inner = start.sections[0].thunks;
  // XLA has start and done opcodes of their own for these, and a wrapper computation for the rest.
  const bool direct = started.size() == 1 && started[0].of == Node::Of::collective &&
                      (started[0].opcode == "all-reduce" || started[0].opcode == "all-gather" ||
                       started[0].opcode == "collective-permute");
  if (direct) {
    add_direct_start(builder.hlo, scope, node, started[0].opcode);
    inner.push_back(thunk(builder, collective_kind(started[0].opcode), node.name));
  } else {
    Scope wrapped = open_computation(builder.hlo, scope, "async_" + symbol(node.name));
    build(builder, wrapped, started, inner);
    if (started.size() > 1) {  // a group: one launch for all
      inner.resize(1);
      inner[0].instruction = node.name;
    }
    add_wrapped_start(builder.hlo, scope, node, std::move(wrapped));
  }
  start.id = builder.next_thunk++;
  out.push_back(std::move(start));
  build(builder, scope, node.parts[1], out);
  const std::string done = add_done(builder.hlo, scope, node, direct ? started[0].opcode : "");
  out.push_back(thunk(builder, "kAsyncDone", done));
}

void build_one(Builder& builder, Scope& scope, const Node& node, Thunks& out) {
  switch (node.of) {
    case Node::Of::fusion:
      out.push_back(build_fusion(builder, scope, node, false));
      return;
    case Node::Of::copy:
      add_plain(builder.hlo, scope, node, "copy");
      out.push_back(thunk(builder, "kCopy", node.name));
      return;
    case Node::Of::custom:
      add_custom_call(builder.hlo, scope, node);
      out.push_back(thunk(builder, custom_kind(node.opcode), node.name));
      out.back().launches = node.launches;
      return;
    case Node::Of::collective:
      add_collective(builder.hlo, scope, node);
      out.push_back(thunk(builder, collective_kind(node.opcode), node.name));
      return;
    case Node::Of::nothing:
      add_plain(builder.hlo, scope, node, node.opcode);
      return;
    case Node::Of::loop:
      out.push_back(build_loop(builder, scope, node));
      return;
    case Node::Of::branch:
      out.push_back(build_branch(builder, scope, node));
      return;
    case Node::Of::call:
      out.push_back(build_call(builder, scope, node));
      return;
    case Node::Of::graph: {
      Thunk buffer{.id = 0,
                   .kind = "kCommandBuffer",
                   .kernel = "",
                   .instruction = fmt::format("command_buffer_{}", builder.next_thunk),
                   .sections = {{"", {}}}};
      build(builder, scope, node.parts[0], buffer.sections[0].thunks);
      out.push_back(std::move(buffer));
      return;
    }
    case Node::Of::async:
      build_async(builder, scope, node, out);
      return;
  }
}

void build(Builder& builder, Scope& scope, const std::vector<Node>& nodes, Thunks& out) {
  for (const Node& node : nodes) build_one(builder, scope, node, out);
}

}  // namespace

Program small_program(const std::string& module, const std::vector<Node>& nodes,
                      const SmallProgramOptions& options) {
  Builder builder{.hlo = SmallHlo(module, options)};
  Scope entry = open_entry(builder.hlo);
  Program program;
  build(builder, entry, nodes, program.thunks);
  take_hlo(program, finish(builder.hlo, std::move(entry)));
  program.program_id = options.program_id;
  return program;
}

Node fusion(std::string name, std::string body, Origin origin) {
  return {.of = Node::Of::fusion,
          .name = std::move(name),
          .body = std::move(body),
          .origin = std::move(origin)};
}
Node copy(std::string name, std::int64_t elements) {
  return {.of = Node::Of::copy, .name = std::move(name), .elements = elements};
}
Node gemm(std::string name, std::vector<std::string> launches) {
  return custom(std::move(name), "__cublas$lt$matmul", std::move(launches));
}
Node custom(std::string name, std::string target, std::vector<std::string> launches) {
  return {.of = Node::Of::custom,
          .name = std::move(name),
          .opcode = std::move(target),
          .launches = std::move(launches)};
}
Node collective(std::string name, std::string opcode) {
  return {.of = Node::Of::collective, .name = std::move(name), .opcode = std::move(opcode)};
}
Node nothing(std::string name, std::string opcode) {
  return {.of = Node::Of::nothing, .name = std::move(name), .opcode = std::move(opcode)};
}
Node loop(std::string name, std::optional<std::uint64_t> trips, std::vector<Node> body,
          std::vector<Node> condition) {
  return {.of = Node::Of::loop,
          .name = std::move(name),
          .trips = trips,
          .parts = {std::move(condition), std::move(body)}};
}
Node branch(std::string name, std::vector<std::vector<Node>> branches) {
  return {.of = Node::Of::branch, .name = std::move(name), .parts = std::move(branches)};
}
Node call(std::string name, std::vector<Node> content) {
  return {.of = Node::Of::call, .name = std::move(name), .parts = {std::move(content)}};
}
Node graph(std::vector<Node> content) {
  return {.of = Node::Of::graph, .name = "", .parts = {std::move(content)}};
}
Node async(std::string name, std::vector<Node> started, std::vector<Node> meanwhile) {
  return {.of = Node::Of::async,
          .name = std::move(name),
          .parts = {std::move(started), std::move(meanwhile)}};
}

}  // namespace jaxtrace::synth
