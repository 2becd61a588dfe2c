// Textures of more dimensions: a volume, layers of images, a cube map, and a mipmap's levels.
#include "sample.h"

enum { SIDE = 4, DEPTH = 3 };

__global__ void from_volume(cudaTextureObject_t texture, float *out) {
    const float x = threadIdx.x + 0.5f;
    out[threadIdx.x] = tex3D<float>(texture, x, 1.5f, 1.5f);           // a texel
    out[SIDE + threadIdx.x] = tex3D<float>(texture, x, 2, 1);          // between four
    out[2 * SIDE + threadIdx.x] = tex3D<float>(texture, x, 0.5f, 100); // the last slice
}

__global__ void from_layers(cudaTextureObject_t texture, float *out) {
    for (int layer = 0; layer < DEPTH; layer++)
        out[layer * SIDE + threadIdx.x] = tex2DLayered<float>(texture, threadIdx.x + 0.5f, layer + 0.5f, layer);
}

__global__ void from_cube(cudaTextureObject_t texture, float *out) {
    const float3 to[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    const float3 d = to[threadIdx.x];
    out[threadIdx.x] = texCubemap<float>(texture, d.x, d.y, d.z);
}

__global__ void from_levels(cudaTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex2DLod<float>(texture, 0.3f, 0.3f, threadIdx.x / 2.f);
}

static cudaTextureObject_t make(cudaResourceDesc resource, cudaTextureFilterMode filter, bool normalised) {
    cudaTextureObject_t texture;
    cudaTextureDesc desc = {};
    desc.filterMode = desc.mipmapFilterMode = filter;
    desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = cudaAddressModeClamp;
    desc.normalizedCoords = normalised;
    desc.maxMipmapLevelClamp = 10;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    return texture;
}

static cudaArray_t fill(unsigned depth, unsigned flags) {
    float texels[6 * SIDE * SIDE];
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    for (unsigned i = 0; i < depth * SIDE * SIDE; i++)
        texels[i] = (float)(100 * (i / (SIDE * SIDE)) + 10 * (i / SIDE % SIDE) + i % SIDE);
    const cudaExtent extent = make_cudaExtent(SIDE, SIDE, depth);
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels, SIDE * sizeof(float), SIDE, SIDE);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

static void show(const char *name, void (*kernel)(cudaTextureObject_t, float *), cudaTextureObject_t texture,
                 int threads, int count, const float *want) {
    float *out = on_device<float>(count), got[16];
    kernel<<<1, threads>>>(texture, out);
    to_host(got, out, count);
    printf("%s:", name);
    for (int i = 0; i < count; i++) printf(" %g", got[i]);
    printf("\n");
    expect(name, !memcmp(got, want, count * sizeof *got));
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(out));
}

static void show_mipmap(void) {
    cudaMipmappedArray_t mipmap;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(SIDE, SIDE, 0), 3));
    for (unsigned level = 0, side = SIDE; level < 3; level++, side /= 2) {
        float texels[SIDE * SIDE];
        cudaArray_t array;
        for (float &t : texels) t = (float)(level * level * 8);
        CHECK(cudaGetMipmappedArrayLevel(&array, mipmap, level));
        CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, side * sizeof(float), side * sizeof(float), side,
                                  cudaMemcpyHostToDevice));
    }
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    const float want[] = {0, 4, 8, 20, 32};
    show("mipmap", from_levels, make(resource, cudaFilterModeLinear, true), 5, 5, want);
    CHECK(cudaFreeMipmappedArray(mipmap));
}

int main() {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = fill(DEPTH, 0);
    const float volume[] = {110, 111, 112, 113, 65, 66, 67, 68, 200, 201, 202, 203};
    show("volume", from_volume, make(resource, cudaFilterModeLinear, false), SIDE, 3 * SIDE, volume);
    CHECK(cudaFreeArray(resource.res.array.array));

    resource.res.array.array = fill(DEPTH, cudaArrayLayered);
    const float layers[] = {0, 1, 2, 3, 110, 111, 112, 113, 220, 221, 222, 223};
    show("layers", from_layers, make(resource, cudaFilterModePoint, false), SIDE, DEPTH * SIDE, layers);
    CHECK(cudaFreeArray(resource.res.array.array));

    resource.res.array.array = fill(6, cudaArrayCubemap);
    const float faces[] = {22, 122, 222, 322, 422, 522};
    show("cube", from_cube, make(resource, cudaFilterModePoint, true), 6, 6, faces);
    CHECK(cudaFreeArray(resource.res.array.array));
    show_mipmap();
    return finish();
}
