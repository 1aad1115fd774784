# Links Eigen, privately, to a target of which a source includes it, and requires it only then. Eigen is not offered to
# the other targets: installing it later would change their flags and with that compile them anew.
function(lento_link_eigen_where_included target)
    foreach(source IN LISTS ARGN)
        file(STRINGS ${source} includes REGEX "^#include <(unsupported/)?Eigen/")
        if(includes)
            find_package(Eigen3 REQUIRED NO_MODULE)
            target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:Eigen3::Eigen>)
            return()
        endif()
    endforeach()
endfunction()
