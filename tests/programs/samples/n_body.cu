// Bodies that attract each other: tiles of them in shared memory, reciprocal square roots, steps of a leapfrog.
#include "sample.h"
#include <math.h>

enum { BODIES = 384, TILE = 64, STEPS = 3 };

__global__ void step(const float4 *at, float4 *moved, float3 *speed, float dt) {
    __shared__ float4 tile[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    const float4 own = at[i];
    float3 pull = make_float3(0, 0, 0);
    for (int first = 0; first < BODIES; first += TILE) {
        tile[threadIdx.x] = at[first + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < TILE; k++) {
            const float x = tile[k].x - own.x, y = tile[k].y - own.y, z = tile[k].z - own.z;
            const float inverse = rsqrtf(x * x + y * y + z * z + 0.01f),
                        force = tile[k].w * inverse * inverse * inverse;
            pull.x += x * force;
            pull.y += y * force;
            pull.z += z * force;
        }
        __syncthreads();
    }
    float3 v = speed[i];
    v = make_float3(v.x + pull.x * dt, v.y + pull.y * dt, v.z + pull.z * dt);
    speed[i] = v;
    moved[i] = make_float4(own.x + v.x * dt, own.y + v.y * dt, own.z + v.z * dt, own.w);
}

static double position[BODIES][3], speed[BODIES][3], mass[BODIES];

static void step_on_host(double dt) {
    static double pull[BODIES][3];
    for (int i = 0; i < BODIES; i++) {
        pull[i][0] = pull[i][1] = pull[i][2] = 0;
        for (int k = 0; k < BODIES; k++) {
            double d[3], square = 0.01;
            for (int c = 0; c < 3; c++) square += (d[c] = position[k][c] - position[i][c]) * d[c];
            for (int c = 0; c < 3; c++) pull[i][c] += d[c] * mass[k] / (square * sqrt(square));
        }
    }
    for (int i = 0; i < 3 * BODIES; i++) position[0][i] += (speed[0][i] += pull[0][i] * dt) * dt;
}

int main() {
    static float4 bodies[BODIES];
    double largest = 0, drift[3] = {};
    for (int i = 0; i < BODIES; i++) {
        for (int c = 0; c < 3; c++) position[i][c] = (double)draw(2048) / 1024 - 1;
        mass[i] = (double)(1 + draw(4)) / BODIES;
        bodies[i] = make_float4((float)position[i][0], (float)position[i][1], (float)position[i][2], (float)mass[i]);
    }
    float4 *at = on_device(BODIES, bodies), *moved = on_device<float4>(BODIES);
    float3 *speeds = on_device<float3>(BODIES);
    CHECK(cudaMemset(speeds, 0, BODIES * sizeof *speeds));
    for (int s = 0; s < STEPS; s++) {
        step<<<BODIES / TILE, TILE>>>(at, moved, speeds, 0.01f);
        step_on_host(0.01);
        float4 *other = at;
        at = moved;
        moved = other;
    }
    to_host(bodies, at, BODIES);
    for (int i = 0; i < BODIES; i++) {
        const double got[] = {bodies[i].x, bodies[i].y, bodies[i].z};
        for (int c = 0; c < 3; c++) {
            largest = fmax(largest, fabs(got[c] - position[i][c]));
            drift[c] += mass[i] * speed[i][c];
        }
    }
    printf("%d bodies, %d steps: %s\n", BODIES, STEPS, largest < 1e-4 ? "where they belong" : "astray");
    expect("positions", largest < 1e-4);
    expect("momentum", fabs(drift[0]) + fabs(drift[1]) + fabs(drift[2]) < 1e-9);
    CHECK(cudaFree(at));
    CHECK(cudaFree(moved));
    CHECK(cudaFree(speeds));
    return finish();
}
