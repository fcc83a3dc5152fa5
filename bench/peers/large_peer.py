"""Times scikit-learn's spectral embedding of points, or its eigensolver on a given graph, in a process of its own.

The argument is one JSON object: task, folder with raw little-endian arrays, rows, cols, components, neighbors, tolerance,
rounds. Prints one JSON object. All cores may be used.
"""

import json
import os
import resource
import sys
import time

import numpy
import scipy
import sklearn
from scipy.sparse import csr_matrix, eye
from scipy.sparse.linalg import eigsh
from sklearn.manifold import SpectralEmbedding


def array(folder, name, kind):
    return numpy.fromfile(os.path.join(folder, name), dtype=kind)


def model(folder, rows, cols, components, neighbors):
    """Points to coordinates with default options, but for the neighbors, which are ours. There is no function of the point."""
    points = array(folder, "points", "f4").reshape(rows, cols)

    def call():
        estimator = SpectralEmbedding(
            n_components=components,
            affinity="nearest_neighbors",
            n_neighbors=neighbors,
            random_state=0,
            n_jobs=-1,
        )
        return estimator.fit(points)

    def values(estimator):
        weights = estimator.affinity_matrix_
        y = estimator.embedding_.astype("f8")
        degrees = numpy.asarray(weights.sum(axis=1)).reshape(-1, 1)
        y = y - (degrees * y).sum(axis=0) / degrees.sum()
        return 1 - (y * (weights @ y)).sum(axis=0) / (degrees * y**2).sum(axis=0)

    return call, values


def pairs(folder, rows, components, tolerance):
    """The call of scikit-learn on I - D^-1/2 W D^-1/2, with the number of pairs and the tolerance that ours has."""
    values = array(folder, "values", "f4").astype("f8")
    columns, starts = array(folder, "columns", "i4"), array(folder, "starts", "i4")
    roots = numpy.sqrt(numpy.add.reduceat(values, starts[:-1]))
    values /= numpy.repeat(roots, numpy.diff(starts)) * roots[columns]
    laplacian = (eye(rows) - csr_matrix((values, columns, starts), shape=(rows, rows))).tocsc()
    del values, columns, starts
    start = numpy.random.default_rng(0).uniform(-1, 1, rows)

    def call():
        return eigsh(laplacian, k=components + 1, sigma=-1e-5, which="LM", tol=tolerance, v0=start)

    return call, lambda found: numpy.sort(found[0])[1:]


def main():
    request = json.loads(sys.argv[1])
    rounds = request.pop("rounds")
    call, values = {"model": model, "pairs": pairs}[request.pop("task")](**request)
    seconds, processor, peak = [], [], 0
    for _ in range(rounds):
        wall, own = time.perf_counter(), time.process_time()
        result = call()
        seconds.append(time.perf_counter() - wall)
        processor.append(time.process_time() - own)
        peak = peak or 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    versions = f"scikit-learn {sklearn.__version__}, scipy {scipy.__version__}, numpy {numpy.__version__}"
    found = {"values": numpy.sort(values(result)).tolist()}
    print(json.dumps({"seconds": seconds, "processor": processor, "peak": peak, "found": found, "version": versions}))


main()
