// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Actions that write and read checkpoints: `save`, `save_best`, `restore`, `restore_parameters`. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/hook/action.hpp>
#include <sigma/hook/file_name.hpp>
#include <sigma/hook/hook.hpp>
#include <sigma/network/parameter_choice.hpp>

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
/// Makes an action that saves to a file of the trainer's name.
ActionHandle make_save();
/// Returns the same action, which keeps the last n of the files that it has written.
ActionHandle keep_last(const ActionHandle& save, Integer n);

}  // namespace detail

/// The action of `save(file)`: writes a checkpoint after all hooks of the moment.
///
/// A run that is resumed from the file continues bit-identical. In the background the checkpoint is that of the moment
/// at which the hook fired. If writing fails, an existing file of the name stays.
///
/// @tparam Reads  the values in the name of the file
///
/// @par Background
/// Can run in the background.
///
/// @par Workers
/// Cannot be used in `in_each_worker`, because a checkpoint contains all workers.
///
/// @see save
template <class Reads>
class SaveFile : public detail::MadeAction<Reads> {
public:
    /// @cond internal
    static constexpr Needs needs = Needs::checkpoint;
    static constexpr bool in_worker = false;

    using detail::MadeAction<Reads>::MadeAction;
    /// @endcond
    /// Constructs the action.
    /// @param name  name of the file
    explicit SaveFile(FileName<Reads> name) : SaveFile(detail::make_save(std::move(name.parts), 0)) {}

    /// Returns the same action, which keeps only the last n of the files that it has written.
    ///
    /// Files from before the run was resumed count, too. An old file is deleted after the new one is written. In the
    /// background the file that a run was resumed from is not deleted.
    /// @param n  number of files to keep, 1 or more
    /// @return the action, for `then`
    /// @throws ArgumentError  if n is less than 1
    ///
    /// @par Example
    /// @code
    /// trainer.add(every(1, epoch).then(save(file("run-", epoch, ".sigma")).keep_last(3)));
    /// @endcode
    SaveFile keep_last(detail::Integer n) const { return SaveFile(detail::keep_last(this->node, n)); }
};

/// The type of `save`, an action by itself: `then(save)` writes to a file of the trainer's name, such as
/// "digits.sigma".
///
/// @see save
struct SaveWord : Action<SaveWord> {
    /// @cond internal
    static constexpr Needs needs = Needs::checkpoint;
    static constexpr bool in_worker = false;
    /// @endcond

    /// Returns an action that writes a checkpoint to a file.
    /// @param name  `file(…)` of texts and values; its folder must exist
    /// @return the action, for `then`
    ///
    /// @par Example
    /// @code
    /// trainer.add(every(1, epoch).then(save(file("digits-", epoch, ".sigma"))));
    /// @endcode
    template <class Reads>
    auto operator()(FileName<Reads> name) const {
        return SaveFile<Reads>(std::move(name));
    }
    /// Returns an action that writes a checkpoint to a file.
    /// @param name  name of the file; its folder must exist
    /// @return the action, for `then`
    /// @throws ArgumentError  if the name is empty
    auto operator()(std::string name) const {
        if (name.empty()) throw ArgumentError("save", "the name of a file", "an empty text");
        return (*this)(file(std::move(name)));
    }
    /// Returns an action that writes a checkpoint to `data::file("best.sigma")`, for programs that use both namespaces.
    /// @param name  name of the file
    /// @return the action, for `then`
    template <class File>
        requires std::derived_from<File, data::File>
    auto operator()(const File& name) const {
        return (*this)(name.fixed());
    }

    /// @cond internal
    static detail::ActionHandle made() { return detail::make_save(); }
    /// @endcond
};
inline namespace hook_words {
/// An action that writes a checkpoint after all hooks of the moment: `save`, `save("best.sigma")`, `save(file("run-",
/// epoch, ".sigma"))`.
///
/// Without a name the file has that of the trainer, "digits.sigma". `add` throws ArgumentError if that contains a `/`.
/// A run that is resumed from the file continues bit-identical. In the background the checkpoint is that of the moment
/// at which the hook fired.
///
/// @par Background
/// Can run in the background.
///
/// @par Workers
/// Cannot be used in `in_each_worker`, because a checkpoint contains all workers.
///
/// @par Example
/// @code
/// trainer.add(every(10, epoch).then(save), when(error.improves()).then(save("best.sigma")));
/// @endcode
///
/// @see save_best, file, restore
inline constexpr SaveWord save{};
}  // namespace hook_words

/// Returns a hook that writes a checkpoint each time a value improves: `when(value.improves()).then(save(name))`.
/// @param value  value that should improve, such as `accuracy`
/// @param name   name of the file, as a text or `file(…)`
/// @return the hook, for `Trainer::add`
///
/// @par Background
/// Can run in the background: append `.in_background()`.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(score(testing)), save_best(accuracy, "best.sigma"));
/// @endcode
///
/// @see save, early_stop
template <AnyValue V, class Name>
auto save_best(V value, Name name) {
    return value.improves().then(save(std::move(name)));
}

/// The action of `restore` and `restore_parameters`.
///
/// @par Background
/// Cannot run in the background, because it changes the network that is trained.
///
/// @par Workers
/// Cannot be used in `in_each_worker`, because a checkpoint contains all workers.
///
/// @see restore, restore_parameters
struct RestoreFile : detail::MadeAction<> {
    /// @cond internal
    static constexpr bool in_background = false, in_worker = false;
    using MadeAction::MadeAction;
    /// @endcond
};

/// Returns an action that restores everything from a checkpoint, including the counts, after all hooks of the moment.
///
/// Use it at the end of a run. Within a run it would lead to the same moment and the same restoration again.
/// @param file  name of the checkpoint
/// @return the action, for `then`
/// @throws ArgumentError  if the name is empty
///
/// @par Background
/// Cannot run in the background, because it changes the network that is trained.
///
/// @par Example
/// @code
/// trainer.add(when(error.improves()).then(save("best.sigma")), at(stop).then(restore("best.sigma")));
/// @endcode
RestoreFile restore(std::string file);
/// Returns an action that restores the parameters from a checkpoint. Everything else, such as the counts and the
/// optimizer's state, stays.
/// @param file     name of the checkpoint
/// @param choice   a pattern of names, in which `*` stands for any characters, or a function (default: all)
/// @return the action, for `then`
/// @throws ArgumentError  if the name is empty
///
/// @par Background
/// Cannot run in the background, because it changes the network that is trained.
///
/// @par Example
/// @code
/// trainer.add(when(loss.exceeds(100)).then(restore_parameters("best.sigma", "1-*")));
/// @endcode
RestoreFile restore_parameters(std::string file, ParameterChoice choice = "*");

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/save.ipp>
#endif
