// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>

#include <vector>

namespace sigma {

enum class Transfer {
    whole,   ///< both networks must have the same parameters that match
    common,  ///< those that both have, under the same name and of the same shape
};

/// Copies the parameters whose names match the pattern from one model to another, of the same or another network and
/// element type. Returns how many. Throws MismatchError, before anything is copied, where a parameter is missing on
/// either side or has another shape. A whole model, `*` and Transfer::whole, goes with the names of its classes, and is
/// refused by one that has others.
template <AnyNetwork From, class F, AnyNetwork To, class T>
int transfer(const Model<From, F>& from, Model<To, T>& to, std::string_view pattern = "*",
             Transfer how = Transfer::whole) {
    using Source = Model<From, F>;
    using Target = Model<To, T>;
    const auto miss = [](const ParameterRecord& r, const char* found) {
        throw MismatchError(sentence("transfer of parameter '", r.name.view(), "'"),
                            sentence("shape ", detail::extents_text(r.shape)), found);
    };
    std::vector<std::pair<int, int>> pairs;
    bool any = false;
    for (int i = 0; i < Target::parameter_count; ++i) {
        const ParameterRecord& r = Target::records.parameters[i];
        if (!matches(pattern, r.name.view())) continue;
        any = true;
        const int source = Source::find_parameter(r.name.view());
        const bool fits = source >= 0 && Source::records.parameters[source].shape == r.shape;
        if (fits) pairs.emplace_back(source, i);
        if (fits || how == Transfer::common) continue;
        if (source < 0) miss(r, "none in the network it comes from");
        miss(r, sentence("shape ", detail::extents_text(Source::records.parameters[source].shape)).c_str());
    }
    for (int i = 0; i < Source::parameter_count && how == Transfer::whole; ++i) {
        const ParameterRecord& r = Source::records.parameters[i];
        if (!matches(pattern, r.name.view())) continue;
        any = true;
        if (Target::find_parameter(r.name.view()) < 0) miss(r, "none in the network it goes to");
    }
    if (!any && how == Transfer::whole)
        throw MismatchError("transfer of parameters", "a pattern that matches a parameter",
                            sentence("'", pattern, "'"));
    const bool everything = how == Transfer::whole && pattern == "*";
    std::vector<F> values;  // so that nothing waits for one model while it holds the other
    detail::ClassNames classes;
    from.read([&] {
        const auto all = from.parameter_memory();
        values.assign(all.begin(), all.end());
        if (everything) classes = from.classes();
    });
    to.write([&] {
        detail::require_taken_classes("transfer of parameters", to.classes(), classes);
        if (classes.size() > to.classes().size()) to.set_classes(std::move(classes));
        for (const auto& [source, target] : pairs) {
            const Shape shape = Target::records.parameters[target].shape;
            const auto columns = static_cast<std::ptrdiff_t>(shape.last());
            const auto rows = static_cast<std::ptrdiff_t>(shape.count()) / columns;
            const F* const first = values.data() + Source::parameter_offset(source);
            for (std::ptrdiff_t y = 0; y < rows; ++y)
                for (std::ptrdiff_t x = 0; x < columns; ++x)
                    to.parameter_data(target)[y * Target::row(target) + x] =
                        static_cast<T>(first[y * Source::row(source) + x]);
        }
    });
    return static_cast<int>(pairs.size());
}

}  // namespace sigma
