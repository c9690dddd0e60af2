// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Expressions that a program builds at run time: Layers. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/list.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/network/grammar.hpp>

#include <vector>

namespace sigma {

namespace detail {

/// The interface of a loss without its type, see LossView.
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
/// A visitor of the losses of an expression.
class LossVisitor {
public:
    virtual void visit(const AnyLoss& loss) = 0;

protected:
    ~LossVisitor() = default;
};
/// The interface of a part of an expression without its type.
class AnyPart {
public:
    virtual ~AnyPart() = default;
    virtual void trace(Context& context, Flow& x) const = 0;
    virtual void show_losses(LossVisitor& to) const = 0;
};

// The members are defined outside of their classes, so that those of the library's layers are compiled only in the
// library, see library_layers.hpp.
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

/// Passes a loss to a visitor.
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

/// Names the remedy: write `layers += Dense(8)`.
struct use_layers_plus_equals_the_layer;
/// Names the mistake of `layers.add(Dense(8))` and `layers.push_back(Dense(8))`.
template <class Write>
struct error_Layers_grow_by_plus_equals;

/// A sequence of layers that a program builds at run time.
///
/// `Layers` is itself a layer: it may be part of an expression, be repeated or named, or be a branch. Copies share
/// their layers, which do not change.
///
/// @par Example
/// @code
/// Layers layers;
/// layers += Input(28, 28);
/// for (const int width : {128, 64}) layers += Dense(width, relu);
/// layers += Dense(10) + SoftmaxCE();
/// auto net = network(layers);
/// @endcode
///
/// @see DynamicNetwork, network, load_layers
class Layers : public Layer, public detail::Several {
public:
    /// Constructs an empty sequence.
    Layers() = default;
    /// Constructs a sequence from an expression.
    /// @param expression  a layer, a function of tensors, or an expression
    template <detail::Operand L>
        requires(!std::is_same_v<L, Layers>)
    Layers(const L& expression) {
        *this += expression;
    }
    /// Constructs a sequence from a list: `Layers{Dense(8, relu), Dense(4, relu)}`.
    /// @param expressions  layers, functions of tensors, or expressions
    template <detail::Operand... L>
        requires(sizeof...(L) > 1 && (AnyLayer<L> || ...))
    Layers(const L&... expressions) {
        ((*this += expressions), ...);
    }

    /// Appends a layer or an expression.
    /// @param expression  a layer, a function of tensors, or an expression
    /// @return this object
    template <detail::Operand L>
    Layers& operator+=(const L& expression) {
        if constexpr (!AnyLayer<L>) append(detail::Lambda<L>(expression));
        else append(expression);
        return *this;
    }
    /// @cond internal
    template <detail::Operand L>
    error_Layers_grow_by_plus_equals<use_layers_plus_equals_the_layer> add(const L&);
    template <detail::Operand L>
    error_Layers_grow_by_plus_equals<use_layers_plus_equals_the_layer> push_back(const L&);
    /// @endcond
    /// Returns whether the sequence has no layers.
    /// @return true if it is empty
    bool empty() const { return parts_.empty(); }
    /// @cond internal
    /// Returns these layers with values for named sizes.
    Layers with_sizes(std::vector<detail::SizeValue> values) const;

    /// Returns these layers, with NoLoss at the end if they have no loss.
    Layers complete() const;

    void trace(Context& context, detail::Flow& x) const;
    /// Calls f for each loss, in the order in which a trace reaches them.
    template <class F>
    void each_loss(F f) const {
        struct Visitor final : detail::LossVisitor {
            F& show_to;
            explicit Visitor(F& to) : show_to(to) {}
            void visit(const detail::AnyLoss& one) override { show_to(one); }
        } visitor(f);
        show_losses(visitor);
    }
    /// @endcond

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
