// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include <unistd.h>

namespace sigma::test {

/// What stderr gets while this lives.
class CapturedStderr {
public:
    CapturedStderr() {
        std::fflush(stderr);
        ::dup2(::fileno(file_.get()), 2);
    }
    ~CapturedStderr() {
        std::fflush(stderr);
        ::dup2(before_, 2);
        ::close(before_);
    }
    CapturedStderr(const CapturedStderr&) = delete;
    CapturedStderr& operator=(const CapturedStderr&) = delete;

    std::string text() const {
        std::fflush(stderr);
        std::string all;
        std::array<char, 4096> part{};
        for (;;) {
            const auto count =
                ::pread(::fileno(file_.get()), part.data(), part.size(), static_cast<::off_t>(all.size()));
            if (count <= 0) return all;
            all.append(part.data(), static_cast<std::size_t>(count));
        }
    }

private:
    int before_ = ::dup(2);
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{std::tmpfile(), &std::fclose};
};

}  // namespace sigma::test
