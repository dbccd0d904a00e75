// SPDX-License-Identifier: MIT
// Fuzz target: command lines. Each byte of the input is a word out of a list: commands, options,
// values good and bad, small files. Whatever is asked for, a command ends with an exit status that
// is documented; what fails has said why, on standard error.
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L // dup2, mkdtemp
#endif
#undef NDEBUG
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_WORDS = 16 };

static const char *const commands[] = {"inspect",  "pose", "render", "bake",    "convert",
                                       "compress", "play", "bind",   "version", "help"};

// Small numbers stand where they cannot ask for hours of work.
static const char *const words[] = {"@chain:3",
                                    "@strip:2:8",
                                    "@chain:0",
                                    "@chain:x",
                                    "@nobody",
                                    "@bird",
                                    "a.bvh",
                                    "a.gltf",
                                    "a.ply",
                                    "a.bar",
                                    "a.set.json",
                                    "a.script.json",
                                    "a.mix.json",
                                    "a.groups.json",
                                    "missing.glb",
                                    ".",
                                    "",
                                    "-",
                                    "--",
                                    "-o",
                                    "out.glb",
                                    "out.bvh",
                                    "out.png",
                                    "out.ply",
                                    "out.pc2",
                                    "out.sinew",
                                    "no/such/folder.glb",
                                    "--json",
                                    "--strict",
                                    "--joints",
                                    "--on",
                                    "--set",
                                    "s",
                                    "--prefix",
                                    "--dot",
                                    "--canonical",
                                    "--clip",
                                    "0",
                                    "1",
                                    "-1",
                                    "4294967296",
                                    "1e3",
                                    "nan",
                                    "0x10",
                                    "0.5",
                                    "--time",
                                    "--times",
                                    "0,0.5",
                                    "0,,",
                                    "--wrap",
                                    "loop",
                                    "ping-pong",
                                    "--max-vertices",
                                    "2",
                                    "--binding",
                                    "block",
                                    "--skinning",
                                    "dual",
                                    "--mix",
                                    "--clips",
                                    "--retarget",
                                    "names",
                                    "humanoid",
                                    "--runtime",
                                    "--preset",
                                    "small",
                                    "--cloud",
                                    "--groups",
                                    "--way",
                                    "nearest",
                                    "surface",
                                    "--falloff",
                                    "--spring",
                                    "heavy",
                                    "--size",
                                    "8x8",
                                    "8",
                                    "0x0",
                                    "--sheet",
                                    "--yaw",
                                    "--pitch",
                                    "--zoom",
                                    "--weights",
                                    "--shade",
                                    "--leash",
                                    "--flipbook",
                                    "--fps",
                                    "--scale",
                                    "--no-ends",
                                    "--cut-first-frame",
                                    "--nodes",
                                    "--rig",
                                    "--error",
                                    "--shell",
                                    "--rate",
                                    "--between",
                                    "--no-translations",
                                    "--ascii",
                                    "--script",
                                    "--with-meshes",
                                    "--point-size",
                                    "--seconds",
                                    "--path",
                                    "--no-such-option",
                                    "\xC3\x28\x1B[31m"};
enum { WORDS = sizeof words / sizeof *words, COMMANDS = sizeof commands / sizeof *commands };

static const struct {
    const char *name, *text;
} files[] = {
    {"a.bvh", "HIERARCHY\nROOT hips\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
              "JOINT b\n{\nOFFSET 0 1 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\n"
              "Frames: 2\nFrame Time: 0.5\n0 0 0\n10 20 30\n"},
    {"a.gltf", "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"hips\"}],\"scenes\":[{"
               "\"nodes\":[0]}]}"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
              "property float z\nend_header\n0 0 0\n0 1 0\n1 0 0\n"},
    {"a.bar", "SNBR"},
    {"a.set.json", "{\"version\":1,\"sets\":{\"s\":{\"start\":\"go\",\"states\":{\"go\":{"
                   "\"choices\":[{\"clip\":\"a\"}]}}}}}"},
    {"a.script.json", "{\"seconds\":0.1,\"steps\":[]}"},
    {"a.mix.json", "{\"layers\":[]}"},
    {"a.groups.json", "{\"groups\":[[0]]}"},
};

static int out_file, err_file, home, stage; // the last two are folders

static void make_stage(void)
{
    char folder[] = "/tmp/sinew_options_XXXXXX";
    home = open(".", O_RDONLY);
    assert(home >= 0 && mkdtemp(folder) && chdir(folder) == 0);
    stage = open(".", O_RDONLY);
    assert(stage >= 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *file = fopen(files[i].name, "wb");
        assert(file && fputs(files[i].text, file) >= 0 && fclose(file) == 0);
    }
    out_file = open("/dev/null", O_WRONLY);
    FILE *said = tmpfile();
    assert(out_file >= 0 && said);
    err_file = fileno(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char room[MOST_WORDS + 2][64];
    char *argv[MOST_WORDS + 3] = {"sinew"};
    int argc = 1;
    if (size == 0 || size > MOST_WORDS + 1)
        return 0;
    if (!out_file)
        make_stage();
    snprintf(room[0], sizeof room[0], "%s", commands[data[0] % COMMANDS]);
    argv[argc++] = room[0];
    for (size_t i = 1; i < size; i++) {
        snprintf(room[i], sizeof room[i], "%s", words[data[i] % WORDS]);
        argv[argc++] = room[i];
    }
    fflush(NULL);
    const int old_out = dup(1), old_err = dup(2);
    assert(old_out >= 0 && old_err >= 0 && ftruncate(err_file, 0) == 0);
    assert(lseek(err_file, 0, SEEK_SET) == 0 && dup2(out_file, 1) == 1 && dup2(err_file, 2) == 2);
    assert(fchdir(stage) == 0);
    const int status = cli_main(argc, argv);
    assert(fchdir(home) == 0);
    fflush(NULL);
    assert(dup2(old_out, 1) == 1 && dup2(old_err, 2) == 2);
    close(old_out);
    close(old_err);
    struct stat said;
    assert(fstat(err_file, &said) == 0);
    assert(status >= CLI_EXIT_OK && status <= CLI_EXIT_WRITE);
    assert(status == CLI_EXIT_OK || said.st_size > 0);
    return 0;
}
