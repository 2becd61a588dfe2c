// K-means over points with whole coordinates: sums of each cluster in shared memory, then by atomic operations.
#include "sample.h"

enum { POINTS = 4000, CLUSTERS = 5, ROUNDS = 10 };

struct sums {
    int x[CLUSTERS], y[CLUSTERS], count[CLUSTERS];
};

__constant__ int2 centres[CLUSTERS];

__global__ void assign(const int2 *points, unsigned char *cluster, sums *all, int *changes) {
    __shared__ sums mine;
    for (int i = threadIdx.x; i < 3 * CLUSTERS; i += blockDim.x) (&mine.x[0])[i] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < POINTS) {
        const int2 p = points[i];
        int nearest = 0, least = 0x7fffffff;
        for (int c = 0; c < CLUSTERS; c++) {
            const int dx = p.x - centres[c].x, dy = p.y - centres[c].y, distance = dx * dx + dy * dy;
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        if (cluster[i] != nearest) atomicAdd(changes, 1);
        cluster[i] = (unsigned char)nearest;
        atomicAdd(&mine.x[nearest], p.x);
        atomicAdd(&mine.y[nearest], p.y);
        atomicAdd(&mine.count[nearest], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 3 * CLUSTERS; k += blockDim.x) atomicAdd(&(&all->x[0])[k], (&mine.x[0])[k]);
}

static int2 points[POINTS];
static unsigned char cluster[POINTS];

static int assign_on_host(const int2 *c, sums *s) {
    int changes = 0;
    *s = {};
    for (int i = 0; i < POINTS; i++) {
        int nearest = 0, least = 0x7fffffff;
        for (int k = 0; k < CLUSTERS; k++) {
            const int dx = points[i].x - c[k].x, dy = points[i].y - c[k].y;
            if (dx * dx + dy * dy >= least) continue;
            least = dx * dx + dy * dy;
            nearest = k;
        }
        changes += cluster[i] != nearest;
        cluster[i] = (unsigned char)nearest;
        s->x[nearest] += points[i].x;
        s->y[nearest] += points[i].y;
        s->count[nearest]++;
    }
    return changes;
}

int main() {
    int2 c[CLUSTERS];
    sums want, got;
    int changes = 1, rounds = 0;
    for (int2 &p : points) p = make_int2((int)(draw(4) * 300 + draw(150)), (int)(draw(3) * 400 + draw(150)));
    for (int k = 0; k < CLUSTERS; k++) c[k] = points[k];
    memset(cluster, 0xff, sizeof cluster);
    int2 *on_points = on_device(POINTS, points);
    unsigned char *on_cluster = on_device(POINTS, cluster);
    sums *all = on_device<sums>(1);
    int *on_changes = on_device<int>(1);
    for (; changes && rounds < ROUNDS; rounds++) {
        CHECK(cudaMemcpyToSymbol(centres, c, sizeof c));
        CHECK(cudaMemset(all, 0, sizeof *all));
        CHECK(cudaMemset(on_changes, 0, sizeof *on_changes));
        assign<<<(POINTS + 255) / 256, 256>>>(on_points, on_cluster, all, on_changes);
        to_host(&got, all, 1);
        to_host(&changes, on_changes, 1);
        expect("changes", changes == assign_on_host(c, &want));
        expect("sums", !memcmp(&got, &want, sizeof got));
        for (int k = 0; k < CLUSTERS; k++)
            if (got.count[k]) c[k] = make_int2(got.x[k] / got.count[k], got.y[k] / got.count[k]);
    }
    printf("%d rounds\n", rounds);
    for (int k = 0; k < CLUSTERS; k++) printf("%d points around (%d, %d)\n", got.count[k], c[k].x, c[k].y);
    CHECK(cudaFree(on_points));
    CHECK(cudaFree(on_cluster));
    CHECK(cudaFree(all));
    CHECK(cudaFree(on_changes));
    return finish();
}
