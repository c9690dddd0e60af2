// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>
#include <sigma/core/error.hpp>

namespace sigma {

/// What a checkpoint gives back.
enum class Restoring {
    everything,  ///< the run as it was: parameters, states, counts, position, hooks
    parameters,  ///< parameters alone; the run goes on from here with them
};

/// Reads a checkpoint when all hooks of the moment are through.
template <Restoring what>
class RestoreFile : public Action<RestoreFile<what>> {
public:
    static constexpr bool in_background = false;

    explicit RestoreFile(std::string file, std::string pattern) : file_(std::move(file)), pattern_(std::move(pattern)) {
        if (file_.empty()) throw ArgumentError(word, "the name of a file", "none");
    }
    void run(auto& context) const {
        auto& trainer = context.trainer();
        if constexpr (what == Restoring::everything) {
            trainer.load_after_hooks(file_);
        } else {
            context.afterwards([&trainer, file = file_, pattern = pattern_] {
                trainer.load_parameters(file, pattern);
                trainer.parameters_changed();
            });
        }
    }
    std::string text() const {
        return sentence(word, "(\"", file_, pattern_ == "*" ? "" : sentence("\", \"", pattern_), "\")");
    }

private:
    static constexpr const char* word = what == Restoring::everything ? "restore" : "restore_parameters";
    std::string file_, pattern_;
};

/// Everything is again as it was when the file was written, also the count of epochs: where nothing else differs, a run
/// that goes on comes to the same place again. At the end of a run: at(stop).then(restore("best.sigma")).
inline auto restore(std::string file) { return RestoreFile<Restoring::everything>(std::move(file), "*"); }
/// The parameters whose names match are again what they were; all else goes on.
inline auto restore_parameters(std::string file, std::string pattern = "*") {
    return RestoreFile<Restoring::parameters>(std::move(file), std::move(pattern));
}

}  // namespace sigma
