// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/accelerator.hpp>

#include <cstring>
#include <vector>

namespace sigma::detail {

/// What steps on an accelerator leave for the host: a tally of losses, then outputs of one number each, in memory there
/// that `begin` names, and what was fetched of it last.
template <class T>
class StepResults {
public:
    static constexpr std::size_t apart = 64 / sizeof(T);  ///< each lies on a cache line of its own
    static_assert(sizeof(LossTally) <= apart * sizeof(T));

    explicit StepResults(std::size_t outputs) : values_(apart * (1 + outputs), T(0)) {}

    std::size_t bytes() const { return values_.size() * sizeof(T); }
    /// Where outputs begin, and where one of them is.
    static T* outputs(void* begin) { return static_cast<T*>(begin) + apart; }
    static T* output(void* begin, int i) { return outputs(begin) + apart * static_cast<std::size_t>(i); }

    /// From now on losses are added to these.
    void set_tally(Accelerator& device, void* begin, const LossTally& tally) {
        std::memcpy(values_.data(), &tally, sizeof tally);
        device.upload(begin, &tally, sizeof tally);
        fresh_ = true;
    }
    /// A step was asked for.
    void outdate() { fresh_ = false; }
    /// Is there anything that `fetch` has not seen?
    bool pending() const { return !fresh_; }
    /// `download(to, bytes)` is called where there is.
    template <class Download>
    LossTally fetch(Download download) {
        if (!fresh_) download(values_.data(), bytes());
        fresh_ = true;
        LossTally tally;
        std::memcpy(static_cast<void*>(&tally), values_.data(), sizeof tally);
        return tally;
    }
    /// An output of the last step before `fetch`.
    T last(int output) const { return values_[apart * (1 + static_cast<std::size_t>(output))]; }

private:
    std::vector<T> values_;
    bool fresh_ = true;
};

}  // namespace sigma::detail
