// SPDX-License-Identifier: BSL-1.0
#include "../source/url_support.hpp"
#include "../support.hpp"

#include <sigma/data/ready/published.hpp>

#include <catch2/catch.hpp>

using namespace sigma;
using namespace sources_test;
using data::published;
using data::PublishedFile;

namespace {

/// Nothing of the user's environment, and a cache of its own.
struct Away {
    Workplace place;
    Scratch scratch;
    Environment cache{"SIGMA_CACHE", place.cache.path.c_str()}, sets{"SIGMA_DATA", nullptr};
};

const std::string content = "five,lines\n";

}  // namespace

TEST_CASE("A published file is taken from the directory given, from SIGMA_DATA, or from a mirror, in this order") {
    const Away away;
    HttpServer server([](const auto&, const Client& client) { client.reply("200 OK", "", content); });
    const PublishedFile file{"flowers", "flowers.csv", data::sha256(content), {server.address("/flowers.csv")}};
    std::filesystem::create_directories(away.scratch.path / "flowers");

    CHECK(text_of(published(file)) == content);
    CHECK(text_of(published(file)) == content);
    CHECK(server.requests().size() == 1);  // then the cache has it

    away.scratch.write("flowers/flowers.csv", std::string("of SIGMA_DATA"));
    const Environment sets("SIGMA_DATA", away.scratch.path.c_str());
    CHECK(text_of(published(file)) == "of SIGMA_DATA");
    const Scratch other;
    other.write("flowers.csv", std::string("of the directory"));
    CHECK(text_of(published(file, other.path.string())) == "of the directory");
    CHECK(text_of(published(file, away.scratch.path.string())) == "of SIGMA_DATA");
    CHECK(server.requests().size() == 1);

    const Scratch empty;
    const DataError none = data_error([&] { published(file, empty.path.string()); });  // no silent substitute
    CHECK(none.file == "flowers.csv");
    CHECK(none.expected.find(empty.path.string()) != std::string::npos);
    CHECK(none.found == "no file");
}

TEST_CASE("Mirrors that do not have a published file, or have another one, are passed over") {
    const Away away;
    HttpServer server([](const auto& request, const Client& client) {
        if (request.path == "/gone") client.reply("404 Not Found", "", "");
        else client.reply("200 OK", "", request.path == "/other" ? "<html>please log in</html>" : content);
    });
    const auto mirrors = [&](std::vector<std::string> paths) {
        PublishedFile file{"flowers", "flowers.csv", data::sha256(content), {}};
        for (const std::string& path : paths) file.addresses.push_back(server.address(path));
        return published(file);
    };
    const data::Source all = mirrors({"/gone", "/other", "/right"});
    CHECK(text_of(all) == content);
    CHECK(all.key() == "sha256:" + data::sha256(content));
    REQUIRE(all.path());
    CHECK(data::read_text(all) == content);

    const DataError none = data_error([&] { mirrors({"/gone", "/other"}).open(); });
    CHECK(none.file == "flowers.csv");
    CHECK(none.expected == sentence(data::searched_text("flowers"), ", or in the cache '",
                                    away.place.cache.path.string(), "' or at ", server.address("/gone")));
    CHECK(none.found.find("404") != std::string::npos);
}

TEST_CASE("Switched off, nothing is downloaded and the error says where the file should be") {
    const Away away;
    HttpServer server([](const auto&, const Client& client) { client.reply("200 OK", "", content); });
    const PublishedFile file{"flowers", "flowers.csv", data::sha256(content), {server.address("/flowers.csv")}};
    {
        const Environment off("SIGMA_OFFLINE", "1");
        std::string why;
        CHECK_FALSE(data::is_available(published(file), why));
        CHECK(why == sentence("file 'flowers.csv': expected the file in directory 'flowers' of SIGMA_DATA (which is "
                              "not set), of the share "
                              "directory '",
                              data::share_directory(), "', of 'data' or of '../data', or in the cache '",
                              away.place.cache.path.string(),
                              "', found no file, and downloads are switched off (SIGMA_OFFLINE)"));
        CHECK(server.requests().empty());
    }
    std::string why;
    CHECK(data::is_available(published(file), why));
    const Environment off("SIGMA_OFFLINE", "1");
    CHECK(text_of(published(file)) == content);  // from the cache
}

TEST_CASE("What has no address is only where data is that comes with the library, or where the user says") {
    const Away away;
    const PublishedFile file{"flowers", "flowers.csv", "", {}};
    const Environment sets("SIGMA_DATA", away.scratch.path.c_str());
    const DataError none = data_error([&] { published(file).open(); });
    CHECK(none.expected == sentence("the file in directory 'flowers' of SIGMA_DATA ('", away.scratch.path.string(),
                                    "'), of the share directory '", data::share_directory(),
                                    "', of 'data' or of '../data'"));
    std::filesystem::create_directories(away.scratch.path / "flowers");
    away.scratch.write("flowers/flowers.csv", content);
    CHECK(text_of(published(file)) == content);
    CHECK(text_of(published({"iris", "iris.data", "", {}})).starts_with("5.1,3.5"));
}
