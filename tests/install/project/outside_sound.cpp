// SPDX-License-Identifier: BSL-1.0
// Decodes a sound of two samples. libsndfile is linked, and its header is not needed with the library.
#ifdef SF_STR_FIRST
#error "the header of libsndfile is included"
#endif
#include <sigma/data/reader/sound.hpp>

#include <string_view>

int main() {
    using namespace std::literals;
    constexpr std::string_view wav =
        "RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\4\0\0\0\0\x40\0\xc0"sv;
    const auto sound = sigma::data::decode_sound(std::as_bytes(std::span(wav)));
    return sound.sample_rate == 8000 && sound.samples == std::vector{0.5f, -0.5f} ? 0 : 1;
}
