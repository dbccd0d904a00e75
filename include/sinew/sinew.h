// SPDX-License-Identifier: MIT
/// The run-time core of Sinew in one include: base, math, skeletons, poses, clips, IK,
/// runtime clips, animation sets, skins, crowds, clouds, frame streams.
/// Import is apart: sinew/document.h, sinew/gltf.h and sinew/bvh.h.
#ifndef SINEW_SINEW_H
#define SINEW_SINEW_H

#include "sinew/base.h"
#include "sinew/blend.h"
#include "sinew/clip.h"
#include "sinew/clip_library.h"
#include "sinew/cloud.h"
#include "sinew/cloud_groups.h"
#include "sinew/crowd.h"
#include "sinew/flipbook.h"
#include "sinew/humanoid.h"
#include "sinew/ik.h"
#include "sinew/joint_spring.h"
#include "sinew/leash.h"
#include "sinew/math.h"
#include "sinew/mesh_binding.h"
#include "sinew/mirror.h"
#include "sinew/mix_file.h"
#include "sinew/model_delta.h"
#include "sinew/pose.h"
#include "sinew/retarget.h"
#include "sinew/root_motion.h"
#include "sinew/runtime_clip.h"
#include "sinew/runtime_cost.h"
#include "sinew/runtime_crowd.h"
#include "sinew/runtime_file.h"
#include "sinew/set.h"
#include "sinew/set_query.h"
#include "sinew/set_script.h"
#include "sinew/shade.h"
#include "sinew/shader_palette.h"
#include "sinew/skeleton.h"
#include "sinew/skin.h"
#include "sinew/spring.h"
#include "sinew/stream.h"
#include "sinew/transition.h"

#endif
