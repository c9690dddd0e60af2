// SPDX-License-Identifier: BSL-1.0
#include "url_support.hpp"

#include <atomic>
#include <string>

using namespace sigma;
using namespace sigma::data;
using namespace sources_test;

TEST_CASE("A status that is an error is one, at once or after retries") {
    const Workplace place;
    int last = 0;
    HttpServer server([&](const auto& request, const Client& client) {
        if (request.path == "/later") client.reply(request.number == last ? "200 OK" : "500 Oops", "", "body");
        else client.reply(request.path.substr(1), "", "<html>not what you wanted</html>");
    });
    const DownloadError none = failure(url(server.address("/404"), place.options()));
    CHECK(none.what() == sentence("address '", server.address("/404"), "': expected status 200, found 404"));
    CHECK(none.status == 404);
    CHECK(none.address == server.address("/404"));
    CHECK(server.requests().size() == 1);
    for (const char* status : {"204", "206", "300", "400", "403", "410", "501"})
        CHECK(failure(url(server.address(sentence('/', status)), place.options())).status == std::stol(status));
    CHECK(server.requests().size() == 8);
    CHECK_THAT(failure(url(server.address("/503"), place.options())).what(),
               Catch::EndsWith("expected status 200, found 503, at the last of 3 attempts"));
    CHECK(server.requests().size() == 11);
    last = 13;
    CHECK(text_of(url(server.address("/later"), place.options())) == "body");
    CHECK(server.requests().size() == 13);
    CHECK(place.cache.files().size() == 1);
}

TEST_CASE("A server that wants to be left alone for a while is") {
    const Workplace place;
    HttpServer server([&](const auto& request, const Client& client) {
        if (request.number == 1) client.reply("429 Too Many Requests", "Retry-After: 1\r\n", "");
        else client.reply("200 OK", "", "abc");
    });
    const auto begun = std::chrono::steady_clock::now();
    CHECK(text_of(url(server.address(), place.options())) == "abc");
    CHECK(std::chrono::steady_clock::now() - begun >= 1s);
}

TEST_CASE("Redirects are followed so far") {
    const Workplace place;
    HttpServer server([&](const auto& request, const Client& client) {
        const std::string& path = request.path;
        const auto to = [&](const std::string& where) {
            client.reply("302 Found", "Location: " + where + "\r\n", "elsewhere");
        };
        if (path == "/there") client.reply("200 OK", "", "abc");
        else if (path == "/loop") to("/loop");
        else if (path == "/file") to("file:///etc/passwd");
        else if (path == "/ftp") to("ftp://127.0.0.1/");
        else if (path == "/nowhere") client.reply("302 Found", "", "elsewhere");
        else to("/there");
    });
    CHECK(text_of(url(server.address("/here"), place.options())) == "abc");
    CHECK(place.cache.files().size() == 1);
    UrlOptions three = place.options();
    three.redirects = 3;
    CHECK_THAT(failure(url(server.address("/loop"), three)).what(),
               Catch::EndsWith("expected at most 3 redirects, found more"));
    CHECK(server.requests().size() == 2 + 4);
    for (const std::string path : {"/file", "/ftp"})
        CHECK_THAT(failure(url(server.address(path), place.options())).what(),
                   Catch::Contains("expected redirects to http and https only"));
    CHECK(failure(url(server.address("/nowhere"), place.options())).status == 302);
    CHECK(place.cache.files().size() == 1);
}

TEST_CASE("A transfer that stalls, before or in the reply, is given up") {
    const Workplace place;
    HttpServer server([&](const auto& request, const Client& client) {
        if (request.path == "/in") client.send(head(whole.size()) + whole.substr(0, 5000));
        client.wait(5s);
    });
    UrlOptions options = place.options();
    options.retries = 0;
    const auto begun = std::chrono::steady_clock::now();
    CHECK_THAT(failure(url(server.address("/in"), options)).what(),
               Catch::Contains("expected at least 16 bytes a second, found 0 bytes in 0.1"));
    CHECK_THAT(failure(url(server.address("/before"), options)).what(),
               Catch::Contains("expected at least 16 bytes a second"));
    CHECK(std::chrono::steady_clock::now() - begun < 2s);
    CHECK(place.cache.files().empty());
}

TEST_CASE("A slow transfer comes to its end, a very slow one to its limits") {
    const Workplace place;
    HttpServer server([&](const auto&, const Client& client) {
        client.send(head(30));
        for (int i = 0; i < 30 && client.wait(15ms); ++i) client.send("x");
    });
    CHECK(text_of(url(server.address(), place.options())) == std::string(30, 'x'));
    UrlOptions options = place.options();
    options.total_timeout = 100ms;
    CHECK_THAT(failure(url(server.address("/total"), options)).what(),
               Catch::Contains("expected all bytes within 100 ms, found "));
    options = place.options();
    options.retries = 0;
    options.slowest = 1000;
    CHECK_THAT(failure(url(server.address("/slow"), options)).what(),
               Catch::Contains("expected at least 1000 bytes a second"));
}

TEST_CASE("Nobody answers") {
    const Workplace place;
    std::string address;
    {
        HttpServer server([](const auto&, const auto&) {});
        CHECK_THAT(failure(url(server.address(), place.options())).what(),
                   Catch::Contains("expected a reply, found '"));
        CHECK(server.requests().size() == 3);
        address = server.address();
    }
    const DownloadError refused = failure(url(address, place.options()));
    CHECK_THAT(refused.what(), Catch::Contains("expected a connection, found '"));
    CHECK(refused.status == 0);
}

TEST_CASE("Replies that are none") {
    const Workplace place;
    HttpServer server([](const auto& request, const Client& client) {
        if (request.path == "/garbage")
            return client.send(
                "\x7f"
                "ELF garbage\r\n\r\n");
        if (request.path == "/length") return client.send("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nabc");
        client.send("HTTP/1.1 200 OK\r\n");
        for (int i = 0; i < 3000; ++i) client.send("X-Filler: " + std::string(1000, 'x') + "\r\n");
    });
    CHECK_THROWS_AS(url(server.address("/garbage"), place.options()).open(), DownloadError);
    CHECK_THROWS_AS(url(server.address("/length"), place.options()).open(), DownloadError);
    CHECK_THROWS_AS(url(server.address("/headers"), place.options()).open(), DownloadError);
    CHECK(place.cache.files().empty());
}

TEST_CASE("A reply that ends too soon is none") {
    const Workplace place;
    HttpServer server([&](const auto& request, const Client& client) {
        if (request.path == "/chunks") client.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc");
        else client.send(head(whole.size() + 1) + whole);
    });
    CHECK_THAT(failure(url(server.address(), place.options())).what(),
               Catch::Contains("expected the whole file") && Catch::Contains("1 bytes remaining"));
    CHECK_THROWS_AS(url(server.address("/chunks"), place.options()).open(), DownloadError);
    CHECK(server.requests().size() == 6);
    CHECK(place.cache.files().empty());
}

TEST_CASE("A length that is too small: the digest tells") {
    const Workplace place;
    HttpServer server([&](const auto&, const Client& client) { client.send(head(1000) + whole); });
    CHECK_THAT(failure(url(server.address(), place.options(sha256(whole)))).what(), Catch::EndsWith("of 1000 bytes"));
    CHECK(place.cache.files().empty());
}

TEST_CASE("More bytes than allowed are refused") {
    const Workplace place;
    std::atomic<std::size_t> sent{0};
    HttpServer server([&](const auto& request, const Client& client) {
        if (request.path == "/declared") return client.send(head(std::size_t{1} << 50));
        client.send("HTTP/1.1 200 OK\r\n\r\n");
        for (; sent < 100'000'000 && client.wait(1ms); sent += whole.size()) client.send(whole);
    });
    UrlOptions options = place.options();
    options.limit = 1'000'000;
    CHECK_THAT(failure(url(server.address("/endless"), options)).what(),
               Catch::EndsWith("expected at most 1000000 bytes, found more"));
    CHECK(sent < 50'000'000);
    CHECK_THAT(failure(url(server.address("/declared"), options)).what(),
               Catch::EndsWith("expected at most 1000000 bytes, found 1125899906842624"));
    CHECK(server.requests().size() == 2);
    CHECK(place.cache.files().empty());
}

TEST_CASE("The limit itself is allowed") {
    const Workplace place;
    HttpServer server([&](const auto&, const Client& client) { client.reply("200 OK", "", whole); });
    UrlOptions options = place.options();
    options.limit = whole.size();
    CHECK(text_of(url(server.address(), options)) == whole);
    --options.limit;
    CHECK_THROWS_AS(url(server.address("/2"), options).open(), DownloadError);
}

TEST_CASE("Other bytes than the digest says leave no file") {
    const Workplace place;
    HttpServer server([&](const auto&, const Client& client) {
        client.reply("200 OK", "Content-Type: text/html\r\n", "<html>Sign in to the network</html>");
    });
    const DownloadError wrong = failure(url(server.address("/a.gz"), place.options(sha256(whole))));
    CHECK(wrong.expected == "bytes with the SHA-256 digest " + sha256(whole));
    CHECK(wrong.found == sentence(sha256("<html>Sign in to the network</html>"), ", of 35 bytes of text/html"));
    CHECK(server.requests().size() == 1);
    CHECK(place.cache.files().empty());
}

TEST_CASE("A cached file is verified, and downloaded anew where it was changed") {
    const Workplace place;
    HttpServer server([&](const auto&, const Client& client) { client.reply("200 OK", "", whole); });
    const Source source = url(server.address(), place.options(sha256(whole)));
    CHECK(text_of(source) == whole);
    place.cache.write(place.cache.files()[0], "damaged");
    CHECK(text_of(source) == whole);
    place.cache.write(place.cache.files()[0], "damaged");
    CHECK(text_of(url(server.address(), place.options(sha256(whole)))) == whole);
    CHECK(server.requests().size() == 3);
    CHECK(place.cache.files().size() == 1);
}

TEST_CASE("A cache directory that cannot be written says so") {
    const Scratch directory;
    UrlOptions options;
    options.cache = directory.write("file", "") + "/cache";
    CHECK(error_text<StorageError>([&] { url("http://127.0.0.1:1/", options).open(); }) ==
          sentence("file '", options.cache, "': cannot create the cache directory: Not a directory"));
}
