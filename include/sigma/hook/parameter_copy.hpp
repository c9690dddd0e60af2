// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/archive.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/parameter_rows.hpp>

#include <cstring>

namespace sigma::detail {

/// The bits of all parameters of a model, without what lies between their rows, so that a checkpoint of it can be read
/// where vectors have another width. Allocates when it is first taken.
class ParameterCopy {
public:
    bool empty() const { return bytes_.empty(); }
    void clear() { bytes_.clear(); }

    template <class N, class T>
    void take(const Model<N, T>& model) {
        bytes_.resize(bytes_of<Model<N, T>, T>());
        for_each_row(model, [this](std::span<const T> row, std::size_t at) { std::memcpy(&bytes_[at], row.data(), row.size_bytes()); });
    }
    /// Throws MismatchError when it was taken from another network.
    template <class N, class T>
    void put(Model<N, T>& model) const {
        if (bytes_.size() != bytes_of<Model<N, T>, T>())
            throw MismatchError("copy of parameters", sentence(bytes_of<Model<N, T>, T>(), " bytes"),
                                sentence(bytes_.size()));
        model.write([&] {
            for_each_row(model, [this](std::span<T> row, std::size_t at) {
                std::memcpy(row.data(), &bytes_[at], row.size_bytes());
            });
        });
    }
    void archive(Archive& a) { a.tensor(bytes_); }

private:
    std::vector<std::byte> bytes_;

    template <class M, class T>
    static constexpr std::size_t bytes_of() {
        return static_cast<std::size_t>(M::parameter_elements()) * sizeof(T);
    }
    template <class M, class F>
    static void for_each_row(M& model, F f) {
        std::size_t at = 0;
        for (int p = 0; p < M::parameter_count; ++p) {
            const auto rows = parameter_rows(model, p);
            for (std::size_t r = 0; r < rows.count; ++r, at += rows.columns * sizeof(typename M::Element)) f(rows[r], at);
        }
    }
};

}  // namespace sigma::detail
