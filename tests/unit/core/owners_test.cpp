// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/owners.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <thread>
#include <utility>
#include <vector>

using sigma::detail::make_owned;
using sigma::detail::Owned;
using sigma::detail::SharedOwner;

namespace {

/// Counts the existing objects.
struct Base {
    static inline int alive = 0;
    int number;
    explicit Base(int n) : number(n) { ++alive; }
    Base(const Base&) = delete;
    virtual ~Base() { --alive; }
};
struct Derived final : Base {
    using Base::Base;
};

}  // namespace

TEST_CASE("What is owned goes with its owner, once") {
    {
        Owned<Base> a = make_owned<Derived>(1);
        Owned<Base> b = std::move(a);
        CHECK(a == nullptr);
        CHECK(b->number == 1);
        b = make_owned<Base>(2);
        CHECK(Base::alive == 1);
        CHECK((*b).number == 2);
        Owned<Base> from_std = std::make_unique<Derived>(3);
        CHECK(Base::alive == 2);
        delete from_std.release();
        CHECK(!from_std);
        b.reset();
        CHECK(Base::alive == 0);
        b = nullptr;
    }
    CHECK(Base::alive == 0);
}

TEST_CASE("What is shared goes with the last of its owners") {
    {
        SharedOwner<const Base> a = SharedOwner<Derived>::make(1);
        CHECK(a.alone());
        SharedOwner<const Base> b = a;
        CHECK(a == b);
        CHECK(!a.alone());
        a = nullptr;
        CHECK(b.alone());
        CHECK(b->number == 1);
        const SharedOwner<const Base> moved = std::move(b);
        CHECK(b == nullptr);
        CHECK(Base::alive == 1);
        const SharedOwner<Base> self = SharedOwner<Base>::make(2);
        SharedOwner<Base> other = self;
        other = std::as_const(other);
        CHECK(other->number == 2);
    }
    CHECK(Base::alive == 0);
}

TEST_CASE("Who has a part owns the whole") {
    {
        struct Whole {
            Base first{1}, second{2};
        };
        SharedOwner<Whole> whole = SharedOwner<Whole>::make();
        const SharedOwner<const Base> part(whole, &whole->second);
        whole = nullptr;
        CHECK(Base::alive == 2);
        CHECK(part->number == 2);
        CHECK(part.alone());
        Base outside(3);
        const SharedOwner<Base> owns_nothing(nullptr, &outside);
        const SharedOwner<Base> neither = owns_nothing;
        CHECK(neither->number == 3);
    }
    CHECK(Base::alive == 0);
}

TEST_CASE("Owners of the standard library are kept") {
    {
        const auto standard = std::make_shared<Derived>(1);
        const SharedOwner<Base> a = standard;
        CHECK(a.get() == standard.get());
        CHECK(standard.use_count() == 2);
        const SharedOwner<Base> b = std::make_unique<Derived>(2);
        CHECK(b->number == 2);
        CHECK(SharedOwner<Base>(std::shared_ptr<Base>()) == nullptr);
    }
    CHECK(Base::alive == 0);
}

TEST_CASE("Owners may be copied and dropped by many threads") {
    {
        const SharedOwner<Base> one = SharedOwner<Base>::make(7);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([mine = one] {
                for (int i = 0; i < 1000; ++i) {
                    const SharedOwner<Base> copy = mine;
                    if (copy->number != 7) return;
                }
            });
        for (std::thread& t : threads) t.join();
        threads.clear();
        CHECK(one.alone());
    }
    CHECK(Base::alive == 0);
}
