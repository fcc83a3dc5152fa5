"""Times scipy and numpy on the same arrays. Obeys one JSON request per line, so that rounds can alternate with Node's.

load {folder, case, ...sizes} reads raw little-endian arrays; answer {file} writes the result of one call there;
time {milliseconds} repeats the call and reports median and minimum in milliseconds. One thread.
"""

import glob
import importlib.metadata
import json
import os
import sys
import time

import numpy
import scipy
from scipy.sparse import csr_array, csr_matrix, eye
from scipy.sparse.linalg import eigsh, lobpcg
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist


def array(folder, name, kind, shape=-1):
    return numpy.fromfile(os.path.join(folder, name), dtype=kind).reshape(shape)


def sparse_product(folder, rows, width, transposed):
    """Float32 values and int32 indices; result Float32."""
    parts = (array(folder, "values", "f4"), array(folder, "columns", "i4"), array(folder, "starts", "i4"))
    matrix = csr_array(parts, shape=(rows, rows))
    x = array(folder, "x", "f4", (rows, width))
    left = matrix.T if transposed else matrix
    return lambda: left @ x


def gram(folder, rows, cols):
    """Sums in Float64, as ours. The points are converted to Float64 first, which is part of the timed work."""
    a = array(folder, "a", "f4", (rows, cols))
    weights = array(folder, "weights", "f8", (rows, 1))

    def call():
        wide = a.astype("f8")
        return wide.T @ (wide * weights)

    return call


def distances(folder, rows, others, cols):
    a = array(folder, "a", "f4", (rows, cols))
    b = array(folder, "b", "f4", (others, cols))
    return lambda: cdist(a, b, "sqeuclidean")


def rows_one_by_one(values, columns, starts, rows, y):
    """The product of some rows of W and y, one row at a time as in our loop."""
    product = numpy.empty((len(rows), y.shape[1]), "f4")
    for i, row in enumerate(rows):
        entries = slice(starts[row], starts[row + 1])
        product[i] = values[entries] @ y[columns[entries]]
    return product


def rows_at_once(values, columns, starts, rows, y):
    """The same without a loop, the fastest of several ways in numpy. Every row must have an entry."""
    first = starts[rows]
    lengths = starts[rows + 1] - first
    ends = numpy.cumsum(lengths)
    entries = numpy.repeat(first - ends + lengths, lengths) + numpy.arange(ends[-1])
    weights, neighbors = values.take(entries), columns.take(entries)
    sums = [numpy.add.reduceat(weights * column.take(neighbors), ends - lengths) for column in y.T]
    return numpy.stack(sums, 1)


def epoch(folder, rows, width, batch, step, form):
    """SpecNet2 with the neighbor scheme: block steps on Y in Float32, tracked moments in Float64."""
    n = rows
    parts = (array(folder, "values", "f4"), array(folder, "columns", "i4"), array(folder, "starts", "i4"))
    sparse = csr_array(parts, shape=(n, n))
    multiply = {
        "rows": lambda rows, y: rows_one_by_one(*parts, rows, y),
        "flat": lambda rows, y: rows_at_once(*parts, rows, y),
        "scipy": lambda rows, y: sparse[rows] @ y,
    }[form]
    degrees = array(folder, "degrees", "f8")
    eta = degrees / numpy.sqrt(degrees.sum())
    start = array(folder, "y", "f4", (n, width))
    batches = array(folder, "order", "i4", (-1, batch))

    def call():
        y = start.copy()
        gram = y.T @ (degrees[:, None] * y)
        mean = eta @ y
        for rows in batches:
            before = y[rows]
            mass = degrees[rows, None]
            trivial = eta[rows, None]
            affinity = multiply(rows, y) - trivial * mean
            after = (before - step * (4 / n) * (mass * (before @ gram) / n**2 - affinity)).astype("f4")
            gram += after.T @ (mass * after) - before.T @ (mass * before)
            mean += (trivial * (after - before)).sum(axis=0)
            y[rows] = after
        return y

    return call


def all_pairs(folder, rows, cols, neighbors):
    """The nearest neighbors of every row, itself included: one product per block, then partial selection and sorting."""
    x = array(folder, "x", "f4", (rows, cols))
    block = 1000

    def call():
        norms = numpy.einsum("ij,ij->i", x, x)
        indices = numpy.empty((rows, neighbors), "i4")
        found = numpy.empty((rows, neighbors), "f4")
        for top in range(0, rows, block):
            rest = slice(top, min(rows, top + block))
            squared = x[rest] @ x.T
            squared *= -2
            squared += norms
            squared += norms[rest, None]
            near = numpy.argpartition(squared, neighbors - 1, axis=1)[:, :neighbors]
            near_squared = numpy.take_along_axis(squared, near, 1)
            order = numpy.argsort(near_squared, axis=1)
            indices[rest] = numpy.take_along_axis(near, order, 1)
            found[rest] = numpy.take_along_axis(near_squared, order, 1)
        return found

    return call


def normalized(folder, rows):
    """D^-1/2 W D^-1/2, which is not timed."""
    values = array(folder, "values", "f4").astype("f8")
    columns, starts = array(folder, "columns", "i4"), array(folder, "starts", "i4")
    roots = numpy.sqrt(numpy.add.reduceat(values, starts[:-1]))
    values /= numpy.repeat(roots, numpy.diff(starts)) * roots[columns]
    return csr_matrix((values, columns, starts), shape=(rows, rows))


def eigenpairs(folder, rows, count, tolerance):
    """The largest eigenvalues of D^-1/2 W D^-1/2 by ARPACK, with eigenvectors."""
    matrix = normalized(folder, rows)
    return lambda: eigsh(matrix, k=count, which="LA", tol=tolerance)[0][::-1]


def shift_invert(folder, rows, count, tolerance):
    """The same eigenvalues as scikit-learn finds them now: the Laplacian in shift-invert mode, on a sparse factorization."""
    matrix = (eye(rows) - normalized(folder, rows)).tocsc()
    return lambda: 1 - numpy.sort(eigsh(matrix, k=count, sigma=-1e-5, which="LM", tol=tolerance)[0])


def block_gradient(folder, rows, count, tolerance):
    """The same eigenvalues by scipy's LOBPCG from a random start, without preconditioner, as scikit-learn calls it."""
    matrix = (eye(rows) - normalized(folder, rows)).tocsr()
    start = numpy.random.default_rng(0).standard_normal((rows, count + 1))
    start[:, 0] = 1

    def call():
        found = lobpcg(matrix, start.copy(), tol=tolerance, maxiter=2000, largest=False)[0]
        return 1 - numpy.sort(found)[:count]

    return call


def krylov_schur(folder, rows, count, tolerance):
    """The same eigenvalues by SLEPc's Krylov-Schur method on D^-1/2 W D^-1/2, in one process."""
    # Debian keeps the modules of PETSc and SLEPc in folders of their own.
    sys.path += glob.glob("/usr/lib/*dir/*/*/lib/python3/dist-packages")
    from petsc4py import PETSc
    from slepc4py import SLEPc

    weights = normalized(folder, rows)
    matrix = PETSc.Mat().createAIJ((rows, rows), csr=(weights.indptr, weights.indices, weights.data))

    def call():
        solver = SLEPc.EPS().create()
        solver.setOperators(matrix)
        solver.setProblemType(SLEPc.EPS.ProblemType.HEP)
        solver.setWhichEigenpairs(SLEPc.EPS.Which.LARGEST_REAL)
        solver.setDimensions(count)
        solver.setTolerances(tolerance, 100000)
        solver.solve()
        if solver.getConverged() < count:
            raise RuntimeError(f"{solver.getConverged()} of {count} eigenvalues converged")
        return numpy.array([solver.getEigenvalue(k).real for k in range(count)])

    return call


def current_embedding(folder, rows, cols, neighbors):
    """Two coordinates from points with the call of current releases, eigsh(L, sigma=-1e-5, which='LM'), whatever the release."""
    from scipy.sparse.csgraph import laplacian
    from sklearn.neighbors import kneighbors_graph

    points = array(folder, "points", "f4", (rows, cols))

    def call():
        directed = kneighbors_graph(points, neighbors, include_self=True)
        matrix = laplacian(0.5 * (directed + directed.T), normed=True).tocsc()
        start = numpy.random.default_rng(0).uniform(-1, 1, rows)
        values = numpy.sort(eigsh(matrix, k=3, sigma=-1e-5, which="LM", tol=0, v0=start)[0])
        return numpy.log10(values[1:])

    return call


def tree(folder, rows, cols, neighbors):
    x = array(folder, "x", "f4", (rows, cols))

    def call():
        found, _ = cKDTree(x).query(x, neighbors, workers=1)
        return found**2

    return call


CASES = {
    "sparse": sparse_product,
    "gram": gram,
    "distances": distances,
    "all pairs": all_pairs,
    "tree": tree,
    "eigsh": eigenpairs,
    "shift-invert": shift_invert,
    "lobpcg": block_gradient,
    "slepc": krylov_schur,
    "current embedding": current_embedding,
    "epoch": epoch,
}


def measure(call, milliseconds):
    samples = []
    checksum = 0.0
    start = time.perf_counter_ns()
    while not samples or time.perf_counter_ns() - start < milliseconds * 1e6:
        before = time.perf_counter_ns()
        result = call()
        samples.append((time.perf_counter_ns() - before) / 1e6)
    checksum += float(result.sum(dtype="f8"))
    return {"median": float(numpy.median(samples)), "min": min(samples), "checksum": checksum}


def versions():
    found = {"numpy": numpy.__version__, "scipy": scipy.__version__}
    try:
        found["scikit-learn"] = importlib.metadata.version("scikit-learn")
    except importlib.metadata.PackageNotFoundError:
        pass
    return found


def main():
    call = None
    print(json.dumps(versions()), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        kind = request.pop("request")
        reply = {}
        if kind == "load":
            call = CASES[request.pop("case")](**request)
        elif kind == "answer":
            numpy.ascontiguousarray(call(), dtype="f8").tofile(request["file"])
        else:
            reply = measure(call, request["milliseconds"])
        print(json.dumps(reply), flush=True)


main()
