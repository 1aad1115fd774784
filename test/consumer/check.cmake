# Installs the build tree `build` below `folder`, builds the consumer there against it, and runs it.

# The prefix is emptied first: a header that is no longer installed must not survive from an earlier run.
file(REMOVE_RECURSE ${folder}/prefix ${folder}/build)

set(stop_on_failure COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --config ${config} --prefix ${folder}/prefix
    OUTPUT_QUIET ${stop_on_failure})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${folder}/build -G ${generator}
    -D CMAKE_BUILD_TYPE=${config} -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_CXX_FLAGS=${flags}
    -D CMAKE_PREFIX_PATH=${folder}/prefix -D CMAKE_RUNTIME_OUTPUT_DIRECTORY=${folder}/build/bin
    -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
    ${stop_on_failure})
execute_process(COMMAND ${CMAKE_COMMAND} --build ${folder}/build --config ${config} ${stop_on_failure})

find_program(consumer consumer PATHS ${folder}/build/bin PATH_SUFFIXES ${config} NO_DEFAULT_PATH REQUIRED)
execute_process(COMMAND ${consumer} OUTPUT_VARIABLE said ${stop_on_failure})
message("${said}")
string(FIND "${said}" "force evaluations" place)
if(place EQUAL -1)
    message(FATAL_ERROR "The consumer should have told its force evaluations.")
endif()
