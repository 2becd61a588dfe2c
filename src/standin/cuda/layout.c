/* Queries of the layout of arrays and textures that only some have, and tensor maps whose address changes.
 *
 * Arrays without memory of their own (sparse arrays, deferred mapping) and with several planes (video formats) cannot
 * be made on a virtual GPU: its attributes 112 and 121 are 0. For all other arrays CUDA refuses the queries, and so
 * does haul. */
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

static CUresult refuse_array(const void *out, CUarray array, const char *why) {
    CUDA_ARRAY3D_DESCRIPTOR is;
    CUDA_ENTER(d);
    if (!out) return cuda_leave(CUDA_INVALID_VALUE);
    const CUresult result = d->array_describe_3d(&is, array);
    return cuda_leave(result == CUDA_SUCCESS ? cuda_wrong(CUDA_INVALID_VALUE, why) : result);
}

CUresult cuArrayGetPlane(CUarray *plane, CUarray array, unsigned number) {
    (void)number;
    return refuse_array(plane, array, "cuArrayGetPlane: the array has no format with planes");
}

CUresult cuArrayGetSparseProperties(void *properties, CUarray array) {
    return refuse_array(properties, array, "cuArrayGetSparseProperties: the array is not sparse");
}

CUresult cuArrayGetMemoryRequirements(void *requirements, CUarray array, CUdevice device) {
    if (!standin_is_device(device)) return CUDA_INVALID_DEVICE;
    return refuse_array(requirements, array, "cuArrayGetMemoryRequirements: the array has memory of its own");
}

static CUresult refuse_mipmap(const void *out, CUmipmappedArray mipmap, const char *why) {
    CUarray level;
    CUDA_ENTER(d);
    if (!out) return cuda_leave(CUDA_INVALID_VALUE);
    const CUresult result = d->mipmap_level(&level, mipmap, 0);
    return cuda_leave(result == CUDA_SUCCESS ? cuda_wrong(CUDA_INVALID_VALUE, why) : result);
}

CUresult cuMipmappedArrayGetSparseProperties(void *properties, CUmipmappedArray mipmap) {
    return refuse_mipmap(properties, mipmap, "cuMipmappedArrayGetSparseProperties: the array is not sparse");
}

CUresult cuMipmappedArrayGetMemoryRequirements(void *requirements, CUmipmappedArray mipmap, CUdevice device) {
    if (!standin_is_device(device)) return CUDA_INVALID_DEVICE;
    return refuse_mipmap(requirements, mipmap,
                         "cuMipmappedArrayGetMemoryRequirements: the array has memory of its own");
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject texture) {
    CUDA_ENTER(d);
    (void)d;
    return cuda_leave(view ? sim_driver_texture_view(texture, view) : CUDA_INVALID_VALUE);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
    CUDA_ENTER(d);
    (void)d;
    return cuda_leave(sim_driver_tensor_map_move(map, address));
}
