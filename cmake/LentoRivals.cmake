# What tests and benchmarks compare with, each where it is installed: lento_comparison carries SUNDIALS, Boost and Eigen,
# and defines LENTO_HAS_SUNDIALS, LENTO_HAS_BOOST and LENTO_HAS_EIGEN for those found.
add_library(lento_comparison INTERFACE)

if(sundials_targets)
    target_link_libraries(lento_comparison INTERFACE ${sundials_targets})
    target_compile_definitions(lento_comparison INTERFACE LENTO_HAS_SUNDIALS)
endif()

find_package(Boost QUIET CONFIG)
if(TARGET Boost::headers)
    target_link_libraries(lento_comparison INTERFACE Boost::headers)
    target_compile_definitions(lento_comparison INTERFACE LENTO_HAS_BOOST)
endif()

find_package(Eigen3 QUIET NO_MODULE)
if(TARGET Eigen3::Eigen)
    target_link_libraries(lento_comparison INTERFACE Eigen3::Eigen)
    target_compile_definitions(lento_comparison INTERFACE LENTO_HAS_EIGEN)
endif()
