// SPDX-License-Identifier: BSL-1.0
#include "url_support.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

using namespace sigma;
using namespace sigma::data;
using namespace sources_test;

TEST_CASE("A broken download goes on where it ended") {
    const Workplace place;
    HttpServer server([&](const auto& request, const Client& client) {
        const std::size_t offset = offset_of(request);
        if (request.number == 1) return client.send(head(whole.size(), "ETag: \"v1\"\r\n") + whole.substr(0, 60'000));
        reply_part(client, whole, offset, "\"v1\"", std::to_string(whole.size()));
    });
    CHECK(text_of(url(server.address(), place.options())) == whole);
    const auto requests = server.requests();
    REQUIRE(requests.size() == 2);
    CHECK(requests[1].headers.at("range") == "bytes=60000-");
    CHECK(requests[1].headers.at("if-range") == "\"v1\"");
    CHECK(place.cache.files().size() == 1);
}

TEST_CASE("A part that ends before the file does is asked for further") {
    const Workplace place;
    HttpServer server([&](const auto& request, const Client& client) {
        const std::size_t offset = offset_of(request);
        if (request.number == 1) return client.send(head(whole.size(), "ETag: \"v1\"\r\n") + whole.substr(0, 60'000));
        const std::string most = whole.substr(0, std::min(whole.size(), offset + 25'000));
        reply_part(client, most, offset, "\"v1\"", std::to_string(whole.size()));
    });
    CHECK(text_of(url(server.address(), place.options())) == whole);
    REQUIRE(server.requests().size() == 3);
    CHECK(server.requests()[2].headers.at("range") == "bytes=85000-");
}

TEST_CASE("A server without ranges gives everything once more") {
    const Workplace place;
    HttpServer server([&](const auto& request, const Client& client) {
        if (request.number == 1)
            client.send(head(whole.size(), "Last-Modified: Sat, 01 Jan 2022 00:00:00 GMT\r\n") +
                        whole.substr(0, 60'000));
        else client.reply("200 OK", "", whole);
    });
    CHECK(text_of(url(server.address(), place.options())) == whole);
    CHECK(server.requests()[1].headers.at("if-range") == "Sat, 01 Jan 2022 00:00:00 GMT");
}

TEST_CASE("Without a tag or a date nothing is put together") {
    const Workplace place;
    HttpServer server([&](const auto& request, const Client& client) {
        if (request.number == 1) client.send(head(whole.size(), "ETag: W/\"v1\"\r\n") + whole.substr(0, 60'000));
        else client.reply("200 OK", "", whole);
    });
    CHECK(text_of(url(server.address(), place.options())) == whole);
    CHECK(server.requests()[1].headers.count("range") == 0);
}

TEST_CASE("A file that has changed between two attempts is not put together") {
    const Workplace place;
    const std::string changed = "changed" + whole;
    // The first server looks at If-Range, the second one does not, the third one sends another part than asked for.
    for (const int kind : {1, 2, 3}) {
        HttpServer server([&](const auto& request, const Client& client) {
            if (request.number == 1)
                return client.send(head(whole.size(), "ETag: \"v1\"\r\n") + whole.substr(0, 60'000));
            if (request.number > 2 || kind == 1) return client.reply("200 OK", "ETag: \"v2\"\r\n", changed);
            reply_part(client, changed, offset_of(request) + (kind == 3), kind == 3 ? "\"v1\"" : "\"v2\"");
        });
        CHECK(text_of(url(server.address(), place.options())) == changed);
        CHECK(server.requests().size() == (kind == 1 ? 2 : 3));
    }
}

TEST_CASE("What was put together and has the wrong digest is downloaded whole") {
    const Workplace place;
    HttpServer server([&](const auto& request, const Client& client) {
        if (request.number == 1) return client.send(head(whole.size(), "ETag: \"v1\"\r\n") + std::string(60'000, '?'));
        if (request.number == 2) return reply_part(client, whole, offset_of(request), "\"v1\"");
        client.reply("200 OK", "", whole);
    });
    CHECK(text_of(url(server.address(), place.options(sha256(whole)))) == whole);
    CHECK(server.requests().size() == 3);
}

TEST_CASE("With a digest, what an earlier process has left is used") {
    const Workplace place;
    HttpServer server([&](const auto& request, const Client& client) {
        const std::size_t offset = offset_of(request);
        if (request.number == 1) return client.send(head(whole.size()) + whole.substr(0, 60'000));
        if (offset >= whole.size()) return client.reply("416 Range Not Satisfiable", "", "");
        if (offset > 0) return reply_part(client, whole, offset, "\"v1\"");
        client.reply("200 OK", "", whole);
    });
    UrlOptions once = place.options(sha256(whole));
    once.retries = 0;
    CHECK_THROWS_AS(url(server.address(), once).open(), DownloadError);
    const auto files = place.cache.files();
    REQUIRE(files.size() == 1);
    CHECK_THAT(files[0], Catch::EndsWith("-data.bin.part"));
    CHECK(text_of(url(server.address(), once)) == whole);
    CHECK(server.requests()[1].headers.at("range") == "bytes=60000-");
    CHECK(place.cache.files().size() == 1);

    const std::string name = files[0].substr(0, files[0].size() - 5);
    SECTION("all of it: nothing is asked for") {
        std::filesystem::rename(place.cache / name, place.cache / files[0]);
        CHECK(text_of(url(server.address(), once)) == whole);
        CHECK(server.requests().size() == 2);
    }
    SECTION("more than all of it, or something else: it is asked for as a whole") {
        std::filesystem::remove(place.cache / name);
        place.cache.write(files[0], whole + "more");
        CHECK(text_of(url(server.address(), place.options(sha256(whole)))) == whole);
        std::filesystem::remove(place.cache / name);
        place.cache.write(files[0], "something else");
        CHECK(text_of(url(server.address(), place.options(sha256(whole)))) == whole);
        CHECK(server.requests().size() == 6);
    }
    SECTION("without a digest, it is not used") {
        std::filesystem::remove(place.cache / name);
        place.cache.write(files[0], "something else");
        CHECK(text_of(url(server.address(), place.options())) == whole);
        CHECK(server.requests()[2].headers.count("range") == 0);
    }
}
