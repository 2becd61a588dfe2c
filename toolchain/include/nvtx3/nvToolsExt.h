/* Ranges and marks for a profiler to show, as the public NVTX interface spells them. Without a profiler that listens
 * they do nothing in NVTX either, and none listens to what these headers compile. */
#ifndef HAUL_TOOLCHAIN_NVTX_H
#define HAUL_TOOLCHAIN_NVTX_H

#include <stddef.h>
#include <stdint.h>

#define NVTX_VERSION 3
#define NVTX_NO_PUSH_POP_TRACKING (-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

#define HAUL_NVTX static inline __attribute__((unused))
#define HAUL_NVTX_RANGES(suffix, type)                             \
    HAUL_NVTX void nvtxMark##suffix(type message) {                \
        (void)message;                                             \
    }                                                              \
    HAUL_NVTX int nvtxRangePush##suffix(type message) {            \
        (void)message;                                             \
        return NVTX_NO_PUSH_POP_TRACKING;                          \
    }                                                              \
    HAUL_NVTX nvtxRangeId_t nvtxRangeStart##suffix(type message) { \
        (void)message;                                             \
        return 0;                                                  \
    }
HAUL_NVTX_RANGES(A, const char *)
HAUL_NVTX_RANGES(W, const wchar_t *)
HAUL_NVTX_RANGES(Ex, const nvtxEventAttributes_t *)
#undef HAUL_NVTX_RANGES

HAUL_NVTX int nvtxRangePop(void) {
    return NVTX_NO_PUSH_POP_TRACKING;
}
HAUL_NVTX void nvtxRangeEnd(nvtxRangeId_t range) {
    (void)range;
}
HAUL_NVTX void nvtxNameCategoryA(uint32_t category, const char *name) {
    (void)category, (void)name;
}
HAUL_NVTX void nvtxNameOsThreadA(uint32_t thread, const char *name) {
    (void)thread, (void)name;
}
HAUL_NVTX nvtxDomainHandle_t nvtxDomainCreateA(const char *name) {
    (void)name;
    return NULL;
}
HAUL_NVTX void nvtxDomainDestroy(nvtxDomainHandle_t domain) {
    (void)domain;
}
HAUL_NVTX int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event) {
    (void)domain, (void)event;
    return NVTX_NO_PUSH_POP_TRACKING;
}
HAUL_NVTX int nvtxDomainRangePop(nvtxDomainHandle_t domain) {
    (void)domain;
    return NVTX_NO_PUSH_POP_TRACKING;
}
HAUL_NVTX void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event) {
    (void)domain, (void)event;
}
#undef HAUL_NVTX

#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA

#endif
