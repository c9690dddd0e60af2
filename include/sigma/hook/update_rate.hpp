// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/tensor_values.hpp>

#include <cmath>
#include <limits>
#include <memory>

namespace sigma {

/// ‖w − w₀‖ / ‖w₀‖ of all elements of the tensors, where the last step led from w₀ to w; 0 where both are 0. New each
/// iteration; NaN when no step has just been taken for which w₀ was kept.
template <Text name>
struct UpdateRate : DerivedValue<UpdateRate<name>> {
    using Sources = Types<>;
    using Change = TensorValue<detail::EuclideanNorm, Selection<TensorKind::updates, name>>;
    static constexpr Moment moment = Moment::iteration;
    static constexpr MomentSet update_moments{};
    static constexpr Wants wants{.before = true};

    struct State {
        double result = std::numeric_limits<double>::quiet_NaN();
        bool stale = true;

        void update(auto&, const UpdateRate&) { stale = true; }
        void restart() { stale = true; }
        void archive(Archive&) {}
    };

    Change change;
    std::shared_ptr<State> state{};

    explicit UpdateRate(std::string pattern) : change(Selection<TensorKind::updates, name>{std::move(pattern)}) {}

    double read(auto& trainer) const {
        if (!std::exchange(state->stale, false)) return state->result;
        const double moved = change.read(trainer);
        const double from = std::isnan(moved) ? moved : norm_before(trainer);
        state->result = moved == 0 && from == 0 ? 0 : moved / from;
        return state->result;
    }
    void visit_values(auto f) { f(change); }
    void visit_values(auto f) const { f(change); }
    std::string text() const {
        return name.size > 0 ? sentence("update_rate<\"", name.view(), "\">()")
                             : sentence("update_rate(\"", change.selection.pattern, "\")");
    }
    friend bool operator==(const UpdateRate& a, const UpdateRate& b) { return a.change == b.change; }

private:
    double norm_before(auto& trainer) const {
        auto& model = trainer.model();
        return detail::EuclideanNorm::of([&](auto f) {
            for (const int p : change.state->positions) {
                const auto before = trainer.step_record().before(p, model, trainer.iteration());
                const auto& shape = model.records.parameters[p].shape;
                const auto columns = static_cast<std::size_t>(shape.last());
                const auto rows = static_cast<std::size_t>(shape.count()) / columns;
                for (std::size_t r = 0; r < rows; ++r)
                    f(columns, [x = before->data() + r * static_cast<std::size_t>(model.row(p))](std::size_t k) {
                        return static_cast<double>(x[k]);
                    });
            }
        });
    }
};

/// `update_rate("*.weights")`
inline auto update_rate(std::string pattern) {
    return UpdateRate<Text{}>(std::move(pattern));
}
/// `update_rate<"1-dense.weights">()`
template <Text name>
auto update_rate() {
    return UpdateRate<name>("");
}

}  // namespace sigma
