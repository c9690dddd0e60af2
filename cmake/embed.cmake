# SPDX-License-Identifier: BSL-1.0
# cmake -DOUTPUT=x.cpp -DFILES=name=path;name=path -P embed.cmake: writes the files as arrays of C++, with their names.
set(arrays "")
set(table "")
set(number 0)
foreach(entry IN LISTS FILES)
    string(REGEX MATCH "^([^=]+)=(.+)$" found "${entry}")
    set(name ${CMAKE_MATCH_1})
    file(READ ${CMAKE_MATCH_2} bytes HEX)
    file(SIZE ${CMAKE_MATCH_2} size)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "constexpr unsigned char file_${number}[] = {${bytes}0};\n")
    string(APPEND table "    {\"${name}\", file_${number}, ${size}},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"web/page.hpp\"

namespace sigma::monitor {
namespace {

${arrays}
constexpr PageFile files[] = {
${table}};

}  // namespace

std::span<const PageFile> page_files() { return files; }

}  // namespace sigma::monitor
")
