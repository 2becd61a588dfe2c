// haul: expect no findings
template <int N>
__global__ void __launch_bounds__(256, 2) k(int *p) { // haul: ignore trap
#define A {
    // haul: expect lanes >= 16
    for (int i = 0; i < N; i++) {
        p[i] = '"'; /* haul: expect sectors < 9 */
    }
}
/* haul: ignore race-* "x" */
static __device__ int f(void) { return 1'000; }
