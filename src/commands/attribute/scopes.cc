// The tree is a sorted map from path to cost: a scope's children follow it, so two passes suffice.
#include "commands/attribute/scopes.h"

#include <algorithm>
#include <map>
#include <string>

#include "hlo/op_name.h"

namespace jaxtrace {
namespace {

struct Scope {
  Cost total;
  std::int64_t self_ps = 0;
  std::int64_t depth = 1;
  std::vector<std::string> children;
};

class Tree {
 public:
  void add(std::string_view op_name, const Cost& cost) {
    const std::vector<std::string_view> scopes = hlo::scopes_of(op_name);
    if (scopes.empty()) {
      outside_.add(cost);
      return;
    }
    std::vector<std::string>* siblings = &roots_;
    for (std::size_t i = 0; i < scopes.size(); ++i) {
      const auto [at, added] = scopes_.try_emplace(std::string(scopes[i]));
      Scope& scope = at->second;
      if (added) {
        scope.depth = static_cast<std::int64_t>(i) + 1;
        siblings->push_back(at->first);
      }
      scope.total.add(cost);
      if (i + 1 == scopes.size()) scope.self_ps += cost.total_ps;
      siblings = &scope.children;
    }
  }

  /// Calls visit(path, scope) for every scope, parents first.
  template <class Visit>
  void walk(Visit visit) const {
    std::vector<std::string> open = by_time(roots_);
    while (!open.empty()) {
      const std::string path = std::move(open.back());
      open.pop_back();
      const Scope& scope = scopes_.find(path)->second;
      visit(path, scope);
      for (std::string& child : by_time(scope.children)) open.push_back(std::move(child));
    }
  }

  const Cost& outside() const { return outside_; }

 private:
  /// Longest last, for a stack.
  std::vector<std::string> by_time(std::vector<std::string> paths) const {
    std::ranges::sort(paths, [&](const std::string& a, const std::string& b) {
      const std::int64_t time_a = scopes_.find(a)->second.total.total_ps;
      const std::int64_t time_b = scopes_.find(b)->second.total.total_ps;
      return std::tie(time_a, b) < std::tie(time_b, a);
    });
    return paths;
  }

  std::map<std::string, Scope> scopes_;
  std::vector<std::string> roots_;
  Cost outside_;
};

}  // namespace

Table scopes_table(const Measured& measured) {
  Tree tree;
  const std::vector<Cost> costs = cost_by_op(measured);
  for (std::size_t i = 0; i < measured.ops.rows.size(); ++i) {
    if (costs[i].kernels > 0) tree.add(measured.ops.rows[i].source.op_name, costs[i]);
  }
  tree.add({}, costs.back());

  Table table{.id = "scopes",
              .caption = "Time by scope of op_name",
              .columns = {{"scope", Unit::none},
                          {"depth", Unit::count},
                          {"kernels", Unit::count},
                          {"total_ps", Unit::time, "total"},
                          {"self_ps", Unit::time, "self"},
                          {"share", Unit::ratio},
                          {"exact_ps", Unit::time, "exact"},
                          {"name_ps", Unit::time, "name"},
                          {"order_ps", Unit::time, "order"}},
              .rows = {}};
  const auto add_row = [&](const std::string& path, std::int64_t depth, const Cost& cost,
                           std::int64_t self_ps) {
    table.rows.push_back({path, depth, cost.kernels, cost.total_ps, self_ps,
                          share(cost.total_ps, measured.sums.all.total_ps), cost.of(Match::exact),
                          cost.of(Match::name), cost.of(Match::order)});
  };
  tree.walk([&](const std::string& path, const Scope& scope) {
    add_row(path, scope.depth, scope.total, scope.self_ps);
  });
  add_row("(no scope)", 1, tree.outside(), tree.outside().total_ps);
  return table;
}

}  // namespace jaxtrace
