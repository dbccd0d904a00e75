// SPDX-License-Identifier: MIT
// Each allocation of each command of the program fails once, alone or with all that follow: the
// command ends with an exit status that is documented and a message, leaves no file that is not
// whole, and a file that stood there before as it was; where it ends well, what comes out is what
// it would be. Commands run in processes forked from here, whose malloc is the one below; it stands
// on the names under which the GNU C library has its allocator.
//
// Where making a character by code takes more than a thousand allocations, one in STRIDE of those
// fails, and then every one that the command itself makes.
#include "../support/test_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#if !defined(SINEW_TEST_FAILING_MALLOC)

static void memory_of_this_build_does_not_fail(void **state)
{
    (void)state;
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_of_this_build_does_not_fail)};
    return TEST_RUN(tests);
}

#else

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STRIDE = 409, MOST_WORDS = 12, MOST_PATH = 512, CREATURE_REST = 12, SECONDS = 60 };

// ---- Memory that fails ------------------------------------------------------------------------------------

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
void *memalign(size_t align, size_t size);
#define EXPORT __attribute__((visibility("default"))) // for shared libraries, too

// Shared with the processes that run commands.
static struct {
    volatile unsigned long count;
} * shared;
static unsigned long fail_at; // 0: none
static bool counts, fail_after;

static bool allocation_fails(void)
{
    if (!counts)
        return false;
    const unsigned long n = __atomic_add_fetch(&shared->count, 1, __ATOMIC_RELAXED);
    if (fail_at == 0 || n < fail_at || (n > fail_at && !fail_after))
        return false;
    errno = ENOMEM;
    return true;
}

EXPORT void *malloc(size_t size)
{
    return allocation_fails() ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
    return allocation_fails() ? NULL : __libc_calloc(count, size);
}

EXPORT void *realloc(void *block, size_t size)
{
    return allocation_fails() ? NULL : __libc_realloc(block, size);
}

EXPORT void *memalign(size_t align, size_t size)
{
    return allocation_fails() ? NULL : __libc_memalign(align, size);
}

EXPORT void *aligned_alloc(size_t align, size_t size)
{
    return memalign(align, size);
}

EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
    void *block = memalign(align, size);
    if (!block)
        return ENOMEM;
    *out = block;
    return 0;
}

// ---- Commands ---------------------------------------------------------------------------------------------

#define CORPUS "$/tests/fuzz/corpus/"
#define CHARACTER CORPUS "gltf/character.glb"
#define SETS "$/share/sets/creature.set.json"

typedef struct command {
    const char *words[MOST_WORDS]; // $: the folder of the sources
    const char *output;            // in the folder of the run; NULL: standard output alone
    bool is_creature;              // made by code
    bool is_timed;                 // it says how long it took
} command;

static const command commands[] = {
    {.words = {"inspect", "--json", CHARACTER}},
    {.words = {"inspect", CORPUS "gltf/draco.glb"}},
    {.words = {"inspect", CORPUS "gltf/meshopt_ext.glb"}},
    {.words = {"inspect", CORPUS "pack/skinned.pack.json"}},
    {.words = {"inspect", SETS}},
    {.words = {"inspect", SETS, "--canonical"}},
    {.words = {"inspect", "sets.json", "--on", CHARACTER}},
    {.words = {"inspect", CORPUS "runtime/character.sinew"}},
    {.words = {"pose", CHARACTER, "--clip", "0", "--time", "0.3", "--json"}},
    {.words = {"pose", CHARACTER, "--clip", "0", "--binding", "block", "--skinning", "dual"}},
    {.words = {"pose", CHARACTER, "--clip", "0", "--runtime"}},
    {.words = {"pose", CHARACTER, "--mix", "mix.json"}},
    {.words = {"pose", CHARACTER, "--clips", CHARACTER, "--retarget", "names", "--clip", "0"}},
    {.words = {"pose", "@bird", "--clip", "0"}},
    {.words = {"pose", CHARACTER, "--cloud", "cloud.ply", "--clip", "0"}},
    {.words = {"bake", CHARACTER, "--clip", "0", "--fps", "3", "-o", "out.glb"},
     .output = "out.glb"},
    {.words = {"bake", CHARACTER, "--clip", "0", "--fps", "3", "-o", "out.pc2"},
     .output = "out.pc2"},
    {.words = {"bake", "@bird", "--nodes", "-o", "out.glb"}, .output = "out.glb"},
    {.words = {"convert", CHARACTER, "-o", "out.glb"}, .output = "out.glb"},
    {.words = {"convert", CHARACTER, "--clip", "0", "-o", "out.bvh"}, .output = "out.bvh"},
    {.words = {"convert", CORPUS "bvh/plain.bvh", "-o", "out.glb"}, .output = "out.glb"},
    {.words = {"compress", CHARACTER, "-o", "out.sinew"}, .output = "out.sinew", .is_timed = true},
    {.words = {"compress", CORPUS "bar/two.bar", "-o", "out.sinew"},
     .output = "out.sinew",
     .is_timed = true},
    {.words = {"render", CHARACTER, "--size", "8x8", "-o", "out.png"}, .output = "out.png"},
    {.words = {"play", "sets.json", CHARACTER, "--script", "script.json", "--json"}},
    {.words = {"bind", "cloud.ply", CHARACTER, "--groups", "groups.json", "-o", "out.ply"},
     .output = "out.ply",
     .is_timed = true},
    {.words = {"pose", "@creature", "--clip", "walk"}, .is_creature = true},
};

static const struct {
    const char *name, *text;
} inputs[] = {
    {"script.json", "{\"seconds\": 0.2, \"steps\": [{\"at\": 0.1, \"set\": {\"a\": 1}}, {\"at\": "
                    "0.1, \"request\": \"stop\"}]}"},
    {"sets.json",
     "{\"version\": 1, \"sets\": {\"s\": {\"parameters\": {\"a\": 0}, \"start\": \"go\", "
     "\"states\": {\"go\": {\"choices\": [{\"clip\": \"walk\"}]}, \"stop\": {\"choices\": "
     "[{\"clip\": \"walk\"}]}}, \"transitions\": [{\"from\": \"go\", \"to\": \"stop\"}]}}}"},
    {"mix.json", "{\"layers\": [{\"inputs\": [{\"clip\": \"walk\"}]}]}"},
    {"cloud.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                  "property float z\nend_header\n0 0 0\n0 1 0\n1 0 0\n"},
    {"groups.json", "{\"groups\": [[\"hips\"], [1]], \"points\": [0, 1, -1]}"},
};
static const char old_text[] = "what stood here before";

typedef struct bytes {
    char *data;
    size_t size;
} bytes;

static bytes read_bytes(const char *folder, const char *name)
{
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    bytes b = {NULL, 0};
    if (!file)
        return b;
    struct stat status;
    assert_int_equal(fstat(fileno(file), &status), 0);
    b.size = (size_t)status.st_size;
    b.data = malloc(b.size + 1);
    assert_non_null(b.data);
    assert_int_equal(fread(b.data, 1, b.size, file), b.size);
    b.data[b.size] = '\0';
    fclose(file);
    return b;
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static bool same(const bytes *a, const bytes *b)
{
    return a->data && b->data && a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

// The first file of the folder that is neither an input nor the output nor what the run itself
// says.
static bool something_is_left(const char *folder, const command *c, char out_name[64])
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    bool found = false;
    for (struct dirent *e = readdir(dir); e && !found; e = readdir(dir)) {
        bool known = e->d_name[0] == '.' || strcmp(e->d_name, "stdout") == 0 ||
                     strcmp(e->d_name, "stderr") == 0 ||
                     (c->output && strcmp(e->d_name, c->output) == 0);
        for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
            known = known || strcmp(e->d_name, inputs[i].name) == 0;
        if (!known)
            snprintf(out_name, 64, "%.60s", e->d_name);
        found = !known;
    }
    closedir(dir);
    return found;
}

// Runs a command with memory that fails. Returns what waitpid says.
static int run_command(const char *folder, const command *c, unsigned long at, bool after)
{
    static char words[MOST_WORDS + 1][MOST_PATH];
    char *argv[MOST_WORDS + 2] = {"sinew"};
    int argc = 1;
    for (; argc <= MOST_WORDS && c->words[argc - 1]; argc++) {
        const char *word = c->words[argc - 1];
        snprintf(words[argc], MOST_PATH, "%s%s", word[0] == '$' ? getenv("SINEW_SOURCE_DIR") : "",
                 word + (word[0] == '$'));
        argv[argc] = words[argc];
    }
    shared->count = 0;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        const int out =
            chdir(folder) == 0 ? open("stdout", O_CREAT | O_TRUNC | O_WRONLY, 0666) : -1;
        const int err = open("stderr", O_CREAT | O_TRUNC | O_WRONLY, 0666);
        if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
            _exit(99);
        fail_at = at, fail_after = after, counts = true;
        exit(cli_main(argc, argv));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

// What is wrong with a run, as a text; NULL: nothing.
static const char *fault_of_run(const char *folder, const command *c, int status,
                                const bytes *want_out, const bytes *want_file)
{
    static char text[160];
    char left[64];
    bytes out = read_bytes(folder, "stdout"), err = read_bytes(folder, "stderr");
    bytes file = c->output ? read_bytes(folder, c->output) : (bytes){NULL, 0};
    const bytes old = {(char *)(uintptr_t)old_text, sizeof old_text - 1};
    const char *fault = NULL;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (WIFSIGNALED(status)) {
        snprintf(text, sizeof text, "signal %d: %.100s", WTERMSIG(status), err.data);
        fault = text;
    } else if (code < 0 || code > CLI_EXIT_WRITE) {
        fault = "the exit status is none that is documented";
    } else if (code != 0 && err.size == 0) {
        fault = "it fails without a word";
    } else if (code == 0 && !c->is_timed && !same(&out, want_out)) {
        fault = "it ends well, and says something else than it would";
    } else if (c->output && !same(&file, want_file) && (code == 0 || !same(&file, &old))) {
        fault = "the output is neither old nor whole";
    } else if (something_is_left(folder, c, left)) {
        snprintf(text, sizeof text, "%s is left behind", left);
        fault = text;
    }
    free(out.data);
    free(err.data);
    free(file.data);
    return fault;
}

static void remove_all(const char *folder, const command *c)
{
    char left[64], path[MOST_PATH];
    while (something_is_left(folder, c, left)) {
        snprintf(path, sizeof path, "%s/%s", folder, left);
        assert_int_equal(remove(path), 0);
    }
}

// Returns how many allocations failed; *failures counts what is wrong.
static unsigned long sweep_command(const char *folder, const command *c, unsigned long creature,
                                   unsigned *failures)
{
    const int status = run_command(folder, c, 0, false);
    const unsigned long count = shared->count;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        bytes err = read_bytes(folder, "stderr");
        print_error("%s %s: %s\n", c->words[0], c->words[1], err.data);
        free(err.data);
        fail();
    }
    bytes out = read_bytes(folder, "stdout");
    bytes file = c->output ? read_bytes(folder, c->output) : (bytes){NULL, 0};
    unsigned long tried = 0;
    for (unsigned long n = 1; n <= count; n++) {
        if (c->is_creature && n < creature && n % STRIDE != 1)
            continue;
        if (c->output)
            write_text(folder, c->output, old_text);
        const bool after = tried++ % 2;
        const char *fault = fault_of_run(folder, c, run_command(folder, c, n, after), &out, &file);
        if (!fault)
            continue;
        ++*failures;
        print_error("%s %s: allocation %lu of %lu%s: %s\n", c->words[0], c->words[1], n, count,
                    after ? " and all after" : "", fault);
        remove_all(folder, c);
    }
    free(out.data);
    free(file.data);
    return tried;
}

static void every_allocation_of_every_command(void **state)
{
    (void)state;
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED && getenv("SINEW_SOURCE_DIR"));
    char folder[] = "/tmp/sinew_memory_XXXXXX";
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        write_text(folder, inputs[i].name, inputs[i].text);
    const command creature = {.words = {"inspect", "@creature"}};
    assert_int_equal(run_command(folder, &creature, 0, false), 0);
    assert_true(shared->count > CREATURE_REST);
    const unsigned long first = shared->count - CREATURE_REST;
    unsigned long tried = 0;
    unsigned failures = 0;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const unsigned long here = sweep_command(folder, &commands[i], first, &failures);
        assert_true(here > 2);
        tried += here;
        if (commands[i].output) {
            char path[MOST_PATH];
            snprintf(path, sizeof path, "%s/%s", folder, commands[i].output);
            remove(path);
        }
    }
    print_message("%lu allocations failed in %zu commands\n", tried,
                  sizeof commands / sizeof *commands);
    static const command none;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        char path[MOST_PATH];
        snprintf(path, sizeof path, "%s/%s", folder, inputs[i].name);
        remove(path);
    }
    for (int i = 0; i < 2; i++) {
        char path[MOST_PATH];
        snprintf(path, sizeof path, "%s/%s", folder, i ? "stdout" : "stderr");
        remove(path);
    }
    remove_all(folder, &none);
    rmdir(folder);
    munmap((void *)shared, 4096);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_every_command)};
    return TEST_RUN(tests);
}

#endif
