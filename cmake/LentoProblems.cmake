# The problem files of problems/ as a source, so that the program knows them wherever it runs.

# lento_embed_problems(SOURCES): writes the source and appends it to the list.
function(lento_embed_problems sources)
    file(GLOB problems CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/problems/*.toml)
    set(entries "")
    foreach(problem IN LISTS problems)
        # A changed file must be embedded anew.
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${problem})
        cmake_path(GET problem STEM name)
        file(READ ${problem} text)
        string(APPEND entries "        {\"${name}\", R\"lento(${text})lento\"},\n")
    endforeach()
    set(source ${PROJECT_BINARY_DIR}/src/builtin_problems.cpp)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Made by CMake from problems/*.toml.

#include <lento/io/problem_file.hpp>

namespace lento {

std::vector<builtin_problem> const& builtin_problems() {
    static std::vector<builtin_problem> const all = {
@entries@    };
    return all;
}

} // namespace lento
")
    set(${sources} ${${sources}} ${source} PARENT_SCOPE)
endfunction()
