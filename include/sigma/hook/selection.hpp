// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/pattern.hpp>
#include <sigma/core/text.hpp>
#include <sigma/hook/derived.hpp>

#include <vector>

namespace sigma {

/// The parameters themselves, the gradients of the loss in them in the step before, or by how much that step changed them.
enum class TensorKind { parameters, gradients, updates };

/// Tensors of a network: those whose parameters match a pattern, or the one of a name that is known when compiling.
template <TensorKind kind_, Text name = Text{}>
struct Selection {
    static constexpr TensorKind kind = kind_;
    static constexpr Wants wants{kind == TensorKind::gradients, kind == TensorKind::updates};

    std::string pattern{};

    std::string text() const {
        constexpr const char* words[] = {"parameter", "gradient", "update"};
        const char* word = words[static_cast<int>(kind)];
        return name.size > 0 ? sentence(word, "<\"", name.view(), "\">()") : sentence(word, "s(\"", pattern, "\")");
    }
    friend bool operator==(const Selection&, const Selection&) = default;

    /// The positions of the parameters. Throws ArgumentError where there is none.
    template <class Model>
    std::vector<int> find(const Model&) const {
        constexpr auto& records = Model::records;
        const auto fits = [&](int i) { return kind != TensorKind::gradients || records.parameters[i].trained; };
        std::vector<int> found;
        if constexpr (name.size > 0) {
            constexpr int i = Model::find_parameter(name.view());
            static_assert(i >= 0, "the network has no parameter of this name");
            if (fits(i)) found.push_back(i);
        } else {
            for (int i = 0; i < Model::parameter_count; ++i) {
                const auto& r = records.parameters[i];
                // Statistics, which are not trained, are meant only where their full name is given.
                if (fits(i) && (r.trained ? matches(pattern, r.name.view()) : pattern == r.name.view())) found.push_back(i);
            }
        }
        if (found.empty())
            throw ArgumentError(text(), kind == TensorKind::gradients ? "a pattern that matches a parameter that is trained"
                                                                      : "a pattern that matches a parameter",
                                sentence("'", name.size > 0 ? name.view() : std::string_view(pattern), "'"));
        return found;
    }

    /// Calls f(count, element) for each row of the tensors, where element(k) is a double. False where the step before
    /// was not kept, so that there is nothing to visit.
    template <class F>
    static bool visit(auto& trainer, const std::vector<int>& positions, F f) {
        const auto& model = trainer.model();
        for (const int p : positions) {
            const auto& shape = model.records.parameters[p].shape;
            const auto columns = static_cast<std::size_t>(shape.last());
            const auto rows = static_cast<std::size_t>(shape.count()) / columns;
            const auto stride = static_cast<std::size_t>(model.row(p));
            if constexpr (kind == TensorKind::gradients) {
                const auto g = trainer.step_record().gradient(p, trainer.iteration());
                if (!g) return false;
                f(g->size(), [x = g->data()](std::size_t k) { return static_cast<double>(x[k]); });
            } else if constexpr (kind == TensorKind::parameters) {
                for (std::size_t r = 0; r < rows; ++r)
                    f(columns, [x = model.parameter_data(p) + r * stride](std::size_t k) { return static_cast<double>(x[k]); });
            } else {
                const auto before = trainer.step_record().before(p, model, trainer.iteration());
                if (!before) return false;
                for (std::size_t r = 0; r < rows; ++r)
                    f(columns, [x = model.parameter_data(p) + r * stride, y = before->data() + r * stride](std::size_t k) {
                        return static_cast<double>(x[k]) - static_cast<double>(y[k]);
                    });
            }
        }
        return true;
    }
};

/// `norm(gradients("*"))`, `deviation(parameters("1-*.weights"))`. `*` in a pattern stands for any characters.
inline auto parameters(std::string pattern) {
    return Selection<TensorKind::parameters>{std::move(pattern)};
}
inline auto gradients(std::string pattern) {
    return Selection<TensorKind::gradients>{std::move(pattern)};
}
inline auto updates(std::string pattern) {
    return Selection<TensorKind::updates>{std::move(pattern)};
}
/// The same of one, `parameter<"1-dense.weights">()`; a name that the network does not have does not compile.
template <Text name>
auto parameter() {
    return Selection<TensorKind::parameters, name>{};
}
template <Text name>
auto gradient() {
    return Selection<TensorKind::gradients, name>{};
}
template <Text name>
auto update() {
    return Selection<TensorKind::updates, name>{};
}

}  // namespace sigma
