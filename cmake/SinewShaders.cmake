# SPDX-License-Identifier: MIT
# The shaders that the program of a library holds, as strings: one C file made of the .glsl files, so that the files that
# users take are the ones that run. Run as a script: -DOUT=FILE -DFILES="a.glsl;b.glsl".
#
# Bytes rather than string literals, which compilers limit.
set(text "// Made by cmake/SinewShaders.cmake from src/gpu/shaders.\n#include \"gpu/shader_sources.h\"\n")
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME)
    string(REPLACE "." "_" name "${name}")
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
    string(APPEND text "const char sinewi_shader_${name}[] = {\n${bytes}0};\n")
endforeach()
file(WRITE "${OUT}" "${text}")
