"""What torch.compile makes of steps of training, attention with rules, cells, losses of images and sums by index for the set tests/data/kinds."""
import torch

from inductor_steps import run, there, whole

F = torch.nn.functional


def layers():
    x, y = there(600, 1100), there(600, 1100)
    yield lambda a, g: a * torch.sigmoid(a) * (g - (g * a).sum(1, keepdim=True)), x, y
    yield lambda i, g: torch.zeros(500, 1100, device="cuda").index_put((i,), g, accumulate=True), whole(500, 600), y
    yield lambda i, g: torch.zeros(500, device="cuda").scatter_reduce(0, i, g, "amax", include_self=True), whole(500, 60000), there(60000)
    yield lambda a, b: torch.cdist(a, b), there(200, 24), there(300, 24)
    yield lambda a: torch.sort(a, dim=1)[0], there(400, 200)
    yield lambda a: a.to(torch.float8_e4m3fn).to(torch.float32), x
    yield lambda a: (a * torch.rsqrt(a.pow(2).mean(1, keepdim=True) + 1e-6)).to(torch.float8_e5m2), x
    yield lambda a, b: torch.stack([a, b], 2).flatten(1).roll(1, 1), x, y
    yield lambda a: F.gumbel_softmax(a, dim=1), x
    yield lambda a: F.dropout(a, 0.2) + 1, x
    yield lambda a, c, w: torch.sigmoid(a[:, :275]) * torch.tanh(a[:, 275:550]) + torch.sigmoid(a[:, 550:825] + w) * c, x, there(600, 275), there(275)
    yield lambda p, g, m, v: (p - 0.01 * (0.9 * m + 0.1 * g) / ((0.99 * v + 0.01 * g * g).abs().sqrt() + 1e-8), 0.9 * m + 0.1 * g), x, y, there(600, 1100), there(600, 1100)
    yield lambda a: torch.cumprod(a * 0.1 + 1, 1), x
    yield lambda a: torch.logcumsumexp(a, 1), there(300, 700)


def images():
    x = there(4, 24, 60, 60)
    yield lambda a: F.unfold(a, 3, padding=1), x
    yield lambda a: F.adaptive_avg_pool2d(a, 7), x
    yield lambda a: F.max_pool2d(a, 3, stride=1, padding=1), x
    yield lambda a: F.interpolate(a, scale_factor=2, mode="bicubic"), x
    yield lambda a, g: F.grid_sample(a, g.tanh(), align_corners=False), x, there(4, 50, 50, 2)
    yield lambda a, t: F.cross_entropy(a, t, reduction="none"), x, whole(24, 4, 60, 60)
    yield lambda a: F.local_response_norm(a, 5), x
    yield lambda a: F.pixel_shuffle(a[:, :16], 2) * 0.5, x
    yield lambda a: torch.flip(a, (2, 3)) - a, x
    yield lambda a: F.pad(a, (2, 3, 1, 4), mode="reflect"), x
    yield lambda a: a.double().std(1), x
    yield lambda a: F.instance_norm(a), x


def attention():
    from torch.nn.attention.flex_attention import flex_attention

    half = torch.float16
    q, k, v = (there(2, 4, 256, 64, dtype=half) for _ in range(3))
    yield lambda q, k, v: flex_attention(q, k, v), q, k, v
    yield lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: torch.where(i >= j, s - 0.1 * (i - j), -1e9)), q, k, v
    yield lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: 20 * torch.tanh(s / 20)), there(8, 8, 16, 64, dtype=half), there(8, 8, 512, 64, dtype=half), there(8, 8, 512, 64, dtype=half)


run({"layers": layers, "images": images, "attention": attention})
