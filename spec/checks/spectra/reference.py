"""The smallest eigenvalues of a Laplacian by scipy, as a reference: dense for small graphs, ARPACK in shift-invert mode for others."""

import json
import sys

import numpy
import scipy.linalg
from scipy.sparse import csc_matrix, diags
from scipy.sparse.linalg import LinearOperator, eigsh, splu

SMALL = 2600
# ARPACK may miss copies of repeated eigenvalues: more pairs are asked for than are compared, from several starts.
MORE = 12
STARTS = 3


def laplacian(folder, rows, kind):
    read = lambda name, dtype: numpy.fromfile(f"{folder}/{name}", dtype)
    weights = csc_matrix((read("values", "f8"), read("columns", "i4"), read("starts", "i4")), shape=(rows, rows))
    off = weights - diags(weights.diagonal())
    degrees = read("degrees", "f8")
    # Loops cancel in D - W.
    form = diags(numpy.asarray(off.sum(axis=1)).ravel()) - off
    if kind == "unnormalized":
        return form.tocsc()
    roots = diags(1 / numpy.sqrt(degrees))
    return (roots @ form @ roots).tocsc()


def smallest(matrix, count):
    rows = matrix.shape[0]
    if rows <= SMALL:
        return scipy.linalg.eigvalsh(matrix.toarray())[:count]
    scale = abs(matrix.diagonal()).max()
    shift = -1e-7 * scale
    factor = splu(
        (matrix - shift * diags(numpy.ones(rows))).tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    inverse = LinearOperator((rows, rows), matvec=factor.solve, dtype="f8")
    found = numpy.zeros((rows, 0))
    for start in range(STARTS):
        random = numpy.random.default_rng(start).standard_normal(rows)
        k = min(count + MORE, rows - 1)
        vectors = eigsh(matrix, k=k, sigma=shift, which="LM", OPinv=inverse, tol=0, v0=random, maxiter=5000, ncv=min(rows, 3 * k))[1]
        found = numpy.hstack([found, vectors])
    # The Ritz values of all vectors found are upper bounds of the eigenvalues, so copies that one start missed are kept.
    basis, singular, _ = numpy.linalg.svd(found, full_matrices=False)
    basis = basis[:, singular > 1e-7]
    return numpy.sort(scipy.linalg.eigvalsh(basis.T @ (matrix @ basis)))[:count]


def main():
    request = json.loads(sys.argv[1])
    matrix = laplacian(request["folder"], request["rows"], request["kind"])
    print(json.dumps([float(value) for value in smallest(matrix, request["count"])]))


main()
