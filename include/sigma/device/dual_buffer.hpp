// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/arena.hpp>
#include <sigma/device/compute_group.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sigma::detail {

/// Which copy of a tensor has been changed since they were the same; first: that copy of several alone.
enum class BufferSide : std::uint8_t { none, host, device, first };

/// Who has newer values of tensors than the host, and gets those that the host has changed, where that is no device.
class BufferSource {
public:
    /// Puts those of tensors first … end - 1 into the host's memory.
    virtual void bring(int first, int end) = 0;
    virtual void give(int first, int end) = 0;

protected:
    ~BufferSource() = default;
};

/// Tensors one after the other in the host's memory and, while an accelerator works on them, in its memory too. Of each
/// tensor it is known which side is newer, so that only what is read or written moves.
template <class T>
class DualBuffer {
public:
    /// Tensor i begins at offsets[i] elements; the last number is the size of all.
    explicit DualBuffer(std::vector<std::size_t> offsets);
    ~DualBuffer();
    DualBuffer(const DualBuffer&) = delete;
    DualBuffer& operator=(const DualBuffer&) = delete;

    int count() const { return static_cast<int>(newer_.size()); }
    std::size_t size() const { return host_.size(); }
    /// Elements before tensor i.
    std::size_t offset(int i) const { return offsets_[at(i)]; }
    std::size_t size(int i) const { return offsets_[at(i) + 1] - offsets_[at(i)]; }

    // ---- the host's side ----

    /// Where the host's memory of a tensor is, whatever is in it.
    T* place(int i) const { return host_.data() + offsets_[at(i)]; }
    /// The same with the newest values.
    const T* read(int i) const {
        fetch(i);
        return place(i);
    }
    std::span<const T> read_all() const;
    /// The same, to be changed before anything else happens to the tensor.
    T* write(int i) {
        fetch(i);
        if (active_) newer_[at(i)] = Side::host;
        return place(i);
    }
    std::span<T> write_all();

    // ---- the accelerators' side ----

    /// Who works on the tensors now, if not the processor; of a group its first member.
    const detail::SharedOwner<ComputeDevice>& compute_device() const {
        return active_ && source_ == nullptr ? copies_[0].device() : none_;
    }
    /// From now on it is this one. All tensors are the host's until `upload`, and stay so where it works in the host's
    /// memory. Throws DeviceMemoryError.
    void attach(const detail::SharedOwner<ComputeDevice>& device, const std::string& what);
    /// The same for all members of a group, each of which has all tensors.
    void attach(const detail::SharedOwner<ComputeGroup>& group, const std::string& what);
    /// The same with what is no device: the processor works on what it brings.
    void attach(BufferSource& source);
    /// Does anybody else work on them?
    bool is_elsewhere() const { return active_; }
    /// Before the processor works on the host's memory, where a source has newer values.
    void bring() const {
        if (source_ != nullptr) fetch_all();
    }
    /// The processor works on them again, with the newest values. Throws DeviceError.
    void detach();
    /// The same with what the host has, after the accelerator has failed.
    void drop_device_copies() noexcept;
    /// One for each accelerator that works on the tensors.
    std::size_t copies() const { return copies_.size(); }
    const detail::SharedOwner<ComputeDevice>& device_of(std::size_t copy) const { return copies_[copy].device(); }
    T* on_device(int i, std::size_t copy = 0) const { return copies_[copy].template as<T>() + offsets_[at(i)]; }
    /// Brings over what the host has changed, and to the others of a group what the first has changed by itself.
    void upload();
    /// The accelerator has changed it; of a group the first member alone.
    void mark_written(int i) { newer_[at(i)] = group_ ? Side::first : Side::device; }
    /// All members of a group have changed it in the same way.
    void mark_written_by_all(int i) {
        if (active_) newer_[at(i)] = Side::device;
    }
    /// To be called before anything waits for the first member of a group: see ComputeGroup::synchronize.
    void wait_for_group() const;

private:
    using Side = BufferSide;
    std::vector<std::size_t> offsets_;
    Arena<T> host_;
    mutable std::vector<Side> newer_;
    std::vector<DeviceMemory> copies_;
    detail::SharedOwner<ComputeGroup> group_;
    BufferSource* source_ = nullptr;
    bool active_ = false;
    inline static const detail::SharedOwner<ComputeDevice> none_{};

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    bool is_there(int i) const { return newer_[at(i)] == Side::device || newer_[at(i)] == Side::first; }
    void make_copies(std::span<const detail::SharedOwner<ComputeDevice>> devices, const std::string& what);
    void download(int first, int end) const;
    void fetch(int i) const {
        if (active_ && is_there(i)) download(i, i + 1);
    }
    /// Tensors that lie side by side come together.
    void fetch_all() const;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/dual_buffer.ipp>
#endif
