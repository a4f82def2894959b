"""Infers with the client of KServe, and with that of Triton, which speaks the same protocol."""

import asyncio
import sys

import numpy
import tritonclient.http
from kserve import InferenceRESTClient, InferInput, InferRequest, RESTConfig

address = sys.argv[1]


def outputs(answer):
    return {output.name: output.data for output in answer.outputs}


async def kserve():
    client, url = InferenceRESTClient(RESTConfig(protocol="v2")), f"http://{address}"
    assert await client.is_server_live(url)
    assert await client.is_server_ready(url)
    assert await client.is_model_ready(url, "m")
    numbers = InferInput(name="x", shape=[2, 2], datatype="FP64", data=[1.0, 0.0, 0.0, 1.0])
    found = outputs(await client.infer(url, InferRequest(model_name="m", infer_inputs=[numbers]), model_name="m"))
    assert found["label"] == ["yes", "no"], found
    assert found["classes"] == ["no", "yes"], found
    assert found["scores"][1] > 0 > found["scores"][0], found
    rows = InferInput(name="rows", shape=[1], datatype="BYTES", data=['{"features": {"x1": 1}}'])
    found = outputs(await client.infer(url, InferRequest(model_name="m", infer_inputs=[rows]), model_name="m"))
    assert found["label"] == ["yes"], found


def triton():
    client = tritonclient.http.InferenceServerClient(address)
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("m")
    assert client.get_model_metadata("m")["outputs"][0]["name"] == "label"
    numbers = tritonclient.http.InferInput("x", [2, 2], "FP64")
    numbers.set_data_from_numpy(numpy.array([[1.0, 0.0], [0.0, 1.0]]), binary_data=False)
    wanted = lambda name: [tritonclient.http.InferRequestedOutput(name, binary_data=False)]
    answer = client.infer("m", [numbers], outputs=wanted("label"))
    assert list(answer.as_numpy("label")) == ["yes", "no"]
    assert answer.as_numpy("scores") is None
    for refused, why in [
        (lambda: client.infer("m", [numbers], outputs=wanted("depth")), "depth"),
        (lambda: client.infer("none", [numbers]), "no model of this name"),
    ]:
        try:
            refused()
        except tritonclient.utils.InferenceServerException as error:
            assert why in str(error), error
        else:
            raise AssertionError(why)


asyncio.run(kserve())
triton()
print("all is well")
