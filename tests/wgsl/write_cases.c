// SPDX-License-Identifier: MIT
// Writes the cases of the shaders' tests into a folder: write_cases FOLDER.
#include "wgsl/gpu_cases.h"

int main(int argc, char **argv)
{
    if (argc != 2)
        return puts("usage: write_cases FOLDER"), 2;
    case_file file;
    case_file_open(&file, argv[1]);
    write_character_cases(&file);
    write_random_mesh_cases(&file);
    write_cloud_cases(&file);
    write_spring_cases(&file);
    case_file_close(&file);
    return 0;
}
