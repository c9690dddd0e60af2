// SPDX-License-Identifier: BSL-1.0
#include "url_support.hpp"

#include <sigma/data/source/source.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;
using namespace sigma::data;
using namespace sources_test;

TEST_CASE("A download is kept, and asked for once") {
    const Workplace place;
    const std::string text = some_text(300'000);
    HttpServer server([&](const auto&, const Client& client) { client.reply("200 OK", "", text); });
    const Source source = url(server.address("/some%20dir/a.csv?x=1"), place.options());
    CHECK(source.name() == server.address("/some%20dir/a.csv?x=1"));
    CHECK(text_of(source) == text);
    CHECK(text_of(source) == text);
    CHECK(text_of(url(server.address("/some%20dir/a.csv?x=1"), place.options(sha256(text)))) == text);
    const auto requests = server.requests();
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].method == "GET");
    CHECK(requests[0].path == "/some%20dir/a.csv?x=1");
    CHECK(requests[0].headers.at("user-agent") == sentence("sigma/", version()));
    const auto files = place.cache.files();
    REQUIRE(files.size() == 1);
    CHECK(files[0] == sha256(source.name()).substr(0, 16) + "-a.csv");
    CHECK(source.path() == place.cache / files[0]);
    CHECK(text_of(url(server.address("/other"), place.options())) == text);
    CHECK(place.cache.files().size() == 2);
}

TEST_CASE("An empty download is a file") {
    const Workplace place;
    HttpServer server([&](const auto&, const Client& client) { client.reply("200 OK", "", ""); });
    CHECK(text_of(url(server.address(), place.options())).empty());
    CHECK(text_of(url(server.address(), place.options())).empty());
    CHECK(server.requests().size() == 1);
}

TEST_CASE("A body without a length ends with the connection, or comes in chunks") {
    const Workplace place;
    HttpServer server([&](const auto& request, const Client& client) {
        if (request.path == "/closed") client.send("HTTP/1.1 200 OK\r\n\r\nabc");
        else client.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
    });
    CHECK(text_of(url(server.address("/closed"), place.options())) == "abc");
    CHECK(text_of(url(server.address("/chunks"), place.options())) == "abc");
}

TEST_CASE("The keys of downloads") {
    const Workplace place;
    HttpServer server([&](const auto&, const Client& client) { client.reply("200 OK", "", "abc"); });
    const Source known = url(server.address("/a"), place.options(sha256("abc")));
    CHECK(known.key() == sentence("sha256:", sha256("abc")));
    CHECK(server.requests().empty());
    const Source unknown = url(server.address("/b"), place.options());
    const std::string key = unknown.key();
    CHECK(server.requests().size() == 1);
    CHECK(text_of(unknown) == "abc");
    CHECK(unknown.key() == key);
    CHECK(server.requests().size() == 1);
}

TEST_CASE("Whether an address is there is asked without downloading it") {
    const Workplace place;
    HttpServer server([&](const auto& request, const Client& client) {
        if (request.path == "/none") client.reply("404 Not Found", "", "");
        else if (request.path == "/no-head" && request.method == "HEAD") client.reply("405 Method Not Allowed", "", "");
        else if (request.method == "HEAD") client.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n");
        else client.reply("200 OK", "", "abc");
    });
    CHECK(url(server.address("/a"), place.options()).exists());
    CHECK(url(server.address("/no-head"), place.options()).exists());
    CHECK_FALSE(url(server.address("/none"), place.options()).exists());
    CHECK_FALSE(url("http://127.0.0.1:1/a", place.options()).exists());
    CHECK(place.cache.files().empty());
    CHECK(server.requests()[0].method == "HEAD");
    UrlOptions offline = place.options();
    offline.offline = true;
    CHECK_FALSE(url(server.address("/a"), offline).exists());
    text_of(url(server.address("/a"), place.options()));
    CHECK(url(server.address("/a"), offline).exists());
}

TEST_CASE("Addresses of files are read where they are") {
    const Workplace place;
    const Scratch directory;
    const std::string path = directory.write("a b.txt", "abc");
    const Source source = url(sentence("file://", directory / "a%20b.txt"), place.options());
    CHECK(text_of(source) == "abc");
    CHECK(source.path() == path);
    CHECK(place.cache.files().empty());
    const auto wrong = place.options(sha256("abd"));
    CHECK_THROWS_AS(url(sentence("file://", directory / "a%20b.txt"), wrong).open(), DataError);
}

TEST_CASE("Addresses that are none are refused at once") {
    CHECK_THROWS_WITH(url("ftp://example.org/a"),
                      "url 'ftp://example.org/a': expected an address of http, https or file, found one of 'ftp'");
    CHECK_THROWS_AS(url("example.org/a"), ArgumentError);
    CHECK_THROWS_AS(url(""), ArgumentError);
    CHECK_THROWS_AS(url("http://example.org/a\nb"), ArgumentError);
    CHECK_THROWS_AS(url("http://"), ArgumentError);
    CHECK_THROWS_AS(url("file://elsewhere/a"), ArgumentError);
    CHECK_THROWS_AS(url(std::string("http://a\0b", 10)), ArgumentError);
    UrlOptions options;
    options.sha256 = "123";
    CHECK_THROWS_WITH(url("http://example.org/a", options),
                      "sha256 of 'http://example.org/a': expected 64 hexadecimal digits, found '123'");
}

TEST_CASE("Nothing is written outside of the cache directory, whatever the address") {
    const Workplace place;
    const Scratch around;
    UrlOptions options = place.options();
    options.cache = around / "deep/cache";
    HttpServer server([&](const auto&, const Client& client) { client.reply("200 OK", "", "abc"); });
    for (const std::string path : {"/..%2f..%2fa", "/../../../a", "/%2e%2e", "/..", "/", "/a/", "/%00x", "/a.part",
                                   "/.", "/%2Fetc%2Fpasswd", "/a\\..\\b", "/~", "/\xc3\xa4"})
        CHECK(text_of(url(server.address(path), options)) == "abc");
    CHECK(text_of(url(server.address("/" + std::string(5000, 'x')), options)) == "abc");
    const auto files = around.files();
    CHECK(files.size() == 14);
    for (const std::string& name : files) {
        CHECK(name.starts_with("deep/cache/"));
        CHECK(std::count(name.begin(), name.end(), '/') == 2);
        CHECK(name.size() < 140);
        CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/") ==
              name.npos);
    }
}

TEST_CASE("Links in the cache directory are not followed") {
    const Workplace place;
    const Scratch outside;
    const std::string precious = outside.write("precious", "precious");
    HttpServer server([&](const auto&, const Client& client) { client.reply("200 OK", "", "abc"); });
    const std::string name = place.cache / sha256(server.address("/a")).substr(0, 16) + "-a";
    std::filesystem::create_symlink(precious, name + ".part");
    CHECK_THROWS_AS(url(server.address("/a"), place.options()).open(), StorageError);
    std::filesystem::remove(name + ".part");
    std::filesystem::create_hard_link(precious, name + ".part");
    CHECK(text_of(url(server.address("/a"), place.options())) == "abc");
    CHECK(text_of(file(precious)) == "precious");
    std::filesystem::remove(name);
    std::filesystem::create_symlink(precious, name);
    CHECK_THROWS_AS(url(server.address("/a"), place.options()).open(), StorageError);
}

TEST_CASE("Passwords of addresses are used, but not shown") {
    const Workplace place;
    HttpServer server([&](const auto&, const Client& client) { client.reply("404 Not Found", "", ""); });
    std::string address = server.address("/a");
    address.insert(7, "me:secret@");
    CHECK(url(address, place.options()).name() == server.address("/a"));
    CHECK(failure(url(address, place.options())).address == server.address("/a"));
    CHECK(server.requests()[0].headers.at("authorization") == "Basic bWU6c2VjcmV0");
}

TEST_CASE("Offline, only the cache is read") {
    const Workplace place;
    HttpServer server([&](const auto&, const Client& client) { client.reply("200 OK", "", "abc"); });
    const Source source = url(server.address("/a"), place.options());
    {
        const Environment offline("SIGMA_OFFLINE", "1");
        CHECK(error_text<DownloadError>([&] { source.open(); }) ==
              sentence("address '", server.address("/a"), "': expected a file in the cache directory '",
                       place.cache.path.string(),
                       "', because downloads are switched off (SIGMA_OFFLINE), found no file"));
        CHECK(text_of(source | memory("spare")) == "spare");
    }
    CHECK(server.requests().empty());
    const Environment online("SIGMA_OFFLINE", "0");
    CHECK(text_of(source) == "abc");
    UrlOptions offline = place.options();
    offline.offline = true;
    CHECK(text_of(url(server.address("/a"), offline)) == "abc");
    offline.sha256 = sha256("abd");
    CHECK_THROWS_WITH(url(server.address("/a"), offline).open(),
                      Catch::Contains("(offline), found a file with another SHA-256 digest"));
    CHECK(server.requests().size() == 1);
}

TEST_CASE("A proxy is asked in place of the server") {
    const Workplace place;
    HttpServer proxy([&](const auto& request, const Client& client) { client.reply("200 OK", "", request.path); });
    const std::string address = "http://example.invalid/a.csv";
    UrlOptions options = place.options();
    {
        const Environment variable("http_proxy", proxy.address("").c_str());
        CHECK(text_of(url(address, options)) == address);
        options.proxy = "";
        CHECK_THROWS_AS(url("http://127.0.0.1:1/", options).open(), DownloadError);
    }
    options.proxy = proxy.address("");
    CHECK(text_of(url(address + "?2", options)) == address + "?2");
    CHECK(proxy.requests().size() == 2);
}

TEST_CASE("Threads that want the same file download it once") {
    const Workplace place;
    const std::string text = some_text(100'000);
    HttpServer server([&](const auto&, const Client& client) {
        client.wait(30ms);
        client.reply("200 OK", "", text);
    });
    std::vector<std::thread> threads;
    std::vector<std::string> found(6);
    const Source shared = url(server.address(), place.options());
    for (std::size_t i = 0; i < found.size(); ++i)
        threads.emplace_back([&, i] { found[i] = text_of(i % 2 ? shared : url(server.address(), place.options())); });
    for (std::thread& thread : threads) thread.join();
    CHECK(found == std::vector<std::string>(6, text));
    CHECK(server.requests().size() == 1);
    CHECK(place.cache.files().size() == 1);
}

TEST_CASE("A download is a task, and ends when it is canceled") {
    const Workplace place;
    HttpServer server([&](const auto&, const Client& client) {
        client.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + std::string(250, 'x'));
        client.wait(5s);
    });
    std::optional<TaskView> seen;
    const TaskListener listener = on_task([&](const TaskView& view, TaskEvent event) {
        if (event == TaskEvent::begun) seen = view;
    });
    UrlOptions options = place.options();
    options.stall_timeout = 5s;
    std::thread canceling([&] {
        for (int i = 0; i < 400; ++i, std::this_thread::sleep_for(5ms))
            for (const TaskView& view : tasks())
                if (view.description() == server.address() && view.done() == 250) return view.cancel();
    });
    const auto begun = std::chrono::steady_clock::now();
    CHECK(error_text<CanceledError>([&] { (url(server.address(), options) | memory("spare")).open(); }) ==
          sentence("download '", server.address(), "': canceled after 250 bytes"));
    canceling.join();
    CHECK(std::chrono::steady_clock::now() - begun < 2s);
    REQUIRE(seen);
    CHECK(seen->kind() == TaskKind::download);
    CHECK(seen->progress() == 0.25);
    CHECK(place.cache.files().empty());
}

TEST_CASE("Mirrors: the first that gives the file") {
    const Workplace place;
    HttpServer server([&](const auto& request, const Client& client) {
        if (request.path == "/gone") client.reply("404 Not Found", "", "");
        else client.reply("200 OK", "", request.path);
    });
    const auto right = place.options(sha256("/right"));
    CHECK(text_of(url(server.address("/gone"), right) | url(server.address("/wrong"), right) |
                  url(server.address("/right"), right)) == "/right");
    CHECK(place.cache.files().size() == 1);
    CHECK_THROWS_WITH((url(server.address("/gone"), right) | file("/none")).open(),
                      Catch::Contains("expected status 200, found 404; file '/none'"));
}
