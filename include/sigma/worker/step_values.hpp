// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/shared_owner.hpp>
#include <sigma/device/accelerator.hpp>

#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace sigma::detail {

/// What a step on an accelerator reads beside records and parameters: counters and scalars. What is there already is
/// not sent again, since counters count on by themselves.
template <class T>
class StepValues {
public:
    StepValues(SharedOwner<Accelerator> device, int scalars)
        : device_(std::move(device)), scalars_(apart * static_cast<std::size_t>(scalars), T(0)),
          scalars_there_(device_, scalars_.size() * sizeof(T) + 1, "hyper-parameters"),
          counters_there_(device_, sizeof(StepCounters), "counters") {}

    T* scalar(int i) const { return scalars_there_.template as<T>() + apart * static_cast<std::size_t>(i); }
    StepCounters* counters() const { return counters_there_.as<StepCounters>(); }
    /// Where the next step would begin.
    std::uint64_t first() const { return are_.first; }

    void send(const StepCounters& now, std::span<const T> scalars) {
        bool changed = !sent_;
        for (std::size_t i = 0; i < scalars.size(); ++i) {
            changed |= std::memcmp(&scalars_[apart * i], &scalars[i], sizeof(T)) != 0;
            scalars_[apart * i] = scalars[i];
        }
        if (changed && !scalars_.empty())
            device_->upload(scalars_there_.data(), scalars_.data(), scalars_.size() * sizeof(T));
        sent_ = true;
        if (now.seed != are_.seed || now.step != are_.step || now.first != are_.first)
            device_->upload(counters_there_.data(), &now, sizeof now);
        are_ = now;
    }
    /// A step on so many records was asked for, which moves the counters there.
    void count(std::ptrdiff_t records) {
        ++are_.step;
        are_.first += static_cast<std::uint64_t>(records);
    }

private:
    static constexpr std::size_t apart = 64 / sizeof(T);  ///< scalars lie on cache lines of their own
    SharedOwner<Accelerator> device_;
    std::vector<T> scalars_;
    DeviceMemory scalars_there_, counters_there_;
    StepCounters are_{~std::uint64_t{0}, 0, 0};
    bool sent_ = false;
};

}  // namespace sigma::detail
