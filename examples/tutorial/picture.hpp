// SPDX-License-Identifier: BSL-1.0
#pragma once
// A small chart as SVG, for the pictures of the tutorial. Each program draws its picture if it gets a file name.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

namespace tutorial {

class Chart {
public:
    Chart(std::string title, std::string x, std::string y)
        : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)) {}

    template <class X, class Y>
    void line(const std::string& name, const X& x, const Y& y) {
        add(name, x, y, false);
    }
    void line(const std::string& name, std::initializer_list<double> x, std::initializer_list<double> y) {
        add(name, x, y, false);
    }
    template <class X, class Y>
    void points(const std::string& name, const X& x, const Y& y) {
        add(name, x, y, true);
    }

    void write(const std::string& file) const {
        double left = 1e300, right = -1e300, bottom = 1e300, top = -1e300;
        for (const Series& s : series_)
            for (std::size_t i = 0; i < s.x.size(); ++i) {
                left = std::min(left, s.x[i]), right = std::max(right, s.x[i]);
                bottom = std::min(bottom, s.y[i]), top = std::max(top, s.y[i]);
            }
        const auto across = [&](double x) { return 60 + 500 * (x - left) / std::max(right - left, 1e-30); };
        const auto up = [&](double y) { return 270 - 190 * (y - bottom) / std::max(top - bottom, 1e-30); };
        std::ofstream out(file);
        out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 600 320\" font-family=\"sans-serif\" "
               "font-size=\"13\">\n<rect width=\"600\" height=\"320\" fill=\"#fff\"/>\n"
            << "<text x=\"60\" y=\"24\" font-size=\"15\">" << title_ << "</text>\n"
            << "<path d=\"M60 80V270H560\" fill=\"none\" stroke=\"#444\"/>\n"
            << "<text x=\"310\" y=\"306\" text-anchor=\"middle\">" << x_ << "</text>\n"
            << "<text x=\"10\" y=\"62\">" << y_ << "</text>\n";
        for (const auto& [at, value] : {std::pair{left, "start"}, std::pair{right, "end"}})
            out << "<text x=\"" << across(at) << "\" y=\"286\" text-anchor=\"" << value << "\">" << number(at)
                << "</text>\n";
        for (const double at : {bottom, top})  // 0 if it is as good as 0
            out << "<text x=\"54\" y=\"" << up(at) + 4 << "\" text-anchor=\"end\">"
                << number(std::abs(at) < 1e-3 * (top - bottom) ? 0 : at) << "</text>\n";
        for (std::size_t k = 0; k < series_.size(); ++k) {
            const Series& s = series_[k];
            const char* colour = colours[k % std::size(colours)];
            if (s.dots) {
                for (std::size_t i = 0; i < s.x.size(); ++i)
                    out << "<circle cx=\"" << number(across(s.x[i])) << "\" cy=\"" << number(up(s.y[i]))
                        << "\" r=\"2.5\" fill=\"" << colour << "\"/>\n";
            } else {
                out << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << colour << "\" points=\"";
                for (std::size_t i = 0; i < s.x.size(); ++i)
                    out << number(across(s.x[i])) << ',' << number(up(s.y[i])) << ' ';
                out << "\"/>\n";
            }
            out << "<text x=\"556\" y=\"" << 24 + 16 * k << "\" text-anchor=\"end\" fill=\"" << colour << "\">"
                << s.name << "</text>\n";
        }
        out << "</svg>\n";
    }

private:
    struct Series {
        std::string name;
        std::vector<double> x, y;
        bool dots;
    };
    static constexpr const char* colours[] = {"#1f6feb", "#d1242f", "#1a7f37", "#8250df"};

    template <class X, class Y>
    void add(const std::string& name, const X& x, const Y& y, bool dots) {
        Series s{name, {}, {}, dots};
        for (const auto each : x) s.x.push_back(static_cast<double>(each));
        for (const auto each : y) s.y.push_back(static_cast<double>(each));
        series_.push_back(std::move(s));
    }
    static std::string number(double x) {
        char text[32];
        std::snprintf(text, sizeof text, "%.3g", x);
        return text;
    }

    std::string title_, x_, y_;
    std::vector<Series> series_;
};

}  // namespace tutorial
