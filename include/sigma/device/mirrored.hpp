// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/accelerator.hpp>
#include <sigma/device/cpu/arena.hpp>

#include <span>
#include <utility>
#include <vector>

namespace sigma {

/// Tensors one after the other in the host's memory and, while an accelerator works on them, in its memory too. Of each
/// tensor it is known which side is newer, so that only what is read or written moves.
template <class T>
class Mirrored {
public:
    /// Tensor i begins at offsets[i] elements; the last number is the size of all.
    explicit Mirrored(std::vector<std::size_t> offsets) : offsets_(std::move(offsets)), host_(offsets_.back()), newer_(offsets_.size() - 1) {}
    Mirrored(const Mirrored&) = delete;
    Mirrored& operator=(const Mirrored&) = delete;

    int count() const { return static_cast<int>(newer_.size()); }
    std::size_t size() const { return host_.size(); }
    std::size_t size(int i) const { return offsets_[at(i) + 1] - offsets_[at(i)]; }

    // ---- the host's side ----

    /// Where the host's memory of a tensor is, whatever is in it.
    T* place(int i) const { return host_.data() + offsets_[at(i)]; }
    /// The same with the newest values.
    const T* read(int i) const {
        fetch(i);
        return place(i);
    }
    std::span<const T> read_all() const {
        fetch_all();
        return {host_.data(), host_.size()};
    }
    /// The same, to be changed before anything else happens to the tensor.
    T* write(int i) {
        fetch(i);
        if (active_) newer_[at(i)] = Side::host;
        return place(i);
    }
    std::span<T> write_all() {
        fetch_all();
        if (active_) std::ranges::fill(newer_, Side::host);
        return {host_.data(), host_.size()};
    }

    // ---- the accelerator's side ----

    /// Who works on the tensors now, if not the processor.
    const std::shared_ptr<Accelerator>& accelerator() const { return active_ ? device_ : none_; }
    /// From now on it is this one. All tensors are the host's until `upload`. Throws DeviceMemoryError.
    void attach(const std::shared_ptr<Accelerator>& device, const std::string& what) {
        if (device_ != device) {
            memory_ = DeviceMemory(device, size() * sizeof(T), what);
            device_ = device;
        }
        std::ranges::fill(newer_, Side::host);
        active_ = true;
    }
    /// The processor works on them again, with the newest values. Throws DeviceError.
    void detach() {
        if (active_) fetch_all();
        active_ = false;
    }
    /// The same with what the host has, after the accelerator has failed.
    void abandon() noexcept {
        active_ = false;
        memory_ = {};
        device_ = nullptr;
    }
    T* on_device(int i) const { return memory_.template as<T>() + offsets_[at(i)]; }
    /// Brings over what the host has changed.
    void upload() {
        for (int i = 0; i < count();) {
            const int first = i;
            while (i < count() && newer_[at(i)] == Side::host) newer_[at(i++)] = Side::none;
            if (i > first) device_->upload(on_device(first), place(first), (offsets_[at(i)] - offsets_[at(first)]) * sizeof(T));
            else ++i;
        }
    }
    /// The accelerator has changed it.
    void written(int i) { newer_[at(i)] = Side::device; }

private:
    enum class Side : std::uint8_t { none, host, device };
    std::vector<std::size_t> offsets_;
    simd::Arena<T> host_;
    mutable std::vector<Side> newer_;
    std::shared_ptr<Accelerator> device_;
    DeviceMemory memory_;
    bool active_ = false;
    inline static const std::shared_ptr<Accelerator> none_{};

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    void fetch(int i) const {
        if (!active_ || newer_[at(i)] != Side::device) return;
        device_->download(place(i), on_device(i), size(i) * sizeof(T));
        newer_[at(i)] = Side::none;
    }
    /// Tensors that lie side by side come together.
    void fetch_all() const {
        if (!active_) return;
        for (int i = 0; i < count();) {
            const int first = i;
            while (i < count() && newer_[at(i)] == Side::device) ++i;
            if (i == first) {
                ++i;
                continue;
            }
            device_->download(place(first), on_device(first), (offsets_[at(i)] - offsets_[at(first)]) * sizeof(T));
            std::fill(newer_.begin() + first, newer_.begin() + i, Side::none);
        }
    }
};

}  // namespace sigma
