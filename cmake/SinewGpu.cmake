# SPDX-License-Identifier: MIT
# The part that skins on GPUs: its shaders as strings, and OpenGL ES where the headers of EGL and OpenGL ES are found.
# No library is linked: the driver's are opened at run time.
file(GLOB sinew_gpu_shaders CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/gpu/shaders/*.glsl"
    "${PROJECT_SOURCE_DIR}/src/gpu/shaders/*.wgsl")
set(sinew_gpu_embedded ${sinew_gpu_shaders})
list(FILTER sinew_gpu_embedded INCLUDE REGEX "\\.glsl$")
list(FILTER sinew_gpu_embedded EXCLUDE REGEX "/vat\\.glsl$") # for shaders of users
set(sinew_gpu_made "${PROJECT_BINARY_DIR}/generated/shader_sources.c")
add_custom_command(OUTPUT "${sinew_gpu_made}"
    COMMAND "${CMAKE_COMMAND}" "-DOUT=${sinew_gpu_made}" "-DFILES=${sinew_gpu_embedded}"
        -P "${PROJECT_SOURCE_DIR}/cmake/SinewShaders.cmake"
    DEPENDS ${sinew_gpu_embedded} "${PROJECT_SOURCE_DIR}/cmake/SinewShaders.cmake"
    COMMENT "Making strings of the shaders" VERBATIM)
# Both kinds of library are made of it; one rule must make it.
add_custom_target(sinew_gpu_strings DEPENDS "${sinew_gpu_made}")

find_path(SINEW_GLES_INCLUDE_DIR GLES3/gl31.h DOC "Folder that holds GLES3/gl31.h")
find_path(SINEW_EGL_INCLUDE_DIR EGL/egl.h DOC "Folder that holds EGL/egl.h")
if(NOT SINEW_GLES_INCLUDE_DIR OR NOT SINEW_EGL_INCLUDE_DIR)
    message(STATUS "No OpenGL ES: its headers were not found (Debian and Ubuntu: libegl-dev and libgles-dev)")
endif()

function(sinew_gpu_settings target)
    add_dependencies(${target} sinew_gpu_strings)
    if(SINEW_GLES_INCLUDE_DIR AND SINEW_EGL_INCLUDE_DIR)
        target_compile_definitions(${target} PRIVATE SINEW_GPU_WITH_GLES=1)
        target_include_directories(${target} SYSTEM PRIVATE "${SINEW_GLES_INCLUDE_DIR}" "${SINEW_EGL_INCLUDE_DIR}")
        target_link_libraries(${target} PUBLIC ${CMAKE_DL_LIBS})
    endif()
endfunction()
