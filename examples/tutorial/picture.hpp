// SPDX-License-Identifier: BSL-1.0
#pragma once
// Small charts as SVG, for the pictures of the tutorial. Each program draws its picture if it gets a file name.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

namespace tutorial {

/// Returns a number with three digits, or all digits before the point.
inline std::string number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, std::abs(x) < 1000 ? "%.3g" : "%.0f", x);
    return text;
}

/// Returns the begin of a picture: its size, font, background and title.
inline std::string picture_head(const std::string& title) {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 600 320\" font-family=\"sans-serif\" "
           "font-size=\"13\">\n<rect width=\"600\" height=\"320\" fill=\"#fff\"/>\n"
           "<text x=\"60\" y=\"24\" font-size=\"15\">" +
           title + "</text>\n";
}

/// Lines and points over two axes.
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
        out << picture_head(title_) << "<path d=\"M60 80V270H560\" fill=\"none\" stroke=\"#444\"/>\n"
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

    std::string title_, x_, y_;
    std::vector<Series> series_;
};

/// One horizontal bar for each name, from 0, with its value at the end.
class Bars {
public:
    Bars(std::string title, std::string unit) : title_(std::move(title)), unit_(std::move(unit)) {}

    void bar(const std::string& name, double value) { bars_.push_back({name, value}); }

    void write(const std::string& file) const {
        double top = 0;
        for (const Bar& b : bars_) top = std::max(top, b.value);
        const double height = 240.0 / static_cast<double>(std::max(bars_.size(), std::size_t{1}));
        std::ofstream out(file);
        out << picture_head(title_);
        for (std::size_t i = 0; i < bars_.size(); ++i) {
            const double y = 60 + height * static_cast<double>(i), middle = y + height / 2 + 4;
            const double width = 320 * bars_[i].value / std::max(top, 1e-30);
            out << "<text x=\"170\" y=\"" << number(middle) << "\" text-anchor=\"end\">" << bars_[i].name << "</text>\n"
                << "<rect x=\"180\" y=\"" << number(y + 0.2 * height) << "\" width=\"" << number(width)
                << "\" height=\"" << number(0.6 * height) << "\" fill=\"#1f6feb\"/>\n"
                << "<text x=\"" << number(188 + width) << "\" y=\"" << number(middle) << "\">" << number(bars_[i].value)
                << ' ' << unit_ << "</text>\n";
        }
        out << "<path d=\"M180 60V300\" fill=\"none\" stroke=\"#444\"/>\n</svg>\n";
    }

private:
    struct Bar {
        std::string name;
        double value;
    };
    std::string title_, unit_;
    std::vector<Bar> bars_;
};

}  // namespace tutorial
