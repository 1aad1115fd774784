# Lento as seen from outside: installs the build tree `build` below `folder`, builds the programs of this folder against
# it, and runs them: found by CMake, found by CMake where SUNDIALS is not, and found by pkg-config.
cmake_minimum_required(VERSION 3.22)

set(prefix ${folder}/prefix)
set(stop_on_failure COMMAND_ERROR_IS_FATAL ANY)

# The prefix is emptied first: a header that is no longer installed must not survive from an earlier run.
file(REMOVE_RECURSE ${prefix} ${folder}/build)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --config ${config} --prefix ${prefix}
    OUTPUT_QUIET ${stop_on_failure})

# expect(TEXT PROGRAM [ARGUMENT...]): a program runs and says TEXT.
function(expect text program)
    execute_process(COMMAND ${program} ${ARGN} OUTPUT_VARIABLE said ${stop_on_failure})
    message("${said}")
    string(FIND "${said}" "${text}" place)
    if(place EQUAL -1)
        message(FATAL_ERROR "${program} should have said \"${text}\".")
    endif()
endfunction()

# The program, which finds a shared library from where it stands

if(EXISTS ${prefix}/bin/lento)
    expect("formulas: " ${prefix}/bin/lento --version)
endif()

# Found by CMake

function(build_by_cmake)
    execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${folder}/build -G ${generator}
        -D CMAKE_BUILD_TYPE=${config} -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_CXX_FLAGS=${flags}
        -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_RUNTIME_OUTPUT_DIRECTORY=${folder}/build/bin
        -D CMAKE_RUNTIME_OUTPUT_DIRECTORY_${CONFIG}=${folder}/build/bin
        -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF ${ARGN}
        ${stop_on_failure})
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${folder}/build --config ${config} ${stop_on_failure})
endfunction()

string(TOUPPER ${config} CONFIG)
build_by_cmake()
expect("force evaluations" ${folder}/build/bin/consumer)
set(with_sundials "SUNDIALS: yes\nreached t = 1")
set(without_sundials "SUNDIALS: no\nvibrated-pendulum: method: Cvode-adams needs SUNDIALS")
set(as_built "${without_sundials}")
if(sundials)
    set(as_built "${with_sundials}")
endif()
expect("${as_built}" ${folder}/build/bin/problem)

# A static Lento with SUNDIALS, where that is not: no library is found but in the prefix.
if(sundials AND NOT shared)
    build_by_cmake(-U "lento_libsundials*" -D CMAKE_FIND_ROOT_PATH=${prefix} -D CMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY)
    expect("force evaluations" ${folder}/build/bin/consumer)
    expect("${without_sundials}" ${folder}/build/bin/problem)
endif()

# Found by pkg-config

find_program(pkg_config pkg-config)
if(pkg_config)
    file(GLOB_RECURSE description ${prefix}/*/lento.pc)
    cmake_path(GET description PARENT_PATH pkgconfig_folder)
    set(ENV{PKG_CONFIG_PATH} ${pkgconfig_folder})
    set(ENV{LD_LIBRARY_PATH} ${pkgconfig_folder}/..)
    set(static --static)
    if(shared)
        set(static "")
    endif()
    execute_process(COMMAND ${pkg_config} ${static} --cflags --libs lento_problems OUTPUT_VARIABLE said ${stop_on_failure})
    separate_arguments(said UNIX_COMMAND ${said})
    separate_arguments(flags UNIX_COMMAND "${flags}")
    execute_process(COMMAND ${compiler} -std=c++20 ${flags} ${CMAKE_CURRENT_LIST_DIR}/problem.cpp ${said}
        -o ${folder}/build/problem ${stop_on_failure})
    expect("${as_built}" ${folder}/build/problem)
endif()
