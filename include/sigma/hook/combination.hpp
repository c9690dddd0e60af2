// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/criterion.hpp>

#include <utility>

namespace sigma {

namespace detail {

/// A criterion on another one.
template <class Self, AnyCriterion C>
class OfOne : public Criterion<Self> {
public:
    using Reads = typename C::Reads;
    static constexpr MomentSet moments = C::moments;
    static constexpr bool timed = C::timed;
    void visit_values(auto f) { inner_.visit_values(f); }
    void visit_values(auto f) const { inner_.visit_values(f); }

protected:
    constexpr explicit OfOne(C inner) : inner_(inner) {}
    C inner_;
};

/// A criterion on two others, both of which are checked always.
template <class Self, AnyCriterion A, AnyCriterion B>
class OfTwo : public Criterion<Self> {
public:
    using Reads = JoinedTypes<typename A::Reads, typename B::Reads>;
    static constexpr MomentSet moments = A::moments | B::moments;
    static constexpr bool timed = false;

    template <class Context>
    Truth check(Context& context) {
        const Truth a = a_.check(context), b = b_.check(context);
        return Self::join(a, b);
    }
    void restart(const MomentCounts& counts) { a_.restart(counts), b_.restart(counts); }
    void archive(Archive& archive) { a_.archive(archive), b_.archive(archive); }
    void visit_values(auto f) { a_.visit_values(f), b_.visit_values(f); }
    void visit_values(auto f) const { a_.visit_values(f), b_.visit_values(f); }
    std::string text() const { return sentence("(", a_.text(), Self::sign, b_.text(), ")"); }

protected:
    constexpr OfTwo(A a, B b) : a_(a), b_(b) {}
    A a_;
    B b_;
};

/// Counts the fresh checks in which C holds.
template <class Self, AnyCriterion C>
class Counted : public OfOne<Self, C> {
public:
    template <class Context>
    Truth check(Context& context) {
        const Truth t = this->inner_.check(context);
        if (!t.fresh) return {};
        count_ = t.level ? count_ + 1 : Self::after_a_miss(count_);
        const bool enough = count_ >= wanted_;
        if (enough) count_ = 0;
        return {enough, enough, true};
    }
    static bool held() { return false; }
    void restart(const MomentCounts& counts) { count_ = 0, this->inner_.restart(counts); }
    void archive(Archive& a) { a(count_), this->inner_.archive(a); }
    std::string text() const { return sentence(this->inner_.text(), Self::word, wanted_, ")"); }

protected:
    constexpr Counted(C inner, std::uint64_t wanted) : OfOne<Self, C>(inner), wanted_(wanted) {}

private:
    std::uint64_t wanted_, count_ = 0;
};

}  // namespace detail

template <AnyCriterion C>
class InARowOf : public detail::Counted<InARowOf<C>, C> {
public:
    static constexpr const char* word = ".in_a_row(";
    constexpr InARowOf(C inner, std::uint64_t n) : detail::Counted<InARowOf, C>(inner, n) {}
    static std::uint64_t after_a_miss(std::uint64_t) { return 0; }
};

template <AnyCriterion C>
class TimesOf : public detail::Counted<TimesOf<C>, C> {
public:
    static constexpr const char* word = ".times(";
    constexpr TimesOf(C inner, std::uint64_t n) : detail::Counted<TimesOf, C>(inner, n) {}
    static std::uint64_t after_a_miss(std::uint64_t count) { return count; }
};

template <AnyCriterion C>
class ContinuouslyOf : public detail::OfOne<ContinuouslyOf<C>, C> {
public:
    constexpr explicit ContinuouslyOf(C inner) : detail::OfOne<ContinuouslyOf, C>(inner) {}
    template <class Context>
    Truth check(Context& context) {
        Truth t = this->inner_.check(context);
        t.event = t.level && t.fresh;
        return t;
    }
    bool held() const { return this->inner_.held(); }
    void restart(const MomentCounts& counts) { this->inner_.restart(counts); }
    void archive(Archive& a) { this->inner_.archive(a); }
    std::string text() const { return sentence(this->inner_.text(), ".continuously()"); }
};

/// Level: C was looked at and does not hold. Event: that has become so.
template <AnyCriterion C>
class NotOf : public detail::OfOne<NotOf<C>, C> {
public:
    constexpr explicit NotOf(C inner) : detail::OfOne<NotOf, C>(inner) {}
    template <class Context>
    Truth check(Context& context) {
        const Truth t = this->inner_.check(context);
        if (!t.fresh) return {held_, false, false};
        const bool before = std::exchange(held_, !t.level);
        return {held_, held_ && !before, true};
    }
    bool held() const { return held_; }
    void restart(const MomentCounts& counts) { held_ = false, this->inner_.restart(counts); }
    void archive(Archive& a) { a(held_), this->inner_.archive(a); }
    std::string text() const { return sentence("!", this->inner_.text()); }

private:
    bool held_ = false;
};

/// Holds while both hold; new when one of them is new while both hold.
template <AnyCriterion A, AnyCriterion B>
class AndOf : public detail::OfTwo<AndOf<A, B>, A, B> {
public:
    static constexpr const char* sign = " && ";
    constexpr AndOf(A a, B b) : detail::OfTwo<AndOf, A, B>(a, b) {}
    static Truth join(Truth a, Truth b) {
        const bool both = a.level && b.level;
        return {both, both && (a.event || b.event), a.fresh || b.fresh};
    }
    bool held() const { return this->a_.held() && this->b_.held(); }
};

/// Holds while one holds; new when one of them is.
template <AnyCriterion A, AnyCriterion B>
class OrOf : public detail::OfTwo<OrOf<A, B>, A, B> {
public:
    static constexpr const char* sign = " || ";
    constexpr OrOf(A a, B b) : detail::OfTwo<OrOf, A, B>(a, b) {}
    static Truth join(Truth a, Truth b) { return {a.level || b.level, a.event || b.event, a.fresh || b.fresh}; }
    bool held() const { return this->a_.held() || this->b_.held(); }
};

template <AnyCriterion A, AnyCriterion B>
constexpr auto operator&&(A a, B b) {
    return AndOf<A, B>(a, b);
}
template <AnyCriterion A, AnyCriterion B>
constexpr auto operator||(A a, B b) {
    return OrOf<A, B>(a, b);
}
template <AnyCriterion C>
constexpr auto operator!(C c) {
    return NotOf<C>(c);
}

}  // namespace sigma
