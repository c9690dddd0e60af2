// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/owners.hpp>
#pragma once
#include <utility>

namespace sigma::detail {

/// Working memory that many threads borrow: as many pieces as were ever in use at a time, and what has come back is
/// lent before another is made. All are of one type, which only who borrows knows, so that what nobody uses is not
/// compiled.
class Workspaces {
    struct Piece {
        Piece() = default;
        Piece(const Piece&) = delete;
        Piece& operator=(const Piece&) = delete;
        virtual ~Piece() = default;
    };
    template <class E>
    struct Of : Piece {
        E inside;
        template <class From>
        explicit Of(const From& from) : inside(from) {}
    };

public:
    Workspaces();
    Workspaces(const Workspaces&) = delete;
    Workspaces& operator=(const Workspaces&) = delete;
    ~Workspaces();

    /// f(E&) with a piece of its own; `made(E&)` with a new one, E(from), before. Allocates only then.
    template <class E, class From, class Made, class F>
    void with(const From& from, Made made, F f) {
        Owned<Piece> piece = take();
        if (!piece) {
            auto fresh = make_owned<Of<E>>(from);
            made(fresh->inside);
            piece = std::move(fresh);
            make_room();
        }
        E& inside = static_cast<Of<E>*>(piece.get())->inside;
        const Return back{*this, std::move(piece)};
        f(inside);
    }

private:
    struct Kept;
    Kept* const kept_;

    struct Return {
        Workspaces& to;
        Owned<Piece> piece;
        Return(Workspaces& to_, Owned<Piece> piece_) : to(to_), piece(std::move(piece_)) {}
        Return(const Return&) = delete;
        Return& operator=(const Return&) = delete;
        ~Return() { to.give(std::move(piece)); }
    };
    /// Null where another has to be made.
    Owned<Piece> take();
    /// So that no piece that comes back needs memory for that.
    void make_room();
    void give(Owned<Piece> piece) noexcept;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/workspaces.ipp>
#endif
