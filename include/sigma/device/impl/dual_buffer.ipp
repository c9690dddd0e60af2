// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/dual_buffer.hpp>

#include <algorithm>
#include <utility>

namespace sigma::detail {

template <class T>
DualBuffer<T>::DualBuffer(std::vector<std::size_t> offsets)
    : offsets_(std::move(offsets)), host_(offsets_.back(), "parameters, or states of an optimizer"),
      newer_(offsets_.size() - 1) {}
template <class T>
DualBuffer<T>::~DualBuffer() = default;

template <class T>
std::span<const T> DualBuffer<T>::read_all() const {
    fetch_all();
    return {host_.data(), host_.size()};
}

template <class T>
std::span<T> DualBuffer<T>::write_all() {
    fetch_all();
    if (active_) std::ranges::fill(newer_, Side::host);
    return {host_.data(), host_.size()};
}

template <class T>
void DualBuffer<T>::attach(const detail::SharedOwner<ComputeDevice>& device, const std::string& what) {
    detach();
    group_ = nullptr;
    if (!device->shares_host_memory()) make_copies({&device, 1}, what);
}

template <class T>
void DualBuffer<T>::attach(const detail::SharedOwner<ComputeGroup>& group, const std::string& what) {
    detach();
    group_ = group;
    make_copies(group->members(), what);
}

template <class T>
void DualBuffer<T>::attach(BufferSource& source) {
    detach();
    group_ = nullptr;
    source_ = &source;
    std::ranges::fill(newer_, Side::host);
    active_ = true;
}

template <class T>
void DualBuffer<T>::detach() {
    if (active_) fetch_all();
    active_ = false;
    source_ = nullptr;
}

template <class T>
void DualBuffer<T>::drop_device_copies() noexcept {
    active_ = false;
    source_ = nullptr;
    copies_.clear();
    group_ = nullptr;
}

template <class T>
void DualBuffer<T>::upload() {
    for (int i = 0; group_ && i < count(); ++i)
        if (newer_[at(i)] == Side::first) fetch(i);
    for (int i = 0; i < count();) {
        const int first = i;
        while (i < count() && newer_[at(i)] == Side::host) newer_[at(i++)] = Side::none;
        if (i == first) {
            ++i;
            continue;
        }
        if (source_ != nullptr) {
            source_->upload(first, i);
            continue;
        }
        for (std::size_t c = 0; c < copies_.size(); ++c)
            device_of(c)->upload(on_device(first, c), place(first),
                                 (offsets_[at(i)] - offsets_[at(first)]) * sizeof(T));
    }
}

template <class T>
void DualBuffer<T>::wait_for_group() const {
    if (active_ && group_) group_->synchronize();
}

template <class T>
void DualBuffer<T>::make_copies(std::span<const detail::SharedOwner<ComputeDevice>> devices, const std::string& what) {
    const auto has = [](const DeviceMemory& copy, const detail::SharedOwner<ComputeDevice>& device) {
        return copy.device() == device;
    };
    if (!std::ranges::equal(copies_, devices, has)) {
        copies_.clear();
        for (const auto& device : devices) copies_.emplace_back(device, size() * sizeof(T), what);
    }
    std::ranges::fill(newer_, Side::host);
    active_ = true;
}

template <class T>
void DualBuffer<T>::download(int first, int end) const {
    wait_for_group();
    if (source_ != nullptr) source_->download(first, end);
    else device_of(0)->download(place(first), on_device(first), (offsets_[at(end)] - offsets_[at(first)]) * sizeof(T));
    // Values that only the first member has changed are now also the host's, which sends them to the other members.
    for (int i = first; i < end; ++i) newer_[at(i)] = newer_[at(i)] == Side::first ? Side::host : Side::none;
}

template <class T>
void DualBuffer<T>::fetch_all() const {
    if (!active_) return;
    for (int i = 0; i < count();) {
        const int first = i;
        while (i < count() && is_there(i)) ++i;
        if (i > first) download(first, i);
        else ++i;
    }
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::DualBuffer);
