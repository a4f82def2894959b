"""A converter for skl2onnx, so that pipelines that end in a classifier of this package become ONNX files."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

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
    """Scores in the type of the input, and the class with the highest; of two classes the second wins a score of zero, as in
    `predict`. (ONNX's own LinearClassifier knows float32 only.)"""
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, guess_proto_type
    from skl2onnx.proto import onnx_proto

    classifier = operator.raw_operator
    classifier.to_onnx()  # Refuses what is not one hyperplane for a class.
    weights, bias = classifier.coef_, classifier.intercept_
    if sparse.issparse(weights):
        weights = weights.toarray()
    if len(weights) == 1:
        weights, bias = np.vstack([-weights, weights]), np.concatenate([-bias, bias])

    def node(kind: str, inputs: list[str], output: str | None = None, **more: Any) -> str:
        output = scope.get_unique_variable_name(kind.lower()) if output is None else output
        container.add_node(kind, inputs, output, name=scope.get_unique_operator_name(kind), **more)
        return output

    def constant(name: str, kind: int, shape: list[int], values: list[Any]) -> str:
        name = scope.get_unique_variable_name(name)
        container.add_initializer(name, kind, shape, values)
        return name

    given = operator.inputs[0]
    double = isinstance(given.type, DoubleTensorType)
    number = onnx_proto.TensorProto.DOUBLE if double else onnx_proto.TensorProto.FLOAT
    rows = given.full_name
    if not isinstance(given.type, (DoubleTensorType, FloatTensorType)):
        rows = node("Cast", [rows], to=number)
    label, scores = operator.outputs
    products = node("MatMul", [rows, constant("weights", number, list(weights.T.shape), weights.T.ravel().tolist())])
    typed = guess_proto_type(scores.type) == number
    sums = [products, constant("bias", number, [len(bias)], bias.tolist())]
    total = node("Add", sums, scores.full_name if typed else None)
    if not typed:
        node("Cast", [total], scores.full_name, to=guess_proto_type(scores.type))
    kind, listed = _classes(classifier, container.get_options(classifier, {"nocl": False})["nocl"])
    last: dict[str, Any] = {"select_last_index": 1} if len(listed) == 2 else {}
    best = node("ArgMax", [total], axis=1, keepdims=0, **last)
    node("Gather", [constant("classes", kind, [len(listed)], listed), best], label.full_name)


def _classes(classifier: Any, numbered: bool) -> tuple[int, list[Any]]:
    """ONNX's type of the classes, and the classes: as skl2onnx has them, whole numbers are numbers, and so are truths;
    `numbered`: their places."""
    from skl2onnx.proto import onnx_proto

    classes = classifier.classes_.tolist()
    if numbered:
        return onnx_proto.TensorProto.INT64, list(range(len(classes)))
    if all(isinstance(one, str) for one in classes):
        return onnx_proto.TensorProto.STRING, [one.encode() for one in classes]
    whole = [int(one) for one in classes]
    if whole != classes:
        raise ValueError(f"classes {classes}: skl2onnx has texts and whole numbers only")
    return onnx_proto.TensorProto.INT64, whole
