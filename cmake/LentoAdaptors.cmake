# The integrators of SUNDIALS and Boost.odeint, each where it is installed and wanted. They have a source each, and only
# that source sees them: it alone is compiled anew when they come or go, and whoever uses Lento needs none of their
# headers. Without them it says so when it is called.

# lento_adaptor(TARGET SOURCE DEFINITION [LIBRARY...]): the objects of a source, with libraries or without.
function(lento_adaptor target source definition)
    add_library(${target} OBJECT ${source})
    lento_library(${target})
    if(ARGN)
        target_compile_definitions(${target} PRIVATE ${definition})
        target_link_libraries(${target} PRIVATE ${ARGN})
    endif()
endfunction()

set(boost_targets "")
if(LENTO_ODEINT)
    find_package(Boost QUIET CONFIG)
    if(TARGET Boost::headers)
        set(boost_targets Boost::headers)
    else()
        message(STATUS "Boost was not found; odeint-dormand-prince is left out")
    endif()
endif()
lento_adaptor(lento_odeint src/solve/odeint.cpp LENTO_HAS_BOOST ${boost_targets})
target_link_libraries(lento PRIVATE $<BUILD_INTERFACE:lento_odeint>)

set(sundials_targets "")
if(LENTO_SUNDIALS)
    find_package(SUNDIALS 6.4 QUIET COMPONENTS cvode ida arkode nvecserial)
    if(SUNDIALS_FOUND)
        set(sundials_targets SUNDIALS::cvode SUNDIALS::ida SUNDIALS::arkode SUNDIALS::nvecserial)
    else()
        message(STATUS "SUNDIALS was not found; cvode-adams, cvode-bdf, arkode-dormand-prince and ida are left out")
    endif()
endif()
lento_adaptor(lento_sundials src/solve/sundials.cpp LENTO_HAS_SUNDIALS ${sundials_targets})

# A shared Lento brings SUNDIALS along. A static one leaves it to programs to link SUNDIALS, which need not be there
# where they are built: the adaptor is installed beside it, both with SUNDIALS and without, and lentoConfig.cmake chooses.
set(sundials_files "")
if(NOT sundials_targets OR BUILD_SHARED_LIBS)
    target_link_libraries(lento PRIVATE $<BUILD_INTERFACE:lento_sundials>)
    return()
endif()
lento_adaptor(lento_sundials_lacking src/solve/sundials.cpp LENTO_HAS_SUNDIALS)
add_library(lento_with_sundials STATIC $<TARGET_OBJECTS:lento_sundials>)
add_library(lento_without_sundials STATIC $<TARGET_OBJECTS:lento_sundials_lacking>)
set_target_properties(lento_with_sundials PROPERTIES EXPORT_NAME with_sundials LINKER_LANGUAGE CXX)
set_target_properties(lento_without_sundials PROPERTIES EXPORT_NAME without_sundials LINKER_LANGUAGE CXX)
target_link_libraries(lento_with_sundials PRIVATE "$<BUILD_INTERFACE:${sundials_targets}>")
target_link_libraries(lento PRIVATE
    $<BUILD_INTERFACE:lento_with_sundials> $<INSTALL_INTERFACE:$<TARGET_NAME_IF_EXISTS:lento::sundials>>)
install(TARGETS lento_with_sundials lento_without_sundials EXPORT lentoTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Its libraries by the names under which programs find them when they start, as in libsundials_cvode.so.6.
foreach(part IN ITEMS cvode ida arkode nvecserial core)
    foreach(target IN ITEMS SUNDIALS::${part}_static SUNDIALS::${part}_shared)
        if(TARGET ${target})
            get_target_property(file ${target} LOCATION)
        endif()
    endforeach()
    if(TARGET SUNDIALS::${part})
        cmake_path(GET file FILENAME file)
        string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" file ${file})
        list(APPEND sundials_files ${file})
    endif()
endforeach()
