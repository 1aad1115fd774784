# Two sets of flags for our own targets. Neither is installed: whoever uses Lento keeps their own flags.

# lento_flags: what the machine code depends on.
add_library(lento_flags INTERFACE)
# A fused multiply-add rounds once instead of twice. Without this, results would depend on the processor compiled for.
target_compile_options(lento_flags INTERFACE $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-ffp-contract=off>)

# lento_warnings: what the compiler tells us.
add_library(lento_warnings INTERFACE)
target_compile_options(lento_warnings INTERFACE
    $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-Wall -Wextra -Wpedantic -Wconversion>
    # GCC 12 sees overlapping copies in "literal" + std::string where there are none (its bug 105651)
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
    # Clang finds the destructor of a template within a class only where it is defined inside it
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang,AppleClang>>:-Wno-dtor-name>)
# The code that GCC adds for the sanitizers, and Clang with GCC's library, raise warnings where there is no fault.
if(LENTO_WARNINGS_AS_ERRORS AND NOT LENTO_SANITIZE)
    target_compile_options(lento_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-Werror>
        # of packs that are empty, and of braces that may be left out
        $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang,AppleClang>>:-Wno-error=unused-lambda-capture>
        $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang,AppleClang>>:-Wno-error=missing-braces>)
endif()

if(LENTO_SANITIZE)
    list(JOIN LENTO_SANITIZE "," lento_sanitizers)
    set(lento_sanitizer_flags -fsanitize=${lento_sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    # Clang looks for the type of a function in front of it, where functions that are compiled at run time have none
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND "undefined" IN_LIST LENTO_SANITIZE)
        list(APPEND lento_sanitizer_flags -fno-sanitize=function)
    endif()
    target_compile_options(lento_flags INTERFACE ${lento_sanitizer_flags})
    target_link_options(lento_flags INTERFACE ${lento_sanitizer_flags})
    target_compile_options(lento_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
