// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/network/grammar.hpp>

#include <vector>

/// Expressions that are made while the program runs, whatever layers they are of.
namespace sigma {

namespace detail {

/// What programs ask of a loss, see LossView, where its type does not matter.
class AnyLoss {
public:
    virtual ~AnyLoss() = default;
    virtual const Text& kind() const = 0;
    virtual Shape target(const Shape& output) const = 0;
    virtual Tensor predict(Tensor z) const = 0;
    virtual Tensor value(Tensor z, Tensor y) const = 0;
    virtual bool says_right() const = 0;
    virtual Tensor right(Tensor z, Tensor y) const = 0;
    virtual Ignored ignored() const = 0;
    virtual Tensor answers(Tensor z, Tensor y) const = 0;
    virtual Tensor examine(Context& context, Tensor z, Tensor y) const = 0;
    virtual bool is_total() const = 0;
    virtual void describe(CostRecord& of, const Shape& output) const = 0;
};
/// Who is shown the losses of an expression, one after the other.
class LossVisitor {
public:
    virtual void visit(const AnyLoss& loss) = 0;

protected:
    ~LossVisitor() = default;
};
/// A part of an expression where its type does not matter.
class AnyPart {
public:
    virtual ~AnyPart() = default;
    virtual void trace(Context& context, Flow& x) const = 0;
    virtual void show_losses(LossVisitor& to) const = 0;
};

// Bodies stand outside of their classes, so that those of the library's layers are compiled in the library alone, see
// library_layers.hpp.
template <class L>
class LossOf final : public AnyLoss {
public:
    explicit LossOf(const LossView<L>& of) : of_(of) {}
    const Text& kind() const override;
    Shape target(const Shape& output) const override;
    Tensor predict(Tensor z) const override;
    Tensor value(Tensor z, Tensor y) const override;
    bool says_right() const override;
    Tensor right(Tensor z, Tensor y) const override;
    Ignored ignored() const override;
    Tensor answers(Tensor z, Tensor y) const override;
    Tensor examine(Context& context, Tensor z, Tensor y) const override;
    bool is_total() const override;
    void describe(CostRecord& of, const Shape& output) const override;

private:
    LossView<L> of_;
};
template <class L>
const Text& LossOf<L>::kind() const {
    return of_.kind();
}
template <class L>
Shape LossOf<L>::target(const Shape& output) const {
    return of_.target(output);
}
template <class L>
Tensor LossOf<L>::predict(Tensor z) const {
    return of_.predict(z);
}
template <class L>
Tensor LossOf<L>::value(Tensor z, Tensor y) const {
    return of_.value(z, y);
}
template <class L>
bool LossOf<L>::says_right() const {
    return of_.says_right();
}
template <class L>
Tensor LossOf<L>::right(Tensor z, Tensor y) const {
    if constexpr (LossView<L>::has_accuracy || L::classifies) return of_.right(z, y);
    else return z;
}
template <class L>
Ignored LossOf<L>::ignored() const {
    return of_.ignored();
}
template <class L>
Tensor LossOf<L>::answers(Tensor z, Tensor y) const {
    return of_.answers(z, y);
}
template <class L>
Tensor LossOf<L>::examine(Context& context, Tensor z, Tensor y) const {
    return of_.examine(context, z, y);
}
template <class L>
bool LossOf<L>::is_total() const {
    return of_.is_total();
}
template <class L>
void LossOf<L>::describe(CostRecord& of, const Shape& output) const {
    of_.describe(of, output);
}

/// Shows a loss, of a type that is known or not.
template <class L>
void show(const LossView<L>& loss, LossVisitor& to) {
    to.visit(LossOf<L>(loss));
}
inline void show(const AnyLoss& loss, LossVisitor& to) { to.visit(loss); }

template <class L>
class PartOf final : public AnyPart {
public:
    explicit PartOf(const L& part) : part_(part) {}
    void trace(Context& context, Flow& x) const override;
    void show_losses(LossVisitor& to) const override;

private:
    L part_;
};
template <class L>
void PartOf<L>::trace(Context& context, Flow& x) const {
    detail::trace(part_, context, x);
}
template <class L>
void PartOf<L>::show_losses(LossVisitor& to) const {
    each_loss(part_, [&](const auto& loss) { show(loss, to); });
}
template <class L>
SharedOwner<const AnyPart> kept_part(const L& one) {
    return SharedOwner<PartOf<L>>::make(one);
}

}  // namespace detail

/// layers.add(Dense(8)), layers.push_back(Dense(8))
struct write_layers_plus_equals_the_layer;
template <class Write>
struct error_Layers_grow_by_plus_equals;

/// Layers behind each other, which may be put together while the program runs:
///
///   Layers layers;
///   layers += Input(columns);
///   for (const int width : widths) layers += Dense(width, relu);
///   layers += Dense(classes) + SoftmaxCE();
///   auto net = network(layers);
///
/// `Layers{Dense(8, relu), Dense(4, relu)}` holds these from the start. It is a layer itself: it may stand in any
/// expression, be repeated, named, be a branch. Copies share their layers, which do not change.
class Layers : public Layer, public detail::Several {
public:
    Layers() = default;
    template <detail::Operand L>
        requires(!std::is_same_v<L, Layers>)
    Layers(const L& expression) {
        *this += expression;
    }
    template <detail::Operand... L>
        requires(sizeof...(L) > 1 && (AnyLayer<L> || ...))
    Layers(const L&... expressions) {
        ((*this += expressions), ...);
    }

    template <detail::Operand L>
    Layers& operator+=(const L& expression) {
        if constexpr (!AnyLayer<L>) append(detail::Lambda<L>(expression));
        else append(expression);
        return *this;
    }
    template <detail::Operand L>
    error_Layers_grow_by_plus_equals<write_layers_plus_equals_the_layer> add(const L&);
    template <detail::Operand L>
    error_Layers_grow_by_plus_equals<write_layers_plus_equals_the_layer> push_back(const L&);
    bool empty() const { return parts_.empty(); }
    /// The same where sizes have these values.
    Layers with_sizes(std::vector<detail::SizeValue> values) const;

    /// With NoLoss at the end where no loss is.
    Layers complete() const;

    void trace(Context& context, detail::Flow& x) const;
    /// f of each loss, in the order in which the walk meets them.
    template <class F>
    void each_loss(F f) const {
        struct Visitor final : detail::LossVisitor {
            F& show_to;
            explicit Visitor(F& to) : show_to(to) {}
            void visit(const detail::AnyLoss& one) override { show_to(one); }
        } visitor(f);
        show_losses(visitor);
    }

private:
    detail::List<detail::SharedOwner<const detail::AnyPart>> parts_;
    detail::SharedOwner<const std::vector<detail::SizeValue>> sizes_;

    void show_losses(detail::LossVisitor& to) const;
    void append(const Layers& others);
    template <class... L>
    void append(const detail::Sequence<L...>& sequence) {
        sequence.parts.each([&](const auto& part) { append(part); });
    }
    template <class L>
        requires(!std::is_same_v<L, Layers>)
    void append(const detail::Repeat<L>& repeat) {
        add_part(detail::Repeat<Layers>(repeat.times, repeat.layer));
    }
    template <class L>
    void append(const L& one) {
        add_part(one);
    }
    template <class L>
    void add_part(const L& one) {
        parts_.push(detail::kept_part(one));
    }
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/layers.ipp>
#endif
