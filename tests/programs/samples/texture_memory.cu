// Textures over linear and pitched memory, and gathering of the four texels that a filter would take.
#include "sample.h"

enum { WIDTH = 20, HEIGHT = 6 };

__global__ void from_line(cudaTextureObject_t line, int4 *out) {
    out[threadIdx.x] = tex1Dfetch<int4>(line, 2 * threadIdx.x);
}

__global__ void blur(cudaTextureObject_t rows, int *out) {
    const int x = threadIdx.x, y = threadIdx.y;
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) sum += tex2D<unsigned char>(rows, x + dx, y + dy); // the border is clamped
    out[y * WIDTH + x] = sum;
}

__global__ void gather(cudaTextureObject_t image, float4 *out) {
    *out = tex2Dgather<float4>(image, 2, 3, 0);
}

static cudaTextureObject_t make(const cudaResourceDesc &resource) {
    cudaTextureObject_t texture;
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    return texture;
}

static void linear(void) {
    int4 values[8], got[4], *out = on_device<int4>(4);
    for (int i = 0; i < 8; i++) values[i] = make_int4(i, -i, 100 * i, i * i);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = on_device(8, values);
    resource.res.linear.desc = cudaCreateChannelDesc<int4>();
    resource.res.linear.sizeInBytes = sizeof values;
    const cudaTextureObject_t line = make(resource);
    from_line<<<1, 4>>>(line, out);
    to_host(got, out, 4);
    for (const int4 &g : got) printf("(%d %d %d %d)", g.x, g.y, g.z, g.w);
    printf("\n");
    for (int i = 0; i < 4; i++) expect("linear memory", !memcmp(&got[i], &values[2 * i], sizeof(int4)));
    CHECK(cudaDestroyTextureObject(line));
    CHECK(cudaFree(resource.res.linear.devPtr));
    CHECK(cudaFree(out));
}

static unsigned char pixels[HEIGHT][WIDTH];

static int clamped(int value, int end) {
    return value < 0 ? 0 : value < end ? value : end - 1;
}

static void pitched(void) {
    int got[HEIGHT * WIDTH], wrong = 0, *out = on_device<int>(HEIGHT * WIDTH);
    unsigned char *rows;
    size_t pitch;
    for (int i = 0; i < HEIGHT * WIDTH; i++) pixels[i / WIDTH][i % WIDTH] = (unsigned char)draw(256);
    CHECK(cudaMallocPitch((void **)&rows, &pitch, WIDTH, HEIGHT));
    CHECK(cudaMemcpy2D(rows, pitch, pixels, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = pitch;
    const cudaTextureObject_t texture = make(resource);
    blur<<<1, dim3(WIDTH, HEIGHT)>>>(texture, out);
    to_host(got, out, HEIGHT * WIDTH);
    for (int i = 0; i < HEIGHT * WIDTH; i++) {
        int want = 0;
        for (int k = 0; k < 9; k++)
            want += pixels[clamped(i / WIDTH + k / 3 - 1, HEIGHT)][clamped(i % WIDTH + k % 3 - 1, WIDTH)];
        wrong += got[i] != want;
    }
    printf("blurred: corner %d, %d wrong\n", got[0], wrong);
    expect("pitched memory", wrong == 0);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(rows));
    CHECK(cudaFree(out));
}

static void gathered(void) {
    float texels[4][4];
    float4 got, *out = on_device<float4>(1);
    for (int i = 0; i < 16; i++) texels[i / 4][i % 4] = (float)(10 * (i / 4) + i % 4);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&resource.res.array.array, &format, 4, 4, cudaArrayTextureGather));
    CHECK(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, texels, 16, 16, 4, cudaMemcpyHostToDevice));
    const cudaTextureObject_t texture = make(resource);
    gather<<<1, 1>>>(texture, out);
    to_host(&got, out, 1);
    printf("gathered: %g %g %g %g\n", got.x, got.y, got.z, got.w);
    expect("four texels", got.x == 31 && got.y == 32 && got.z == 22 && got.w == 21);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(resource.res.array.array));
    CHECK(cudaFree(out));
}

int main() {
    linear();
    pitched();
    gathered();
    return finish();
}
