// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Loops over the elements of values, as text.
namespace sigma::detail::cpp {

using Numbers = std::vector<long long>;

/// The place of a value's elements: in an array, or in none for a single number and for positions along an axis.
struct View {
    enum class Kind { array, number, position };
    Kind kind = Kind::array;
    std::string name{};  ///< Name of the array, or the number itself.
    int storage = -1;    ///< Part of the workspace.
    Numbers extents{}, strides{};
    long long first = 0, per_step = 0;  ///< The first element, and its increment at each step of the loop over time.

    static View dense(const std::string& name, int storage, const Numbers& extents) {
        View v{Kind::array, name, storage, extents, extents, 0, 0};
        long long stride = 1;
        for (std::size_t i = extents.size(); i-- > 0; stride *= extents[i]) v.strides[i] = stride;
        return v;
    }
    bool is_dense() const {
        long long stride = 1;
        for (std::size_t i = extents.size(); i-- > 0; stride *= extents[i])
            if (extents[i] != 1 && strides[i] != stride) return false;
        return true;
    }
    /// Returns the view, broadcast to a rank and extents.
    View to(const Numbers& wanted) const {
        View v = *this;
        v.extents = wanted;
        v.strides.assign(wanted.size(), 0);
        const std::size_t more = wanted.size() - std::min(wanted.size(), extents.size());
        for (std::size_t i = more; i < wanted.size(); ++i) {
            const std::size_t own = i - more + (extents.size() - (wanted.size() - more));
            v.strides[i] = extents[own] == 1 ? 0 : strides[own];
        }
        return v;
    }
};

inline long long product_of(const Numbers& n) {
    long long all = 1;
    for (const long long x : n) all *= x;
    return all;
}

/// The lines of a function, blocks indented.
class Lines {
public:
    void line(const std::string& text) {
        all_.push_back(std::string(4 * static_cast<std::size_t>(depth_), ' ') + text);
    }
    void open(const std::string& text) { line(text + " {"), ++depth_; }
    void close() { --depth_, line("}"); }
    /// Takes the lines. Declarations outside of loops get a block of their own.
    std::vector<std::string> taken_apart() {
        if (all_.size() > 1 && !all_[0].starts_with("for")) {
            for (std::string& l : all_) l.insert(0, "    ");
            all_.insert(all_.begin(), "{");
            all_.push_back("}");
        }
        return std::move(all_);
    }

private:
    std::vector<std::string> all_{};
    int depth_ = 0;
};

/// A variable and its factor.
using Term = std::pair<std::string, long long>;
/// Returns a sum as text: "i * 12 + j + 3".
inline std::string sum_text(std::span<const Term> terms, long long constant) {
    std::string text;
    for (const auto& [variable, factor] : terms)
        if (factor != 0)
            text += sentence(text.empty() ? "" : " + ", variable, factor == 1 ? "" : sentence(" * ", factor));
    if (constant != 0 || text.empty()) text += sentence(text.empty() ? "" : " + ", constant);
    return text;
}

/// Loops over extents, with the views that they read or write. Axes that all views cross with one stride are merged to
/// one loop.
class Nest {
public:
    Nest(const Numbers& extents, std::vector<View> views) : views_(std::move(views)), strides_(views_.size()) {
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            if (extents[axis] == 1) continue;
            bool joins = !extents_.empty();
            for (std::size_t v = 0; v < views_.size(); ++v)
                joins = joins && strides_[v].back() == views_[v].strides[axis] * extents[axis];
            if (joins) extents_.back() *= extents[axis];
            else extents_.push_back(extents[axis]);
            for (std::size_t v = 0; v < views_.size(); ++v) {
                if (joins) strides_[v].pop_back();
                strides_[v].push_back(views_[v].strides[axis]);
            }
        }
    }
    std::size_t depth() const { return extents_.size(); }
    long long stride(std::size_t view, std::size_t level) const { return strides_[view][level]; }

    void open(Lines& to, std::size_t from, std::size_t end) const {
        for (std::size_t l = from; l < end; ++l)
            to.open(sentence("for (int ", name(l), " = 0; ", name(l), " < ", extents_[l], "; ++", name(l), ")"));
    }
    void close(Lines& to, std::size_t from, std::size_t end) const {
        for (std::size_t l = from; l < end; ++l) to.close();
    }
    /// Writes all loops around one line.
    void write(Lines& to, const std::string& line) const {
        open(to, 0, depth());
        to.line(line);
        close(to, 0, depth());
    }
    std::string index(std::size_t view) const {
        std::vector<Term> terms;
        for (std::size_t l = 0; l < depth(); ++l) terms.emplace_back(name(l), strides_[view][l]);
        terms.emplace_back("t", views_[view].per_step);
        return sum_text(terms, views_[view].first);
    }
    std::string address(std::size_t view) const {
        const std::string i = index(view);
        return views_[view].name + (i == "0" ? "" : " + " + i);
    }
    std::string element(std::size_t view) const { return views_[view].name + "[" + index(view) + "]"; }
    /// Returns the text that reads an element of a view.
    std::string value(std::size_t view, const std::string& real) const {
        switch (views_[view].kind) {
            case View::Kind::number: return views_[view].name;
            case View::Kind::position: return real + "(" + index(view) + ")";
            default: return element(view);
        }
    }

private:
    std::vector<View> views_;
    Numbers extents_{};
    std::vector<Numbers> strides_;

    static std::string name(std::size_t level) {
        return level < 6 ? std::string(1, "ijklmn"[level]) : sentence("i", level);
    }
};

}  // namespace sigma::detail::cpp
