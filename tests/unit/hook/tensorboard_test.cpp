// SPDX-License-Identifier: BSL-1.0
// Event files, read back by a reader of this test's own: checksums bit by bit, messages field by field.
#include "support/reported_trainer.hpp"

#include <sigma/hook/compute.hpp>
#include <sigma/hook/report.hpp>
#include <sigma/hook/tensorboard.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>

#include <bit>
#include <cmath>
#include <map>

using namespace sigma;
using test::ReportedTrainer;

namespace {

/// Division of polynomials, a bit at a time.
std::uint32_t castagnoli(std::string_view bytes) {
    std::uint32_t rest = 0xffffffff;
    for (const char c : bytes) {
        rest ^= static_cast<unsigned char>(c);
        for (int i = 0; i < 8; ++i) rest = (rest & 1) != 0 ? (rest >> 1) ^ 0x82f63b78 : rest >> 1;
    }
    return rest ^ 0xffffffff;
}

struct Reader {
    std::string_view bytes;

    std::uint64_t fixed(std::size_t size) {
        REQUIRE(bytes.size() >= size);
        std::uint64_t x = 0;
        for (std::size_t i = size; i-- > 0;) x = x << 8 | static_cast<unsigned char>(bytes[i]);
        bytes.remove_prefix(size);
        return x;
    }
    std::uint64_t varint() {
        std::uint64_t x = 0;
        for (int shift = 0;; shift += 7) {
            const std::uint64_t byte = fixed(1);
            x |= (byte & 0x7f) << shift;
            if (byte < 0x80) return x;
        }
    }
    std::string_view text(std::size_t size) {
        REQUIRE(bytes.size() >= size);
        const std::string_view found = bytes.substr(0, size);
        bytes.remove_prefix(size);
        return found;
    }
    std::string_view record() {
        const std::string_view length = bytes.substr(0, 8);
        const auto size = static_cast<std::size_t>(fixed(8));
        examine(length);
        const std::string_view data = text(size);
        examine(data);
        return data;
    }
    void examine(std::string_view of) {
        const std::uint32_t crc = castagnoli(of);
        CHECK(static_cast<std::uint32_t>(fixed(4)) ==
              static_cast<std::uint32_t>((crc >> 15 | crc << 17) + 0xa282ead8u));
    }
};

struct Event {
    double time = 0;
    std::uint64_t step = 0;
    std::string version;
    std::map<std::string, float> scalars;
};

Event event_of(std::string_view data) {
    Event event;
    for (Reader all{data}; !all.bytes.empty();) switch (all.varint()) {
            case 1 << 3 | 1: event.time = std::bit_cast<double>(all.fixed(8)); break;
            case 2 << 3: event.step = all.varint(); break;
            case 3 << 3 | 2: event.version = all.text(all.varint()); break;
            case 5 << 3 | 2:
                for (Reader summary{all.text(all.varint())}; !summary.bytes.empty();) {
                    REQUIRE(summary.varint() == (1 << 3 | 2));
                    Reader value{summary.text(summary.varint())};
                    REQUIRE(value.varint() == (1 << 3 | 2));
                    const std::string tag(value.text(value.varint()));
                    REQUIRE(value.varint() == (2 << 3 | 5));
                    event.scalars[tag] = std::bit_cast<float>(static_cast<std::uint32_t>(value.fixed(4)));
                    CHECK(value.bytes.empty());
                }
                break;
            default: FAIL("a field that no event has");
        }
    return event;
}

std::vector<Event> events_of(const std::string& bytes) {
    std::vector<Event> events;
    for (Reader file{bytes}; !file.bytes.empty();) events.push_back(event_of(file.record()));
    return events;
}

}  // namespace

TEST_CASE("Reports to a folder are what TensorBoard reads") {
    const Scratch folder;
    ReportedTrainer trainer;
    trainer.add(every(1, epoch).then(compute<"gap">(error, [](double e) { return e > 0.5 ? NAN : 2 * e; }),
                                     report("a text", epoch, error, value<"gap">).to(tensorboard(folder / "runs/a"))));
    trainer.counts_now[Moment::iteration] = 300;
    for (const double e : {0.75, 0.125}) {
        trainer.error_now = e;
        trainer.happen(Moment::epoch);
        trainer.counts_now[Moment::iteration] += 300;
        REQUIRE(folder.files().size() == 1);
        CHECK(events_of(file_text(folder / folder.files()[0])).size() ==
              1 + trainer.counts_now[Moment::epoch]);  // at once
    }
    CHECK(trainer.lines.empty());
    CHECK(folder.files()[0].starts_with("runs/a/events.out.tfevents."));
    const auto events = events_of(file_text(folder / folder.files()[0]));
    CHECK(events[0].version == "brain.Event:2");
    CHECK(events[1].step == 300);
    CHECK(events[1].scalars == std::map<std::string, float>{{"epoch", 1.0f}, {"error", 0.75f}});
    CHECK(events[2].step == 600);
    CHECK(events[2].scalars == std::map<std::string, float>{{"epoch", 2.0f}, {"error", 0.125f}, {"gap", 0.25f}});
    CHECK(events[2].time >= events[1].time);
    CHECK(events[1].time > 1.7e9);
    CHECK(trainer.group().text().find("report(\"a text\", epoch, error, gap).to(tensorboard(\"") != std::string::npos);

    trainer.group().restart();
    trainer.happen(Moment::epoch);
    CHECK(folder.files().size() == 2);
}

TEST_CASE("Reports to a folder that cannot be say so") {
    const Scratch folder;
    const std::string taken = folder.write("file", std::string("no folder"));
    ReportedTrainer trainer;
    trainer.add(every(1, epoch).then(report(error).to(tensorboard(taken + "/runs"))));
    CHECK_THROWS_WITH(trainer.happen(Moment::epoch),
                      Catch::Contains("expected a file that can be written, found Not a directory"));
}
