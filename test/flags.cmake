# How the sources are compiled, told by CMake alone: `folder` is configured as ./dev demo does it on a machine without
# SUNDIALS and Boost, and then as ./dev test does it with them.
cmake_minimum_required(VERSION 3.22)

# configure(COMMANDS PRESET WARNINGS_AS_ERRORS PACKAGES_ARE_LACKING): the commands that compile what both of them build.
function(configure commands preset warnings_as_errors lacking)
    set(ENV{LENTO_WARNINGS_AS_ERRORS} ${warnings_as_errors})
    execute_process(COMMAND ${CMAKE_COMMAND} --preset ${preset} -B ${folder} --log-level=WARNING
        -D CMAKE_DISABLE_FIND_PACKAGE_Boost=${lacking} -D CMAKE_DISABLE_FIND_PACKAGE_SUNDIALS=${lacking}
        WORKING_DIRECTORY ${source} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    file(STRINGS ${folder}/compile_commands.json found REGEX "\"command\": .* -c [^ ]*/(src|app|reproduce)/[^ ]*\\.cpp")
    list(FILTER found EXCLUDE REGEX "/src/stepper/(odeint|sundials)\\.cpp") # these are the two that see the packages
    list(SORT found)
    set(${commands} ${found} PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${folder})
configure(demo demo OFF ON)
configure(test release OFF OFF)
list(LENGTH demo count)
if(count LESS 50)
    message(FATAL_ERROR "Only ${count} commands were found.")
endif()
foreach(command IN LISTS demo)
    if(NOT command IN_LIST test)
        message(FATAL_ERROR "./dev test would compile otherwise than ./dev demo what ./dev demo compiles so:\n${command}")
    endif()
    if(command MATCHES "-Werror")
        message(FATAL_ERROR "A warning would stop a user's build:\n${command}")
    endif()
endforeach()

configure(checked release ON OFF)
foreach(command IN LISTS checked)
    if(NOT command MATCHES "-Werror")
        message(FATAL_ERROR "A warning would not stop a check:\n${command}")
    endif()
endforeach()
