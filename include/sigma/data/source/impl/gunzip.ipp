// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/gunzip.hpp>

#include <algorithm>
#include <new>

namespace sigma::data::detail {

SIGMA_IMPL GunzipStream::GunzipStream(std::unique_ptr<ByteStream> packed, std::string name, std::string_view where)
    : packed_(std::move(packed)), name_(std::move(name)), where_(where) {
    if (inflateInit2(&state_, 15 + 16) != Z_OK) throw std::bad_alloc();
}

SIGMA_IMPL std::size_t GunzipStream::read(std::span<std::byte> to) {
    std::size_t done = 0;
    while (done < to.size() && !finished_) {
        if (state_.avail_in == 0 && !refill()) fail("more gzip data", "the end of the file");
        const std::size_t room = std::min(to.size() - done, std::size_t{1} << 30);
        state_.next_out = reinterpret_cast<Bytef*>(to.data() + done);
        state_.avail_out = static_cast<uInt>(room);
        const int code = inflate(&state_, Z_NO_FLUSH);
        done += room - state_.avail_out;
        if (code == Z_STREAM_END) {
            next_member();
        } else if (code == Z_MEM_ERROR) {
            throw std::bad_alloc();
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            fail("valid gzip data", sentence("'", state_.msg != nullptr ? state_.msg : "an unknown fault", "'"));
        }
    }
    return done;
}

SIGMA_IMPL bool GunzipStream::refill() {
    const std::size_t count = packed_->read(buffer_);
    taken_ += count;
    state_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    state_.avail_in = static_cast<uInt>(count);
    return count > 0;
}

SIGMA_IMPL void GunzipStream::next_member() {
    // Zeros, by which tools fill up blocks, end a file and may stand between members, as for gzip itself.
    do {
        for (; state_.avail_in > 0 && *state_.next_in == 0; --state_.avail_in) ++state_.next_in;
        if (state_.avail_in == 0 && !refill()) {
            finished_ = true;
            return;
        }
    } while (*state_.next_in == 0);
    if (*state_.next_in != 0x1f)
        fail("another gzip member or the end of the file",
             storage::quotation(std::string_view(reinterpret_cast<const char*>(state_.next_in), state_.avail_in)));
    if (inflateReset(&state_) != Z_OK) throw std::bad_alloc();
}

SIGMA_IMPL void GunzipStream::fail(std::string expected, std::string found) const {
    throw DataError(name_, sentence("byte ", taken_ - state_.avail_in, where_), std::move(expected), std::move(found));
}

}  // namespace sigma::data::detail
