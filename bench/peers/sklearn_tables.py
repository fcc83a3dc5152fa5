"""Spectral clustering by scikit-learn on the graph of the sixteen nearest neighbors. Prints labels, time and memory as JSON."""

import json
import resource
import sys
import time
import warnings

import numpy as np
import scipy
import scipy.sparse as sparse
import sklearn
from scipy.sparse.linalg import eigsh
from sklearn.cluster import SpectralClustering, k_means
from sklearn.neighbors import kneighbors_graph

warnings.filterwarnings("ignore")
folder, method = sys.argv[1:3]
with open(folder + "/settings.json") as file:
    settings = json.load(file)
if settings["isSparse"]:
    points = sparse.load_npz(folder + "/train.npz").tocsr()
else:
    points = np.load(folder + "/train.npy")
clusters = settings["clusters"]


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


before = peak()
start = time.process_time()
nearest = kneighbors_graph(points, 16, include_self=True, metric=settings.get("metric", "euclidean"))
affinity = 0.5 * (nearest + nearest.T)
if method == "sklearn":
    labels = SpectralClustering(clusters, affinity="precomputed", random_state=0).fit_predict(affinity)
else:
    laplacian, degrees = sparse.csgraph.laplacian(affinity, normed=True, return_diag=True)
    start_vector = np.random.default_rng(0).uniform(-1, 1, points.shape[0])
    _, vectors = eigsh(laplacian.tocsc(), clusters, sigma=-1e-5, which="LM", v0=start_vector)
    labels = k_means(vectors / degrees[:, None], clusters, n_init=10, random_state=0)[1]
print(
    json.dumps(
        {
            "labels": labels.tolist(),
            "seconds": time.process_time() - start,
            "bytes": peak() - before,
            "versions": f"scikit-learn {sklearn.__version__}, scipy {scipy.__version__}, numpy {np.__version__}",
        }
    )
)
