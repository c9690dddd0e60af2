// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>
#include <sigma/hook/file_name.hpp>
#include <sigma/hook/hook.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sigma {

namespace data {
class File;
}

namespace detail {

ActionHandle make_save(std::vector<TextOrValue> name, std::uint64_t kept);
/// To a file of the trainer's name.
ActionHandle make_save();
/// Of the files that an action has written only the last n stay.
ActionHandle keep_last(const ActionHandle& save, Integer n);

}  // namespace detail

/// Writes a checkpoint when all hooks of the moment are through, so that a resumed run goes on exactly where it was
/// written; in the background, of the moment in which the hook fired. A failure leaves the file that was there.
template <class Reads>
class SaveFile : public detail::MadeAction<Reads> {
public:
    static constexpr Needs needs = Needs::checkpoint;
    static constexpr bool in_worker = false;

    using detail::MadeAction<Reads>::MadeAction;
    explicit SaveFile(FileName<Reads> name) : SaveFile(detail::make_save(std::move(name.parts), 0)) {}

    /// Of the files that this action has written, also before the run was resumed, only the last n stay. Older ones are
    /// deleted after the new one is safely written.
    SaveFile keep_last(detail::Integer n) const { return SaveFile(detail::keep_last(this->node, n)); }
};

/// save("best.sigma"); save(file("digits-", epoch, ".sigma")).keep_last(3)
///
/// As it stands, `then(save)`: to a file of the trainer's name, "digits.sigma".
struct SaveWord : Action<SaveWord> {
    static constexpr Needs needs = Needs::checkpoint;
    static constexpr bool in_worker = false;

    template <class Reads>
    auto operator()(FileName<Reads> name) const {
        return SaveFile<Reads>(std::move(name));
    }
    auto operator()(std::string name) const {
        if (name.empty()) throw ArgumentError("save", "the name of a file", "none");
        return (*this)(file(std::move(name)));
    }
    /// Of data::file("best.sigma"), which is meant where both namespaces are in use.
    template <class File>
        requires std::derived_from<File, data::File>
    auto operator()(const File& name) const {
        return (*this)(name.fixed());
    }

    static detail::ActionHandle made() { return detail::make_save(); }
};
inline namespace hook_words {
inline constexpr SaveWord save{};
}

/// save_best(accuracy, "best.sigma"): when(accuracy.improves()).then(save("best.sigma"))
template <AnyValue V, class Name>
auto save_best(V v, Name name) {
    return v.improves().then(save(std::move(name)));
}

/// Reads a checkpoint when all hooks of the moment are through.
struct RestoreFile : detail::MadeAction<> {
    static constexpr bool in_background = false, in_worker = false;
    using MadeAction::MadeAction;
};

/// Everything is again as it was when the file was written, also the count of epochs: where nothing else differs, a run
/// that goes on comes to the same place again. At the end of a run: at(stop).then(restore("best.sigma")).
RestoreFile restore(std::string file);
/// The parameters whose names match are again what they were; all else goes on.
RestoreFile restore_parameters(std::string file, std::string pattern = "*");

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/save.ipp>
#endif
