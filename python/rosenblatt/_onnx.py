"""A converter for skl2onnx, so that pipelines that end in a classifier of this package become ONNX files."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._estimators import ESTIMATORS


def register_onnx() -> None:
    """Registers the classifiers of this package with skl2onnx: from then on its `to_onnx` converts them, alone or at the end
    of a pipeline. Votes and kernels, which are not one hyperplane for a class, are refused there.

    >>> from rosenblatt import register_onnx
    >>> register_onnx()  # doctest: +SKIP
    """
    from skl2onnx import update_registered_converter
    from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes

    for name, cls in ESTIMATORS.items():
        update_registered_converter(
            cls,
            f"Rosenblatt{name}",
            calculate_linear_classifier_output_shapes,
            _convert,
            options={"zipmap": [True, False, "columns"], "output_class_labels": [False, True], "nocl": [True, False]},
            overwrite=True,
        )


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """A LinearClassifier; of two classes the second wins a score of zero, as in `predict`."""
    from skl2onnx.proto import onnx_proto

    classifier = operator.raw_operator
    classifier.to_onnx()  # Refuses what is not one hyperplane for a class.
    weights, bias = classifier.coef_, classifier.intercept_
    if len(weights) == 1:
        weights, bias = np.vstack([-weights, weights]), np.concatenate([-bias, bias])
    classes = classifier.classes_
    whole = classes.dtype.kind in "iu"
    listed: list[Any] = [int(one) for one in classes] if whole else [str(one) for one in classes]
    label, scores = (output.full_name for output in operator.outputs)
    chosen = scope.get_unique_variable_name("first_of_equals") if len(classes) == 2 else label
    container.add_node(
        "LinearClassifier",
        operator.inputs[0].full_name,
        [chosen, scores],
        op_domain="ai.onnx.ml",
        name=scope.get_unique_operator_name("LinearClassifier"),
        coefficients=weights.astype(np.float32).ravel().tolist(),
        intercepts=bias.astype(np.float32).tolist(),
        multi_class=0,
        post_transform="NONE",
        **{"classlabels_ints" if whole else "classlabels_strings": listed},
    )
    if len(classes) == 2:
        best, names = scope.get_unique_variable_name("best"), scope.get_unique_variable_name("classes")
        kind = onnx_proto.TensorProto.INT64 if whole else onnx_proto.TensorProto.STRING
        container.add_initializer(names, kind, [2], listed if whole else [one.encode() for one in listed])
        container.add_node(
            "ArgMax", scores, best, op_version=13, name=scope.get_unique_operator_name("ArgMax"), axis=1, keepdims=0,
            select_last_index=1,
        )
        container.add_node("Gather", [names, best], label, op_version=13, name=scope.get_unique_operator_name("Gather"))
