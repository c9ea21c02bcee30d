"""Stage 4: pure functions from counts and moments to numbers; they never see a pixel.

They are plain Python that Numba can compile, so that a formula stands once: the kernels compile
these functions, the reference twins do not use them.
"""

#: The scores of one binary partition, in the row order of every table of them.
SWEEP_SCORES = ("f_beta", "f1", "precision", "recall", "specificity", "fpr", "iou", "dice", "ber",
                "kappa", "cohen_kappa", "accuracy", "e_measure")  # fmt: skip
