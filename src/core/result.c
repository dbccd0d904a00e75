// SPDX-License-Identifier: MIT
// Words and sentences of the codes, from the one table of base.h.
#include "sinew/base.h"

typedef struct result_row {
    const char *word;
    const char *sentence;
    sinew_severity severity;
} result_row;

static const result_row result_rows[SINEW_RESULT_COUNT] = {
#define RESULT_ROW(name, word, severity, sentence) {word, sentence, SINEW_SEVERITY_##severity},
    SINEW_RESULT_TABLE(RESULT_ROW)
#undef RESULT_ROW
};

// What a finding means for who made or uses the file. docs/findings.md is made from these rows too.
// clang-format off
static const char *const result_advices[SINEW_RESULT_COUNT] = {
#define ADVICE(name, text) [SINEW_##name] = text,
    ADVICE(INVERSE_BINDS_MISSING,
           "Vertices of the joints without a matrix are placed as if the joints stood at "
           "the origin when the mesh was bound: look for parts that fly off. Export the "
           "skin again.")
    ADVICE(WEIGHTS_NOT_NORMALISED,
           "Unrepaired, these vertices would be pulled to the origin or pushed away from "
           "it. Now each goes by the proportions of its weights, which is what was meant "
           "nearly always. Nothing to do, unless single vertices look odd in motion.")
    ADVICE(WEIGHTS_ZERO,
           "These vertices follow one joint alone, perhaps the wrong one: look whether "
           "they stay behind in motion, and paint their weights if so.")
    ADVICE(WEIGHTS_NEGATIVE,
           "The vertex goes by its other weights. Look at it in motion; the tool that "
           "wrote the file smoothed or mirrored weights without clamping them.")
    ADVICE(WEIGHTS_NOT_FINITE,
           "Unrepaired, these vertices would vanish or tear the picture. The vertex goes "
           "by its other weights; where it has none, see weights_zero.")
    ADVICE(JOINTS_REPEATED,
           "The result is the one that the weights mean. Nothing to do.")
    ADVICE(JOINTS_UNUSED_OUT_OF_RANGE,
           "Nothing moves otherwise: the joint had no weight. Nothing to do.")
    ADVICE(POSITIONS_NOT_FINITE,
           "Vertices at 0 may stick out of the mesh to its origin: look for them. The mesh "
           "has a hole in its data; export it again.")
    ADVICE(NODE_NOT_FINITE,
           "What hangs below the node, or is moved by the joint, may stand in the wrong "
           "place. Export the file again.")
    ADVICE(KEYS_NOT_FINITE,
           "The motion holds still over these keys. Look at the clip there.")
    ADVICE(KEY_TIMES_REPEATED,
           "A jump between two poses, meant by some authors and left by some exporters. "
           "Nothing to do if the motion looks right.")
    ADVICE(KEY_TIMES_DECREASING,
           "This property does not move in the clip. The file is damaged, or its exporter "
           "is; export it again.")
    ADVICE(KEY_TIMES_NEGATIVE,
           "The clip begins where time is 0; what was before it is not played. Move the "
           "keys in the tool if it should be.")
    ADVICE(QUATERNION_NOT_UNIT,
           "Unrepaired, meshes would swell or shrink. Now they turn as meant. Small errors "
           "come from rounded text, large ones from a faulty exporter.")
    ADVICE(QUATERNION_ZERO,
           "No rotation is written there, so none is made: look at the joint. Export the "
           "file again.")
    ADVICE(CHANNEL_REPEATED,
           "Two motions were written for one property and only the first is played. If the "
           "wrong one plays, remove the other in the tool.")
    ADVICE(SPLINE_ONE_KEY,
           "The value holds over the whole clip. Nothing to do.")
    ADVICE(MORPH_WEIGHTS_COUNT,
           "Expressions without a weight start at 0, surplus weights drive nothing. Look "
           "at the face.")
    ADVICE(INDICES_OUT_OF_RANGE,
           "The mesh has holes where triangles were dropped. The file is damaged; export "
           "it again.")
    ADVICE(CHANNEL_WITHOUT_TARGET,
           "Shape and skeleton are whole; what the channel drives (a light, a material, a "
           "camera) does not move.")
    ADVICE(CHANNEL_TARGET_MISSING,
           "Something that was meant to move is not in the file: a node was deleted after "
           "the clip was made.")
    ADVICE(CHANNEL_EMPTY,
           "The property keeps its rest value. Nothing to do.")
    ADVICE(ANIMATION_EMPTY,
           "The clip is there and shows the rest pose. Nothing to do.")
    ADVICE(SAMPLER_STRIDE,
           "The numbers are right. Other readers may take them for damaged.")
    ADVICE(WEIGHTS_NOT_FLAGGED,
           "The weights are right. Other readers may take them for large numbers.")
    ADVICE(MATRIX_ANIMATED,
           "The clip replaces parts of the matrix; shear, if it had any, stays. Nothing to "
           "do.")
    ADVICE(SKIN_TWO_ROOTS,
           "All joints are kept and move. Other readers may lose the ones outside the "
           "first tree.")
    ADVICE(SKIN_EMPTY,
           "The mesh is drawn where its node stands. Nothing to do.")
    ADVICE(SKIN_WITHOUT_INFLUENCES,
           "That mesh, or the part named, does not follow the skeleton but its node. If it "
           "should, it was exported without weights.")
    ADVICE(INFLUENCES_WITHOUT_SKIN,
           "The mesh stands still beside its skeleton. If it should move, the node lost "
           "its skin.")
    ADVICE(SKIN_WITHOUT_MESH,
           "Nothing is drawn there. Nothing to do.")
    ADVICE(SCENE_NODE_NOT_ROOT,
           "The node is shown once, below its parent. Nothing to do.")
    ADVICE(GLB_EXTRA_DATA,
           "What stands behind the end is not read. Nothing to do, unless the file was "
           "joined by mistake.")
    ADVICE(RULE_BROKEN,
           "Nothing is lost or changed here. Stricter readers may refuse the file.")
    ADVICE(SKELETON_NOT_ABOVE,
           "Motion is right: the hint is never used. Readers that trust it lose the joints "
           "outside.")
    ADVICE(IMAGE_MISSING,
           "Surfaces show their plain colour. Put the picture beside the file.")
    ADVICE(COPIES_IGNORED,
           "One figure is drawn where more were meant.")
    ADVICE(HUMAN_BONE_INVALID,
           "Motions made for humanoids do not reach this bone.")
    ADVICE(EXTENSION_IGNORED,
           "Shape, skeleton and motion do not depend on it, unless the message says so.")
    ADVICE(INFLUENCES_REDUCED,
           "You asked for it. Where much weight went, vertices move less smoothly; ask for "
           "more influences there.")
    ADVICE(FIRST_KEY_LATE,
           "Until then the first pose holds, in each round of a loop again: a visible "
           "pause, if it is long. An option of the importer moves clips to 0.")
    ADVICE(JOINTS_UNUSED,
           "Helpers such as targets of IK, or ends of chains. They cost a little time and "
           "matter to nothing that is drawn.")
    ADVICE(ROOT_NOT_A_JOINT,
           "As most exporters write it: an armature above the joints. Its transform "
           "counts, and programs that read joints alone would lose it.")
    ADVICE(EXTENSION_IN_PART,
           "Shape, skeleton and motion do not depend on it, unless the message says so.")
    ADVICE(NODE_SHEARED,
           "Drawn as meant here. Programs that know only translation, rotation and scale "
           "show it otherwise.")
    ADVICE(STATE_UNREACHABLE,
           "Nobody can ask for it either, as requests follow transitions. A transition is "
           "missing, or the state is.")
    ADVICE(STATE_WITHOUT_EXIT,
           "Fine for a last state, such as lying dead. Else a transition or a next is "
           "missing.")
    ADVICE(PARAMETER_UNUSED,
           "Take it out, or look for the condition that was meant to ask for it.")
    ADVICE(CLIP_MISSING,
           "Fine where the set serves several rigs and the state has another choice. Else "
           "look at the name, and at the prefix of the rig.")
    ADVICE(STATE_WITHOUT_CLIP,
           "Ask sinew_set_binding_can_play before asking for such a state.")
    ADVICE(MARK_PAST_END, "Times are seconds of the clip; give a phase for clips of any length.")
    ADVICE(SPRING_BONE_INVALID,
           "Hair or cloth of that chain stays with its parent. Export the avatar again.")
    ADVICE(MARKERS_DIFFER,
           "Give all of them the same names in the same order, or none of them any.")
    ADVICE(FRAME_COUNT_WRONG,
           "A file that was cut off, where it holds fewer. All whole frames play.")
    ADVICE(FRAME_INCOMPLETE,
           "A file that was cut off, most often. All whole frames play.")
    ADVICE(FIRST_FRAME_APART,
           "It plays as one frame of a jump. An option of the reader cuts it off "
           "(--cut-first-frame).")
    ADVICE(FRAME_GLITCH,
           "Markers that were lost or mistaken for others, most often. It plays as it is; look at "
           "the frame.")
    ADVICE(NAMES_REPEATED,
           "By name the first is found; all are there by index. Clips for other rigs bind by "
           "name.")
#undef ADVICE
};
// clang-format on

int sinew_version(void)
{
    return SINEW_VERSION;
}

static bool result_is_known(sinew_result result)
{
    return (unsigned)result < (unsigned)SINEW_RESULT_COUNT;
}

const char *sinew_result_word(sinew_result result)
{
    return result_is_known(result) ? result_rows[result].word : "unknown";
}

const char *sinew_result_message(sinew_result result)
{
    return result_is_known(result) ? result_rows[result].sentence : "an unknown code";
}

const char *sinew_result_advice(sinew_result result)
{
    return result_is_known(result) && result_advices[result] ? result_advices[result] : "";
}

sinew_severity sinew_result_severity(sinew_result result)
{
    return result_is_known(result) ? result_rows[result].severity : SINEW_SEVERITY_ERROR;
}

const char *sinew_severity_word(sinew_severity severity)
{
    switch (severity) {
    case SINEW_SEVERITY_INFO:
        return "info";
    case SINEW_SEVERITY_WARNING:
        return "warning";
    case SINEW_SEVERITY_REPAIR:
        return "repair";
    case SINEW_SEVERITY_ERROR:
        break;
    }
    return "error";
}
