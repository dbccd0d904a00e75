// SPDX-License-Identifier: MIT
// Bones of humanoids by name. Each joint's name is boiled down to letters, digits and a side once,
// and looked for in all tables; the table with most bones wins as a whole.
#include "sinew/humanoid.h"

#include <string.h>

#include "anim/humanoid_names.h"
#include "anim/side_names.h"

static const char *const bone_words[SINEW_HUMANOID_COUNT] = {
#define BONE_WORD(name, word) word,
    SINEW_HUMANOID_TABLE(BONE_WORD)
#undef BONE_WORD
};

const char *sinew_humanoid_bone_word(sinew_humanoid_bone bone)
{
    return (unsigned)bone < SINEW_HUMANOID_COUNT ? bone_words[bone] : "";
}

int32_t sinew_humanoid_find_bone(const char *word)
{
    for (int32_t bone = 0; word && bone < SINEW_HUMANOID_COUNT; bone++)
        if (strcmp(bone_words[bone], word) == 0)
            return bone;
    return -1;
}

static bool bone_has_sides(int32_t bone)
{
    return bone >= SINEW_HUMANOID_LEFT_EYE;
}

// A joint's name, boiled down.
typedef struct plain_name {
    char text[64]; // longer ones are in no table
    sinewi_side side;
} plain_name;

static void drop_prefixes(char *text)
{
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; sinewi_humanoid_prefixes[i]; i++) {
            const char *prefix = sinewi_humanoid_prefixes[i];
            size_t length = strlen(prefix);
            if (strncmp(text, prefix, length) != 0)
                continue;
            if (strcmp(prefix, "mixamorig") == 0)
                while (text[length] >= '0' && text[length] <= '9')
                    length++;
            if (!text[length])
                continue; // a name of its own
            memmove(text, text + length, strlen(text + length) + 1);
            again = true;
            break;
        }
    }
}

static bool boil_down(const char *name, plain_name *out)
{
    for (const char *c = name; *c; c++)
        if (*c == ':' || *c == '|')
            name = c + 1;
    sinewi_side_mark marks[SINEWI_SIDE_MARKS], mark = {0, 0, SINEWI_SIDE_NONE};
    for (int rule = SINEWI_SIDE_WORD; rule <= SINEWI_SIDE_PART && !mark.length; rule++) {
        uint32_t count = sinewi_find_side_marks(name, rule, marks);
        if (count)
            mark = marks[count - 1];
    }
    out->side = mark.side;
    size_t length = 0;
    for (size_t i = 0; name[i]; i++) {
        if (i >= mark.at && i < mark.at + mark.length)
            continue;
        char c = name[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')))
            continue;
        if (length + 1 == sizeof out->text)
            return false;
        out->text[length++] = c;
    }
    out->text[length] = '\0';
    drop_prefixes(out->text);
    return out->text[0] != '\0';
}

// Which of the names, a space between, is the text: 0, 1, ...; -1 for none.
static int32_t rank_of_name(const char *names, const char *text)
{
    size_t length = strlen(text);
    for (int32_t rank = 0;; rank++) {
        const char *end = strchr(names, ' ');
        size_t size = end ? (size_t)(end - names) : strlen(names);
        if (size == length && memcmp(names, text, size) == 0)
            return rank;
        if (!end)
            return -1;
        names = end + 1;
    }
}

typedef struct bone_choice {
    int32_t joint, rank;
} bone_choice;

static void choose_by_table(const sinewi_humanoid_names *table, const plain_name *name,
                            int32_t joint, bone_choice *choices)
{
    for (uint32_t r = 0; r < table->row_count; r++) {
        int32_t bone = (int32_t)table->rows[r].bone;
        if (bone_has_sides(bone) != (name->side != SINEWI_SIDE_NONE))
            continue;
        int32_t rank = rank_of_name(table->rows[r].names, name->text);
        bone += name->side == SINEWI_SIDE_RIGHT;
        if (rank >= 0 && (choices[bone].joint < 0 || rank < choices[bone].rank)) {
            choices[bone].joint = joint;
            choices[bone].rank = rank;
        }
    }
}

static bool is_joint_taken(const int32_t *joints, int32_t joint)
{
    for (int32_t bone = 0; bone < SINEW_HUMANOID_COUNT; bone++)
        if (joints[bone] == joint)
            return true;
    return false;
}

static const char *match_tables(const sinew_skeleton *skeleton, int32_t *joints)
{
    bone_choice choices[SINEWI_HUMANOID_TABLES][SINEW_HUMANOID_COUNT];
    for (int t = 0; t < SINEWI_HUMANOID_TABLES; t++)
        for (int b = 0; b < SINEW_HUMANOID_COUNT; b++)
            choices[t][b].joint = choices[t][b].rank = -1;
    uint32_t joint_count = sinew_skeleton_joint_count(skeleton);
    for (uint32_t j = 0; j < joint_count; j++) {
        plain_name name;
        if (!boil_down(sinew_skeleton_joint_name(skeleton, j), &name))
            continue;
        for (int t = 0; t < SINEWI_HUMANOID_TABLES; t++)
            choose_by_table(&sinewi_humanoid_tables[t], &name, (int32_t)j, choices[t]);
    }
    int best = -1, best_count = 0;
    for (int t = 0; t < SINEWI_HUMANOID_TABLES; t++) {
        int count = 0;
        for (int b = 0; b < SINEW_HUMANOID_COUNT; b++) {
            for (int earlier = 0; earlier < b; earlier++) // one joint, one bone: the first has it
                if (choices[t][earlier].joint == choices[t][b].joint)
                    choices[t][b].joint = -1;
            count += choices[t][b].joint >= 0;
        }
        if (count > best_count) {
            best = t;
            best_count = count;
        }
    }
    if (best < 0)
        return "";
    for (int b = 0; b < SINEW_HUMANOID_COUNT; b++)
        if (joints[b] < 0 && !is_joint_taken(joints, choices[best][b].joint))
            joints[b] = choices[best][b].joint;
    return sinewi_humanoid_tables[best].title;
}

sinew_result sinew_humanoid_match(const sinew_humanoid_match_args *args)
{
    if (!args || !args->skeleton || !args->out_joints || (args->known_count && !args->known) ||
        (args->name_count && !args->names))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->out_count < SINEW_HUMANOID_COUNT)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    for (uint32_t i = 0; i < args->known_count; i++)
        if (args->known[i].joint >= sinew_skeleton_joint_count(args->skeleton))
            return SINEW_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < args->name_count; i++)
        if (sinew_humanoid_find_bone(args->names[i].bone) < 0 || !args->names[i].joint)
            return SINEW_ERROR_INVALID_ARGUMENT;
    int32_t *joints = args->out_joints;
    for (int b = 0; b < SINEW_HUMANOID_COUNT; b++)
        joints[b] = -1;
    for (uint32_t i = 0; i < args->known_count; i++) {
        int32_t bone = sinew_humanoid_find_bone(args->known[i].bone);
        if (bone >= 0 && joints[bone] < 0 && !is_joint_taken(joints, (int32_t)args->known[i].joint))
            joints[bone] = (int32_t)args->known[i].joint;
    }
    for (uint32_t i = 0; i < args->name_count; i++) {
        int32_t bone = sinew_humanoid_find_bone(args->names[i].bone);
        int32_t joint = sinew_skeleton_find_joint(args->skeleton, args->names[i].joint);
        if (joints[bone] < 0 && joint >= 0 && !is_joint_taken(joints, joint))
            joints[bone] = joint;
    }
    const char *table = args->known_count ? "" : match_tables(args->skeleton, joints);
    if (args->out_table)
        *args->out_table = table;
    return SINEW_OK;
}
