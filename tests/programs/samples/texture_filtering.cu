// A 2-D texture: nearest and linear filters, four address modes, texel and normalised coordinates, bytes read as
// floats.
#include "sample.h"

enum { WIDTH = 8, HEIGHT = 4, POINTS = 7 };

__global__ void fetch(cudaTextureObject_t texture, const float2 *at, float *out) {
    out[threadIdx.x] = tex2D<float>(texture, at[threadIdx.x].x, at[threadIdx.x].y);
}

static cudaArray_t image;
static float2 *on_points;

static void show(const char *name, cudaTextureDesc desc, const float2 *points, const float *want) {
    cudaResourceDesc resource = {};
    cudaTextureObject_t texture;
    float *out = on_device<float>(POINTS), got[POINTS];
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = image;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    CHECK(cudaMemcpy(on_points, points, POINTS * sizeof *points, cudaMemcpyHostToDevice));
    fetch<<<1, POINTS>>>(texture, on_points, out);
    to_host(got, out, POINTS);
    printf("%-18s", name);
    for (float g : got) printf(" %.3g", g);
    printf("\n");
    for (int i = 0; i < POINTS; i++) expect(name, got[i] - want[i] < 1e-4f && want[i] - got[i] < 1e-4f);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(out));
}

static cudaTextureDesc describe(cudaTextureFilterMode filter, cudaTextureAddressMode address, bool normalised) {
    cudaTextureDesc desc = {};
    desc.filterMode = filter;
    desc.addressMode[0] = desc.addressMode[1] = address;
    desc.normalizedCoords = normalised;
    desc.readMode = cudaReadModeElementType;
    return desc;
}

int main() {
    float texels[HEIGHT][WIDTH];
    for (int i = 0; i < WIDTH * HEIGHT; i++) texels[i / WIDTH][i % WIDTH] = (float)(10 * (i / WIDTH) + i % WIDTH);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&image, &format, WIDTH, HEIGHT));
    CHECK(cudaMemcpy2DToArray(image, 0, 0, texels, sizeof texels[0], sizeof texels[0], HEIGHT, cudaMemcpyHostToDevice));
    on_points = on_device<float2>(POINTS);

    const float2 in_texels[POINTS] = {{0.5f, 0.5f}, {1.5f, 2.5f}, {2, 0.5f}, {2.75f, 1},
                                      {-3, 0.5f},   {9.5f, 1.5f}, {3.5f, 99}};
    const float nearest[POINTS] = {0, 21, 2, 12, 0, 17, 33};
    const float linear[POINTS] = {0, 21, 1.5f, 7.25f, 0, 17, 33};
    const float border[POINTS] = {0, 21, 1.5f, 7.25f, 0, 0, 0};
    show("nearest, clamp", describe(cudaFilterModePoint, cudaAddressModeClamp, false), in_texels, nearest);
    show("linear, clamp", describe(cudaFilterModeLinear, cudaAddressModeClamp, false), in_texels, linear);
    show("linear, border", describe(cudaFilterModeLinear, cudaAddressModeBorder, false), in_texels, border);

    float2 shares[POINTS] = {{0.0625f, 0.125f}, {0.25f, 0.125f},   {1.0625f, 0.125f}, {-0.0625f, 0.125f},
                             {0.0625f, 1.125f}, {1.5625f, 0.625f}, {0, 0.125f}};
    const float wrapped[POINTS] = {0, 1.5f, 0, 7, 0, 24, 3.5f};
    const float mirrored[POINTS] = {0, 1.5f, 7, 0, 30, 23, 0};
    show("linear, wrap", describe(cudaFilterModeLinear, cudaAddressModeWrap, true), shares, wrapped);
    show("linear, mirror", describe(cudaFilterModeLinear, cudaAddressModeMirror, true), shares, mirrored);
    CHECK(cudaFreeArray(image));

    const unsigned char bytes[HEIGHT][WIDTH] = {{0, 51, 102, 153, 204, 255, 0, 255}};
    const cudaChannelFormatDesc byte_format = cudaCreateChannelDesc<unsigned char>();
    CHECK(cudaMallocArray(&image, &byte_format, WIDTH, HEIGHT));
    CHECK(cudaMemcpy2DToArray(image, 0, 0, bytes, sizeof bytes[0], sizeof bytes[0], HEIGHT, cudaMemcpyHostToDevice));
    cudaTextureDesc as_floats = describe(cudaFilterModeLinear, cudaAddressModeClamp, false);
    as_floats.readMode = cudaReadModeNormalizedFloat;
    const float2 across[POINTS] = {{0.5f, 0.5f}, {5.5f, 0.5f}, {6, 0.5f},   {6.25f, 0.5f},
                                   {7.5f, 0.5f}, {7.5f, 1},    {0.5f, 3.5f}};
    const float floats[POINTS] = {0, 1, 0.5f, 0.25f, 1, 0.5f, 0};
    show("bytes as floats", as_floats, across, floats);
    CHECK(cudaFreeArray(image));
    CHECK(cudaFree(on_points));
    return finish();
}
