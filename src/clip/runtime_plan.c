// SPDX-License-Identifier: MIT
// Building runtime clips: what each joint does over all samples, and in which axes its rotation is
// told.
//
// A rotation that is off by a small vector e moves a point at p, in the joint's frame, by e x p.
// The points that matter are the shell of the joint, the joints that hang on it, and the shells of
// those that cannot make up for it because they do not turn by themselves. With weights w,
//
//     sum w |e x p|^2 = e' M e,    M = sum w (|p|^2 I - p p')
//
// so errors matter alike along all axes of H e, H the root of M. Among those axes, U turns to where
// the rotation is hard to predict (the principal axes of H C H, C the covariance of second
// differences): a hinge is then one channel. Numbers n stand for e = A n with A = H^-1 U.
#include <math.h>

#include "clip/runtime_builder.h"

enum { PLAN_SWEEPS = 12 };
static const double still = 1e-6;        // a property that moves by less is constant,
static const double still_share = 0.02;  // if that moves nothing by more than so much of the bound
static const double constant_off = 2e-6; // what rounding leaves of a constant rotation
// Axes are kept in six bits: of the levers the longest may be so many times the shortest.
static const double lever_ratio = 12.0;
static const double most_turn = 0.25; // radians, of a number: what is small can turn anyhow
static const double child_weight = 1.0, shell_weight = 0.5; // in M; measured, see docs
// Of a limb: rotations are told no finer, or their numbers would not hold half a turn. Floats do
// not keep less either.
static const double least_share = 0x1p-22;
static const double vector_share = 0.7;    // of the bound for a step of a translation
static const double velocity_share = 0.05; // of the covariance that is of first differences

// ---- Small algebra ----------------------------------------------------------------------------------------

// Eigenvectors (columns of v) and eigenvalues of a symmetric matrix, by Jacobi's rotations.
static void symmetric_axes(double m[3][3], double v[3][3], double w[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            v[i][j] = i == j;
    for (int sweep = 0; sweep < PLAN_SWEEPS; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (!(fabs(m[p][q]) > 1e-300))
                    continue;
                const double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
                const double t =
                    (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < 3; k++) {
                    const double a = m[k][p], b = m[k][q];
                    m[k][p] = c * a - s * b, m[k][q] = s * a + c * b;
                }
                for (int k = 0; k < 3; k++) {
                    const double a = m[p][k], b = m[q][k];
                    m[p][k] = c * a - s * b, m[q][k] = s * a + c * b;
                }
                for (int k = 0; k < 3; k++) {
                    const double a = v[k][p], b = v[k][q];
                    v[k][p] = c * a - s * b, v[k][q] = s * a + c * b;
                }
            }
    for (int i = 0; i < 3; i++)
        w[i] = m[i][i];
}

static void multiply3(double a[3][3], double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

static bool invert3(const float a[9], double out[9])
{
    const double m[9] = {(double)a[0], (double)a[1], (double)a[2], (double)a[3], (double)a[4],
                         (double)a[5], (double)a[6], (double)a[7], (double)a[8]};
    const double c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8],
                 c2 = m[3] * m[7] - m[4] * m[6];
    const double d = m[0] * c0 + m[1] * c1 + m[2] * c2;
    double size = 0.0;
    for (int i = 0; i < 9; i++)
        size += m[i] * m[i];
    if (!(fabs(d) > 1e-9 * size * sqrt(size)))
        return false;
    const double r[9] = {c0, m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                         c1, m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                         c2, m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    for (int i = 0; i < 9; i++)
        out[i] = r[i] / d;
    return true;
}

static void turn_point(const float q[4], const double p[3], double out[3])
{
    const double x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3];
    const double t[3] = {2.0 * (y * p[2] - z * p[1]), 2.0 * (z * p[0] - x * p[2]),
                         2.0 * (x * p[1] - y * p[0])};
    out[0] = p[0] + w * t[0] + (y * t[2] - z * t[1]);
    out[1] = p[1] + w * t[1] + (z * t[0] - x * t[2]);
    out[2] = p[2] + w * t[2] + (x * t[1] - y * t[0]);
}

// ---- Looking at all samples -------------------------------------------------------------------------------

// What is gathered of a joint. Rotations are taken in one half-space, from sample to sample.
typedef struct plan_watch {
    float first[10], last[2][10];       // the sample before, and the one before that
    double from_first[3], from_rest[3]; // largest differences, by property
    double sum[10];
    double low[3], high[3]; // scale
    double far;             // the longest translation, squared
    double covariance[3][3];
} plan_watch;

static void align_rotation(const float *to, float *q)
{
    if (q[0] * to[0] + q[1] * to[1] + q[2] * to[2] + q[3] * to[3] < 0.0f)
        for (int k = 0; k < 4; k++)
            q[k] = -q[k];
}

static double property_difference(const float *a, const float *b, uint32_t property)
{
    static const int begin[4] = {0, 3, 7, 10};
    double most = 0.0;
    for (int k = begin[property]; k < begin[property + 1]; k++) {
        const double d = fabs((double)a[k] - (double)b[k]);
        most = d > most ? d : most;
    }
    return most;
}

// The rotation vector from one unit quaternion to another, in the first one's frame.
static void vector_between_rotations(const double a[4], const float b[4], double out[3])
{
    const double x = (double)b[0], y = (double)b[1], z = (double)b[2], w = (double)b[3];
    double v[4] = {
        a[3] * x - a[0] * w - a[1] * z + a[2] * y, a[3] * y + a[0] * z - a[1] * w - a[2] * x,
        a[3] * z - a[0] * y + a[1] * x - a[2] * w, a[3] * w + a[0] * x + a[1] * y + a[2] * z};
    const double sign = v[3] < 0.0 ? -2.0 : 2.0; // small angles: twice the vector part
    for (int k = 0; k < 3; k++)
        out[k] = sign * v[k];
}

static void watch_rotation(plan_watch *w, const float *local)
{
    double middle[4], size = 0.0;
    for (int k = 0; k < 4; k++) {
        middle[k] = (double)w->last[1][3 + k] + (double)local[3 + k];
        size += middle[k] * middle[k];
    }
    if (!(size > 1e-6))
        return;
    for (int k = 0; k < 4; k++)
        middle[k] /= sqrt(size);
    double before[4], second[3], first[3];
    for (int k = 0; k < 4; k++)
        before[k] = (double)w->last[1][3 + k];
    vector_between_rotations(middle, w->last[0] + 3, second);
    vector_between_rotations(before, w->last[0] + 3, first);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            w->covariance[i][j] += second[i] * second[j] + velocity_share * first[i] * first[j];
}

// False where a value is not finite: splines can leave the floats between good keys.
static bool watch_samples(sinewi_runtime_build *b, plan_watch *watches)
{
    const sinew_transform *rest = sinew_skeleton_rest(b->skeleton);
    sinewi_build_room *room = &b->rooms[0];
    float *locals = room->locals;
    for (uint32_t n = 0; n < b->sample_count; n++) {
        sinewi_build_sample(b, room, sinewi_build_time(b, n), locals);
        if (!sinewi_all_finite(locals, 10 * (size_t)b->joint_count)) {
            sinewi_error(b->error_out, SINEW_ERROR_NOT_FINITE, NULL,
                         "the source is not finite at %.9g s", sinewi_build_time(b, n));
            return false;
        }
        for (uint32_t j = 0; j < b->joint_count; j++) {
            plan_watch *w = &watches[j];
            float *local = locals + 10 * (size_t)j;
            if (n == 0) {
                memcpy(w->first, local, sizeof w->first);
                for (int k = 0; k < 3; k++)
                    w->low[k] = w->high[k] = (double)local[7 + k];
            } else {
                align_rotation(w->last[0] + 3, local + 3);
            }
            float resting[10] = {rest[j].translation.x, rest[j].translation.y,
                                 rest[j].translation.z, rest[j].rotation.x,
                                 rest[j].rotation.y,    rest[j].rotation.z,
                                 rest[j].rotation.w,    rest[j].scale.x,
                                 rest[j].scale.y,       rest[j].scale.z};
            align_rotation(local + 3, resting + 3);
            for (uint32_t p = 0; p < 3; p++) {
                const double a = property_difference(local, w->first, p);
                const double r = property_difference(local, resting, p);
                w->from_first[p] = a > w->from_first[p] ? a : w->from_first[p];
                w->from_rest[p] = r > w->from_rest[p] ? r : w->from_rest[p];
            }
            double square = 0.0;
            for (int k = 0; k < 3; k++)
                square += (double)local[k] * (double)local[k];
            w->far = sinewi_larger(w->far, square);
            for (int k = 0; k < 10; k++)
                w->sum[k] += (double)local[k];
            for (int k = 0; k < 3; k++) {
                w->low[k] = sinewi_smaller(w->low[k], (double)local[7 + k]);
                w->high[k] = sinewi_larger(w->high[k], (double)local[7 + k]);
            }
            if (n >= 2)
                watch_rotation(w, local);
            memcpy(w->last[1], w->last[0], sizeof w->last[1]);
            memcpy(w->last[0], local, sizeof w->last[0]);
        }
    }
    return true;
}

// ---- Kinds and references ---------------------------------------------------------------------------------

// The cube root of the volume, kept away from 0: a figure that is scaled away shows no errors.
static double mean_size(const float scale[3])
{
    const double volume = fabs((double)scale[0] * (double)scale[1] * (double)scale[2]);
    if (!(volume > 1e-9 && volume < 1e30))
        return volume > 1.0 ? 1e10 : 1e-3;
    double root = volume > 1.0 ? volume : 1.0; // Newton's method from above
    for (int i = 0; i < 120; i++)
        root -= (root - volume / (root * root)) / 3.0;
    return root;
}

// How long a unit of a joint's frame is, and how far what hangs on it reaches: no further than its
// limbs laid end to end.
static void find_reaches(sinewi_runtime_build *b, const plan_watch *watches)
{
    for (uint32_t j = 0; j < b->joint_count; j++) {
        sinewi_build_joint *joint = &b->joints[j];
        const float scale[3] = {(float)(watches[j].sum[7] / b->sample_count),
                                (float)(watches[j].sum[8] / b->sample_count),
                                (float)(watches[j].sum[9] / b->sample_count)};
        joint->size = mean_size(scale) * (joint->parent >= 0 ? b->joints[joint->parent].size : 1.0);
        joint->reach = b->shell * joint->size;
    }
    for (uint32_t j = b->joint_count; j-- > 0;) {
        sinewi_build_joint *joint = &b->joints[j];
        if (joint->parent < 0)
            continue;
        double square = 0.0;
        for (int k = 0; k < 3; k++)
            square += watches[j].sum[k] * watches[j].sum[k];
        sinewi_build_joint *parent = &b->joints[joint->parent];
        const double reach = sqrt(square) / b->sample_count * parent->size + joint->reach;
        parent->reach = sinewi_larger(parent->reach, reach);
    }
}

// A bound is no smaller than a share of the longest limb, which is as far as joints ever stand from
// the roots of their rig.
static void raise_bound(sinewi_runtime_build *b, const plan_watch *watches)
{
    for (uint32_t j = 0; j < b->joint_count; j++) {
        double limb = b->joints[j].reach;
        for (int32_t i = (int32_t)j; b->joints[i].parent >= 0; i = b->joints[i].parent)
            limb += sqrt(watches[i].far) * b->joints[b->joints[i].parent].size;
        b->error = sinewi_larger(b->error, least_share * limb);
    }
}

static uint8_t kind_of(const sinewi_runtime_build *b, const plan_watch *w, uint32_t joint,
                       uint32_t property)
{
    if (property == SINEW_PROPERTY_TRANSLATION && b->desc->no_translations &&
        b->joints[joint].parent >= 0)
        return SINEWI_RUNTIME_REST;
    const sinew_track *track =
        sinew_clip_binding_find_track(b->binding, joint, (sinew_property)property);
    if (!track)
        return SINEWI_RUNTIME_REST;
    if (track->interpolation == SINEW_INTERPOLATION_STEP && track->key_count > 1)
        return SINEWI_RUNTIME_HELD;
    const double bound = still_share * b->error;
    const int32_t parent = b->joints[joint].parent;
    double limit = bound / (parent >= 0 ? b->joints[parent].size : 1.0);
    if (property != SINEW_PROPERTY_TRANSLATION)
        limit = sinewi_smaller(still, bound / b->joints[joint].reach);
    if (b->exact)
        limit = 0.0;
    if (w->from_rest[property] <= limit)
        return SINEWI_RUNTIME_REST;
    const bool round = property == SINEW_PROPERTY_ROTATION;
    if (w->from_first[property] > limit ||
        (round && (b->exact || constant_off * b->joints[joint].reach > 0.2 * b->error)))
        return SINEWI_RUNTIME_ANIMATED;
    return SINEWI_RUNTIME_CONSTANT;
}

static void plan_joint(sinewi_runtime_build *b, const plan_watch *w, uint32_t j)
{
    sinewi_build_joint *joint = &b->joints[j];
    joint->constant = sinew_skeleton_rest(b->skeleton)[j];
    for (uint32_t p = 0; p < 3; p++) {
        joint->kinds[p] = kind_of(b, w, j, p);
        b->counts[joint->kinds[p]][p]++;
    }
    const float *first = w->first;
    if (joint->kinds[SINEW_PROPERTY_TRANSLATION] != SINEWI_RUNTIME_REST)
        joint->constant.translation = sinew_vec3_make(first[0], first[1], first[2]);
    if (joint->kinds[SINEW_PROPERTY_SCALE] != SINEWI_RUNTIME_REST)
        joint->constant.scale = sinew_vec3_make(first[7], first[8], first[9]);
    const uint8_t turns = joint->kinds[SINEW_PROPERTY_ROTATION];
    if (turns == SINEWI_RUNTIME_CONSTANT || turns == SINEWI_RUNTIME_HELD) {
        float q[4] = {first[3], first[4], first[5], first[6]};
        if (turns == SINEWI_RUNTIME_CONSTANT) {
            const double exact[4] = {(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
            joint->packed_rotation = sinewi_runtime_pack_quat(exact, 20);
            sinewi_runtime_unpack_quat(joint->packed_rotation, 20, q);
        }
        joint->constant.rotation = sinew_quat_make(q[0], q[1], q[2], q[3]);
    }
    // References: the mean, and the first sample where rotations have none.
    double mean[4], size = 0.0;
    for (int k = 0; k < 4; k++) {
        mean[k] = w->sum[3 + k] / b->sample_count;
        size += mean[k] * mean[k];
    }
    for (int k = 0; k < 4; k++)
        mean[k] = size > 1e-3 ? mean[k] / sqrt(size) : (double)first[3 + k];
    if (turns == SINEWI_RUNTIME_ANIMATED)
        joint->packed_rotation = sinewi_runtime_pack_quat(mean, 15);
    float *ref = joint->refs[SINEW_PROPERTY_ROTATION];
    sinewi_runtime_unpack_quat(sinewi_runtime_pack_quat(mean, 15), 15, ref);
    for (int k = 0; k < 3; k++) {
        joint->mean_translation[k] = w->sum[k] / b->sample_count;
        joint->refs[SINEW_PROPERTY_TRANSLATION][k] = (float)joint->mean_translation[k];
        joint->refs[SINEW_PROPERTY_SCALE][k] = (float)(w->sum[7 + k] / b->sample_count);
    }
}

// ---- Axes -------------------------------------------------------------------------------------------------

static void add_lever(sinewi_runtime_build *b, uint32_t joint, double (*matter)[3][3],
                      const double p[3], double weight)
{
    double(*m)[3] = matter[joint];
    for (int k = 0; k < 3; k++)
        b->levers[joint][k] += weight * p[k];

    const double square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] += weight * ((i == j ? square : 0.0) - p[i] * p[j]);
}

// Where a joint stands under the next one above that turns by itself.
typedef struct plan_hanging {
    int32_t above;
    double place[3];
    float turn[4];
} plan_hanging;

static void gather_levers(sinewi_runtime_build *b, plan_hanging *hanging, double (*matter)[3][3])
{
    const double d = b->shell;
    for (uint32_t j = 0; j < b->joint_count; j++) {
        sinewi_build_joint *joint = &b->joints[j];
        const bool turns = joint->kinds[SINEW_PROPERTY_ROTATION] == SINEWI_RUNTIME_ANIMATED;
        const sinew_quat q = joint->constant.rotation;
        const float own[4] = {q.x, q.y, q.z, q.w};
        plan_hanging *h = &hanging[j];
        memset(h, 0, sizeof *h);
        h->above = -1;
        memcpy(h->turn, own, sizeof h->turn);
        joint->levers = d;
        if (joint->parent >= 0) {
            const sinewi_build_joint *parent = &b->joints[joint->parent];
            const plan_hanging *up = &hanging[joint->parent];
            const bool parent_turns =
                parent->kinds[SINEW_PROPERTY_ROTATION] == SINEWI_RUNTIME_ANIMATED;
            h->above = parent_turns ? joint->parent : up->above;
            double way[3];
            memcpy(way, joint->mean_translation, sizeof way);
            if (!parent_turns) {
                turn_point(up->turn, joint->mean_translation, way);
                for (int k = 0; k < 3; k++)
                    way[k] += up->place[k];
                sinewi_runtime_quat_mul(up->turn, own, h->turn);
            }
            // a translation of its own makes up for what is above
            const bool moves = joint->kinds[SINEW_PROPERTY_TRANSLATION] == SINEWI_RUNTIME_ANIMATED;
            for (int k = 0; k < 3; k++)
                h->place[k] = moves ? 0.0 : way[k];
            const double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
            sinewi_build_joint *bearer = &b->joints[joint->parent];
            bearer->levers = length > bearer->levers ? length : bearer->levers;
            if (h->above >= 0) {
                if (!moves)
                    add_lever(b, (uint32_t)h->above, matter, way, child_weight);
                for (int k = 0; k < 3 && !turns; k++) {
                    const double axis[3] = {k == 0 ? d : 0.0, k == 1 ? d : 0.0, k == 2 ? d : 0.0};
                    double point[3];
                    turn_point(h->turn, axis, point);
                    for (int i = 0; i < 3; i++)
                        point[i] += h->place[i];
                    add_lever(b, (uint32_t)h->above, matter, point, shell_weight);
                }
            }
        }
        for (int k = 0; k < 3 && turns; k++) {
            const double axis[3] = {k == 0 ? d : 0.0, k == 1 ? d : 0.0, k == 2 ? d : 0.0};
            add_lever(b, j, matter, axis, shell_weight);
        }
    }
}

static void choose_axes(sinewi_runtime_build *b, uint32_t j, double matter[3][3],
                        double covariance[3][3])
{
    sinewi_build_joint *joint = &b->joints[j];
    double axes[9];
    double e[3][3], w[3], h[3][3] = {{0}}, inverse[3][3] = {{0}};
    symmetric_axes(matter, e, w);
    const double least_lever = b->error / joint->size / most_turn;
    const double most =
        sinewi_larger(sinewi_larger(w[0], sinewi_larger(w[1], w[2])) / (lever_ratio * lever_ratio),
                      least_lever * least_lever);
    for (int k = 0; k < 3; k++)
        w[k] = sinewi_larger(w[k], most);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) {
                h[r][c] += e[r][k] * sqrt(w[k]) * e[c][k];
                inverse[r][c] += e[r][k] / sqrt(w[k]) * e[c][k];
            }
    for (int i = 0; i < 9; i++)
        b->stiffness[j][i] = 0.0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 9; i++)
            b->stiffness[j][i] += e[i / 3][k] / w[k] * e[i % 3][k];
    double hc[3][3], hch[3][3], u[3][3], spread[3];
    multiply3(h, covariance, hc);
    multiply3(hc, h, hch);
    symmetric_axes(hch, u, spread);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            axes[3 * r + c] =
                b->error / joint->size *
                (inverse[r][0] * u[0][c] + inverse[r][1] * u[1][c] + inverse[r][2] * u[2][c]);
    if (!b->fine) {
        joint->packed_axes = sinewi_runtime_pack_axes(axes);
        sinewi_runtime_unpack_axes(joint->packed_axes, joint->axes);
        if (invert3(joint->axes, joint->inverse))
            return;
    }
    // Plain ones: where all components matter alike, or rounding has left nothing of the others. A
    // component of a quaternion changes by half of what its rotation vector does.
    const double size = b->fine ? 2e-4 : b->error / (b->shell * joint->size);
    for (int i = 0; i < 9; i++)
        axes[i] = i % 4 == 0 ? size : 0.0;
    joint->packed_axes = sinewi_runtime_pack_axes(axes);
    sinewi_runtime_unpack_axes(joint->packed_axes, joint->axes);
    const bool inverted = invert3(joint->axes, joint->inverse);
    assert(inverted);
    (void)inverted;
}

static uint8_t step_code(double step)
{
    int code = 255;
    while (code > 0 && (double)sinewi_runtime_vector_step((uint32_t)code) > step)
        code--;
    return (uint8_t)code;
}

sinew_result sinewi_runtime_plan(sinewi_runtime_build *b)
{
    const uint32_t n = b->joint_count;
    memset(b->counts, 0, sizeof b->counts);
    b->channel_count = 0;
    plan_watch *watches = sinewi_arena_alloc(&b->arena, n, sizeof *watches);
    plan_hanging *hanging = sinewi_arena_alloc(&b->arena, n, sizeof *hanging);
    double(*matter)[3][3] = sinewi_arena_alloc(&b->arena, n, sizeof *matter);
    b->levers = sinewi_arena_alloc(&b->arena, n, sizeof *b->levers);
    b->stiffness = sinewi_arena_alloc(&b->arena, n, sizeof *b->stiffness);
    for (int p = 0; p < 3; p++)
        b->order[p] = sinewi_arena_alloc(&b->arena, n, sizeof **b->order);
    if (!watches || !hanging || !matter || !b->levers || !b->stiffness || !b->order[0] ||
        !b->order[1] || !b->order[2])
        return SINEW_ERROR_OUT_OF_MEMORY;
    if (!watch_samples(b, watches))
        return SINEW_ERROR_NOT_FINITE;
    find_reaches(b, watches);
    raise_bound(b, watches);
    for (uint32_t j = 0; j < n; j++)
        plan_joint(b, &watches[j], j);
    gather_levers(b, hanging, matter);
    uint32_t counts[3] = {0, 0, 0};
    for (uint32_t j = 0; j < n; j++) {
        sinewi_build_joint *joint = &b->joints[j];
        if (joint->kinds[SINEW_PROPERTY_ROTATION] == SINEWI_RUNTIME_ANIMATED)
            choose_axes(b, j, matter[j], watches[j].covariance);
        const double unit = b->error / (joint->parent >= 0 ? b->joints[joint->parent].size : 1.0);
        joint->step_codes[SINEW_PROPERTY_TRANSLATION] = step_code(vector_share * unit);
        joint->step_codes[SINEW_PROPERTY_SCALE] = step_code(unit / joint->levers);
        for (uint32_t p = 0; p < 3; p++)
            joint->steps[p] = sinewi_runtime_vector_step(joint->step_codes[p]);
        for (uint32_t p = 0; p < 3; p++)
            if (joint->kinds[p] == SINEWI_RUNTIME_ANIMATED) {
                b->order[p][counts[p]++] = j;
                joint->channels[p] = b->channel_count;
                b->channel_count += 3;
            }
    }
    return SINEW_OK;
}
