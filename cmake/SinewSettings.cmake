# SPDX-License-Identifier: MIT
# How every target of this project is compiled, and the helpers that make targets.

# Sanitizers change the ABI of everything they touch, so they are set for the folder and not for single targets.
if(SINEW_SANITIZE)
    add_compile_options(-fsanitize=${SINEW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${SINEW_SANITIZE})
endif()
if(SINEW_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "SINEW_FUZZ needs clang (libFuzzer): use the preset `fuzz`")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Standard, floating point, visibility, warnings.
function(sinew_settings target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden
        CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden)
    if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND NOT CMAKE_C_COMPILER_FRONTEND_VARIANT STREQUAL "MSVC")
        # Poses promise the same bits on every build: no compiler may fuse a multiply and an add on its own.
        target_compile_options(${target} PRIVATE -ffp-contract=off)
        if(SINEW_DEVELOPER)
            target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                -Wsign-conversion -Werror $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>)
            if(MINGW) # its isfinite and the like have a branch for each type, with a conversion
                target_compile_options(${target} PRIVATE -Wno-float-conversion)
            endif()
        endif()
    elseif(MSVC)
        target_compile_options(${target} PRIVATE /fp:precise /utf-8)
        target_compile_definitions(${target} PRIVATE _CRT_SECURE_NO_WARNINGS)
    endif()
endfunction()

# A static library of all sources of one folder, whose headers are found as "FOLDER/name.h" and as "name.h".
function(sinew_add_companion target folder)
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.c")
    add_library(${target} STATIC ${sources})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
    sinew_settings(${target})
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/${folder}")
endfunction()
