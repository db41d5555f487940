// SPDX-License-Identifier: Apache-2.0
// Evaluation: the first work-item of a sub-group does an operation in memory of its own, which all write to and read.
#include "avc.h"

TOGETHER uint __clpy_sub_groups_of(uint size);
TOGETHER MY Work *__clpy_sub_group_shuffle(MY Work *x, uint index, bool mask);
__attribute__((overloadable, const)) view __clpy_image_after(read_only image2d_t source, uint number);
__attribute__((overloadable, const)) uint __clpy_image_distance(read_only image2d_t source, read_only image2d_t other);

MY void *__clpy_scratch(uint size);       // passes/inline.py

#define LANE (get_sub_group_local_id() & (__clpy_sub_groups_of(SIZE) - 1))

// The memory of the first work-item, with what each has of the payload.
WRAPPER static MY Work *handed_over(MY Work *own, const MY __clpy_avc_payload *p)
{
    MY Work *w = OF_FIRST(own);
    uint lane = LANE;
    w->vectors[lane] = p->vectors;
    w->centers[lane] = p->centers;
    w->left[lane] = p->left;
    w->top[lane] = p->top;
    if (lane < 8)
        w->top[SIZE + lane] = p->right;
    w->left_chroma[lane] = p->left_chroma;
    w->top_chroma[lane] = p->top_chroma;
    return w;
}

// What only the first has to say.
WRAPPER static void set_images(MY Work *w, const MY __clpy_avc_payload *p, view source, view forward, view backward,
                               uint ids, int is_dual)
{
    w->p = *p;
    w->source = source;
    for (int i = 0; i < 4; i++) {
        w->reference[FORWARD][i] = forward;
        w->reference[BACKWARD][i] = backward;
    }
    w->reference_ids = ids * 0x01010101u;
    w->reference_fields = p->reference_fields;
    w->is_dual = is_dual;
    w->has_stream = 0;
}

WRAPPER static __clpy_avc_result handed_back(MY Work *w)
{
    __clpy_avc_result r = w->r;
    uint lane = LANE;
    r.vectors = w->found[lane];
    r.distortions = w->distortions[lane];
    return r;
}

WRAPPER static void give_stream(MY Work *w, const MY __clpy_avc_stream *s)
{
    uint lane = LANE;
    w->stream_vectors[FORWARD][lane] = s->vectors.x;
    w->stream_vectors[BACKWARD][lane] = s->vectors.y;
    w->stream_costs[FORWARD][lane] = s->distortions.x;
    w->stream_costs[BACKWARD][lane] = s->distortions.y;
    w->stream_ids[FORWARD][lane] = s->reference_ids.x;
    w->stream_ids[BACKWARD][lane] = s->reference_ids.y;
}

WRAPPER static __clpy_avc_stream take_stream(MY Work *w)
{
    uint lane = LANE;
    __clpy_avc_stream s;
    s.vectors = (uint2)(w->stream_vectors[FORWARD][lane], w->stream_vectors[BACKWARD][lane]);
    s.distortions = (ushort2)(w->stream_costs[FORWARD][lane], w->stream_costs[BACKWARD][lane]);
    s.reference_ids = (uchar2)(w->stream_ids[FORWARD][lane], w->stream_ids[BACKWARD][lane]);
    return s;
}

#define ID(source, image) ((__clpy_image_distance(source, image) - 1) >> 1 & 15)
// The backward one follows the forward one.
#define ID_BACKWARD(source, image) ((__clpy_image_distance(source, image) - 1) >> 1 & 15)
#define ON_ONE(ENTRY_OF, IS_STREAM) \
    if (LANE == 0) { \
        set_images(w, &payload.p, __clpy_view(source), FORWARD_VIEW, BACKWARD_VIEW, IDS, IS_DUAL); \
        w->has_stream = IS_STREAM; \
        ENTRY_OF(w); \
    }
#define BEGIN MY Work *w = handed_over(__clpy_scratch(sizeof(Work)), &payload.p);

#define IMAGES1 read_only image2d_t source, read_only image2d_t forward, sampler_t sampler
#define IMAGES2 read_only image2d_t source, read_only image2d_t forward, read_only image2d_t backward, sampler_t sampler
#define WITH1(NAME) intel_sub_group_avc_##NAME##_evaluate_with_single_reference
#define WITH2(NAME) intel_sub_group_avc_##NAME##_evaluate_with_dual_reference

#define SEARCHES(N) \
    WRAPPER __CLPY_R(ime) WITH##N(ime)(IMAGES##N, __CLPY_P(ime) payload) \
    { \
        BEGIN \
        ON_ONE(__clpy_avc_search, 0) \
        return (__CLPY_R(ime)){handed_back(w)}; \
    } \
    WRAPPER __clpy_avc_streamout##N STREAM_NAME(N, _streamout)(IMAGES##N, __CLPY_P(ime) payload) \
    { \
        BEGIN \
        ON_ONE(__clpy_avc_search, 0) \
        return (__clpy_avc_streamout##N){handed_back(w), take_stream(w)}; \
    } \
    WRAPPER __CLPY_R(ime) STREAM_NAME(N, _streamin)(IMAGES##N, __CLPY_P(ime) payload, __clpy_avc_streamin##N in) \
    { \
        BEGIN \
        give_stream(w, &in.s); \
        ON_ONE(__clpy_avc_search, 1) \
        return (__CLPY_R(ime)){handed_back(w)}; \
    } \
    WRAPPER __clpy_avc_streamout##N STREAM_NAME(N, _streaminout)(IMAGES##N, __CLPY_P(ime) payload, \
                                                                 __clpy_avc_streamin##N in) \
    { \
        BEGIN \
        give_stream(w, &in.s); \
        ON_ONE(__clpy_avc_search, 1) \
        return (__clpy_avc_streamout##N){handed_back(w), take_stream(w)}; \
    }
#define STREAM_NAME(N, FORM) STREAM_NAME##N(FORM)
#define STREAM_NAME1(FORM) intel_sub_group_avc_ime_evaluate_with_single_reference##FORM
#define STREAM_NAME2(FORM) intel_sub_group_avc_ime_evaluate_with_dual_reference##FORM
#define OTHERS(N, KIND, ENTRY_OF) \
    WRAPPER __CLPY_R(KIND) WITH##N(KIND)(IMAGES##N, __CLPY_P(KIND) payload) \
    { \
        BEGIN \
        ON_ONE(ENTRY_OF, 0) \
        return (__CLPY_R(KIND)){handed_back(w)}; \
    }

#define FORWARD_VIEW __clpy_view(forward)
#define BACKWARD_VIEW __clpy_view(forward)
#define IDS (ID(source, forward) * 0x11)
#define IS_DUAL 0
SEARCHES(1)
OTHERS(1, ref, __clpy_avc_refine)
OTHERS(1, sic, __clpy_avc_check)
#undef BACKWARD_VIEW
#undef IDS
#undef IS_DUAL
#define BACKWARD_VIEW __clpy_view(backward)
#define IDS (ID(source, forward) | ID_BACKWARD(source, backward) << 4)
#define IS_DUAL 1
SEARCHES(2)
OTHERS(2, ref, __clpy_avc_refine)
OTHERS(2, sic, __clpy_avc_check)
#undef FORWARD_VIEW
#undef BACKWARD_VIEW
#undef IDS

// Images by their number among the arguments behind the source: forward and backward in turn.
WRAPPER static void set_references(MY Work *w, read_only image2d_t source, uint ids)
{
    w->reference_ids = ids;
    for (uint i = 0; i < 4; i++) {
        w->reference[FORWARD][i] = __clpy_image_after(source, 1 + (ids >> 8 * i & 15) * 2);
        w->reference[BACKWARD][i] = __clpy_image_after(source, 2 + (ids >> (8 * i + 4) & 15) * 2);
    }
}

#define WITH_MANY(KIND) intel_sub_group_avc_##KIND##_evaluate_with_multi_reference
#define OF_MANY(KIND, ENTRY_OF) \
    WRAPPER __CLPY_R(KIND) WITH_MANY(KIND)(read_only image2d_t source, uint ids, sampler_t sampler, \
                                           __CLPY_P(KIND) payload) \
    { \
        BEGIN \
        if (LANE == 0) { \
            set_images(w, &payload.p, __clpy_view(source), __clpy_view(source), __clpy_view(source), 0, 1); \
            set_references(w, source, ids); \
            ENTRY_OF(w); \
        } \
        return (__CLPY_R(KIND)){handed_back(w)}; \
    } \
    WRAPPER __CLPY_R(KIND) WITH_MANY(KIND)(read_only image2d_t source, uint ids, uchar fields, sampler_t sampler, \
                                           __CLPY_P(KIND) payload) \
    { \
        payload.p.reference_fields = fields; \
        payload.p.is_field |= 2; \
        return WITH_MANY(KIND)(source, ids, sampler, payload); \
    }
OF_MANY(ref, __clpy_avc_refine)
OF_MANY(sic, __clpy_avc_check)

WRAPPER __CLPY_R(sic) intel_sub_group_avc_sic_evaluate_ipe(read_only image2d_t source, sampler_t sampler,
                                                           __CLPY_P(sic) payload)
{
    payload.p.is_skip = 0;
    BEGIN
    if (LANE == 0) {
        set_images(w, &payload.p, __clpy_view(source), __clpy_view(source), __clpy_view(source), 0, 0);
        __clpy_avc_check(w);
    }
    return (__CLPY_R(sic)){handed_back(w)};
}
