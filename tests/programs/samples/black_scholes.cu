// Prices of options: exponentials, logarithms, roots and the normal distribution, compared with the host's in double
// precision.
#include "sample.h"
#include <math.h>

enum { OPTIONS = 5000 };
static const float rate = 0.02f, volatility = 0.3f;

__device__ float below(float d) {
    return 0.5f * erfcf(-d * 0.70710678f);
}

__global__ void price(const float *spot, const float *strike, const float *years, float2 *out, float rate,
                      float volatility) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= OPTIONS) return;
    const float root = sqrtf(years[i]);
    const float d1 =
        (logf(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
    const float d2 = d1 - volatility * root, later = strike[i] * expf(-rate * years[i]);
    out[i].x = spot[i] * below(d1) - later * below(d2);
    out[i].y = later * below(-d2) - spot[i] * below(-d1);
}

static double call_on_host(double spot, double strike, double years) {
    const double root = sqrt(years), v = volatility, r = rate;
    const double d1 = (log(spot / strike) + (r + 0.5 * v * v) * years) / (v * root), d2 = d1 - v * root;
    return spot * 0.5 * erfc(-d1 / sqrt(2.)) - strike * exp(-r * years) * 0.5 * erfc(-d2 / sqrt(2.));
}

int main() {
    static float spot[OPTIONS], strike[OPTIONS], years[OPTIONS];
    static float2 got[OPTIONS];
    double worst = 0, worst_parity = 0;
    for (int i = 0; i < OPTIONS; i++) {
        spot[i] = 5 + (float)draw(9500) / 100;
        strike[i] = 5 + (float)draw(9500) / 100;
        years[i] = 0.25f + (float)draw(1000) / 100;
    }
    spot[0] = strike[0] = 100;
    years[0] = 1;
    float *on_spot = on_device(OPTIONS, spot), *on_strike = on_device(OPTIONS, strike),
          *on_years = on_device(OPTIONS, years);
    float2 *out = on_device<float2>(OPTIONS);
    price<<<(OPTIONS + 127) / 128, 128>>>(on_spot, on_strike, on_years, out, rate, volatility);
    to_host(got, out, OPTIONS);
    for (int i = 0; i < OPTIONS; i++) {
        const double call = call_on_host(spot[i], strike[i], years[i]);
        const double parity = got[i].x - got[i].y - spot[i] + strike[i] * exp(-(double)rate * years[i]);
        worst = fmax(worst, fabs(call - got[i].x));
        worst_parity = fmax(worst_parity, fabs(parity));
    }
    printf("call %.2f, put %.2f\n", got[0].x, got[0].y);
    expect("calls", worst < 1e-4);
    expect("calls less puts", worst_parity < 1e-4);
    CHECK(cudaFree(on_spot));
    CHECK(cudaFree(on_strike));
    CHECK(cudaFree(on_years));
    CHECK(cudaFree(out));
    return finish();
}
