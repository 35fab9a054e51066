"""The programs of `benches/arrays.rs` in JAX: milliseconds of the compiled function, and of its value and gradient.

    python3 benches/jax.py [WORD...]

takes only the programs whose names contain one of the words. Values and norms of gradients are checked against the same
numbers, in f64 to 1e-9 and in f32 to 1e-4. Times are wall time, the minimum of many calls. Where JAX is not installed
this says so and ends with exit code 0.
"""

import sys
import time

# this file is called as what it imports
sys.path.pop(0)
try:
    import jax
    import jax.numpy as jnp
    import numpy as np
except ImportError as missing:
    print(f"JAX is not installed ({missing}): nothing to compare with")
    sys.exit(0)

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platform_name", "cpu")


def gen(shape, k, factor=1.0, dtype=np.float64):
    """The i-th element is sin(0.7 i + k), times a factor."""
    i = np.arange(int(np.prod(shape)), dtype=np.float64)
    return jnp.asarray((factor * np.sin(0.7 * i + k)).reshape(shape).astype(dtype))


def logistic(n, d):
    x, w = gen((n, d), 1), gen((d,), 2, 0.1)
    y = jnp.asarray((np.arange(n) % 2).astype(np.float64))

    def loss(w, b):
        z = x @ w + b
        return jnp.mean(jnp.log1p(jnp.exp(z)) - y * z) + 0.01 * jnp.sum(w * w)

    return loss, (w, jnp.float64(0.3))


def cross_entropy(logits):
    labels = np.arange(logits.shape[0]) % logits.shape[1]
    truth = jnp.take_along_axis(logits, labels[:, None], axis=1)[:, 0]
    return jnp.mean(jax.nn.logsumexp(logits, axis=1) - truth)


def perceptron(b, i, h, o, dtype):
    x = gen((b, i), 1, 1.0, dtype)

    def loss(w1, b1, w2, b2):
        return cross_entropy(jax.nn.relu(x @ w1 + b1) @ w2 + b2)

    parameters = gen((i, h), 2, 0.05, dtype), gen((h,), 3, 0.1, dtype), gen((h, o), 4, 0.05, dtype), gen((o,), 5, 0.1, dtype)
    return loss, parameters


def chain(n, dtype):
    return lambda x: jnp.sum(jnp.tanh(jnp.exp(-x * x) * jnp.sin(x) + x / 2)), (gen((n,), 0, 1.0, dtype),)


def attention(s, d, dtype):
    x = gen((s, d), 1, 1.0, dtype)

    def f(wq, wk, wv):
        q, k, v = x @ wq, x @ wk, x @ wv
        return jnp.sum((jax.nn.softmax(q @ k.T / np.sqrt(d).astype(dtype), axis=1) @ v) ** 2)

    return f, tuple(gen((d, d), k, 0.1, dtype) for k in (2, 3, 4))


def recurrent(t, b, h, dtype):
    xs = gen((t, b, h), 1, 1.0, dtype)

    def f(w, u, c):
        step = lambda s, x: (jnp.tanh(s @ w + x @ u + c), None)
        return jnp.sum(jax.lax.scan(step, jnp.zeros((b, h), dtype), xs)[0] ** 2)

    return f, (gen((h, h), 2, 0.05, dtype), gen((h, h), 3, 0.05, dtype), gen((h,), 4, 0.05, dtype))


F32, F64 = np.float32, np.float64
PROGRAMS = [
    ("logreg 569 x 30 f64", lambda: logistic(569, 30), 0.82672810066, 0.613144583104),
    ("logreg 100000 x 50 f64", lambda: logistic(100_000, 50), 1.04165167738, 1.17120540181),
    ("mlp 32 x 784-128-10 f32", lambda: perceptron(32, 784, 128, 10, F32), 2.32059, 0.204982),
    ("mlp 256 x 784-256-10 f32", lambda: perceptron(256, 784, 256, 10, F32), 2.31572, 0.239190),
    ("mlp 1797 x 64-64-10 f64", lambda: perceptron(1797, 64, 64, 10, F64), 2.31502452701, 0.0777000824704),
    ("chain 10^6 f64", lambda: chain(1_000_000, F64), 2.07337336248, 679.3958315),
    ("chain 10^6 f32", lambda: chain(1_000_000, F32), 2.07339, 679.396),
    ("chain 10^3 f64", lambda: chain(1_000, F64), 1.93123043611, 21.493974392),
    ("attention 128 x 64 f32", lambda: attention(128, 64, F32), 211.4287, 958.3605),
    ("rnn 50 x 32 x 64 f32", lambda: recurrent(50, 32, 64, F32), 59.4897, 599.574),
]


def best(f, arguments, seconds=2.0):
    """The shortest time of a call, after it was compiled."""
    jax.block_until_ready(f(*arguments))
    shortest, start = float("inf"), time.perf_counter()
    while time.perf_counter() - start < seconds:
        before = time.perf_counter()
        jax.block_until_ready(f(*arguments))
        shortest = min(shortest, time.perf_counter() - before)
    return shortest


def main():
    words, failed = sys.argv[1:], False
    print(f"JAX {jax.__version__}, CPU; wall time")
    print(f"{'program':<26} {'primal ms':>10} {'value and gradient ms':>22} {'ratio':>6}")
    for name, make, value, norm in PROGRAMS:
        if words and not any(word in name for word in words):
            continue
        f, parameters = make()
        compiled, gradient = jax.jit(f), jax.jit(jax.value_and_grad(f, argnums=tuple(range(len(parameters)))))
        found, gradients = gradient(*parameters)
        size = float(jnp.sqrt(sum(jnp.sum(jnp.asarray(g, F64) ** 2) for g in gradients)))
        tolerance = 1e-4 if "f32" in name else 1e-9
        if not (abs(float(found) - value) <= tolerance * abs(value) and abs(size - norm) <= tolerance * norm):
            print(f"{name}: value {float(found):.12g}, norm {size:.12g}, expected {value} and {norm}")
            failed = True
            continue
        primal, both = best(compiled, parameters) * 1e3, best(gradient, parameters) * 1e3
        print(f"{name:<26} {primal:>10.3f} {both:>22.3f} {both / primal:>6.2f}", flush=True)
    sys.exit(failed)


main()
