"""What torch.compile makes of layers, losses, moves and tuned kernels for the set tests/data/fresh."""
import torch
import torch._inductor.config as config

from inductor_steps import run, there, whole

F = torch.nn.functional


def tuned():
    """Element-wise work and reductions in all block sizes that Inductor would try."""
    config.max_autotune_pointwise = config.max_autotune = True
    x, y = there(900, 1280), there(900, 1280)
    yield lambda a, b: torch.addcmul(a, a, b, value=0.5).tanh() + b, x, y
    yield lambda a: F.softplus(a) * torch.cos(a), x
    yield lambda a: a.var(1), x
    yield lambda a, b: (a * b).amax(0), x, y
    yield lambda a: (a.t() + 1).contiguous().exp(), x


def layers():
    x, y = there(1200, 1400), there(1200, 1400)
    yield lambda a, w: F.rms_norm(a, (1400,), w), x, there(1400)
    yield lambda a, b, w: F.layer_norm(a + b, (1400,), w), x, y, there(1400)
    yield lambda a: F.silu(a[:, :700]) * a[:, 700:], x
    yield lambda a: torch.softmax(a.masked_fill(a > 1.5, -1e9), 1), x
    yield lambda a, b: F.cosine_similarity(a, b, dim=1), x, y
    yield lambda a, b: F.kl_div(F.log_softmax(a, 1), torch.softmax(b, 1), reduction="none").sum(1), x, y
    yield lambda a: torch.logsumexp(a, 0), x
    yield lambda a: a.cumsum(1), there(800, 1000)
    yield lambda a: (a / a.abs().amax(1, keepdim=True) * 127).round().to(torch.int8), x
    yield lambda a, b: F.smooth_l1_loss(a, b, reduction="none").mean(0), x, y
    yield lambda a: a.argmax(1), x


def moves():
    x = there(6, 32, 96, 96)
    yield lambda a: F.avg_pool2d(a, 3, stride=2), x
    yield lambda a: F.interpolate(a, scale_factor=2, mode="nearest"), x
    yield lambda a: F.interpolate(a, scale_factor=1.5, mode="bilinear"), x
    yield lambda a: torch.roll(a, (3, 5), (2, 3)), x
    yield lambda a: a.permute(0, 3, 1, 2).contiguous(), x
    yield lambda a: F.batch_norm(a, None, None, training=True), x
    yield lambda a: F.group_norm(a, 8), x
    yield lambda a: F.pixel_unshuffle(a, 2), x
    yield lambda a, w: F.prelu(a, w), x, there(32)
    table, rows = there(20000, 256), whole(20000, 4000)
    yield lambda t, i: F.embedding(i, t) * 16.0, table, rows
    yield lambda t, i: t.index_select(0, i).half(), table, rows
    yield lambda a, b, c: torch.cat([a, b, c], 1) * 2, there(1000, 300), there(1000, 500), there(1000, 200)


def products():
    config.max_autotune = True
    half = torch.float16
    yield lambda a, b, c: F.relu(a @ b + c), there(256, 768, dtype=half), there(768, 512, dtype=half), there(512, dtype=half)
    yield torch.bmm, there(24, 128, 96, dtype=torch.bfloat16), there(24, 96, 128, dtype=torch.bfloat16)


run({"tuned": tuned, "layers": layers, "moves": moves, "products": products})
