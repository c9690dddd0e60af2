// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/accelerator.hpp>

#include <memory>
#include <optional>

namespace sigma::detail {

/// The same work, asked for again and again: as it is the first time, captured the second, replayed from then on.
class RepeatedWork {
public:
    /// What `work` asks for has changed where `version` has.
    template <class Work>
    void run(Accelerator& device, std::uint64_t version, const Work& work) {
        if (version_ != version) {
            version_ = version;
            replay_ = nullptr;
            return work();
        }
        if (!replay_) replay_ = device.capture(work);
        replay_->run();
    }

private:
    std::optional<std::uint64_t> version_{};
    std::unique_ptr<Replay> replay_;
};

}  // namespace sigma::detail
