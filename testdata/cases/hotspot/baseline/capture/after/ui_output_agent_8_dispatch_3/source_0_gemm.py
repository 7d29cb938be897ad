import kernels as fx

STAGES = 2


def gemm(a, b, c, k):
    acc = fx.zeros(16)
    for i in range(k):
        x = fx.load(a, i)
        y = fx.lds_read(b, i)
        acc = fx.mfma(x, y, acc)
        fx.barrier()
    fx.store(c, acc)
