# lento_library(TARGET): what all parts of the library have in common.
function(lento_library target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_include_directories(${target}
        PUBLIC
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
            $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
        PRIVATE ${PROJECT_SOURCE_DIR}/src)
    # -O3 makes the library a sixth larger and no window faster; long vectors want the loops of its vectoriser.
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>
        $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-fvect-cost-model=dynamic>)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:lento_flags> $<BUILD_INTERFACE:lento_warnings>)
    set_target_properties(${target} PROPERTIES
        POSITION_INDEPENDENT_CODE ON # a static Lento may become part of somebody's shared library
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}) # before 1.0 a minor version may change the interface
endfunction()
