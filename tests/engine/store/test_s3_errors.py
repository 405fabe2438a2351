"""What a connection that could not be made is called."""

import pytest
from botocore.exceptions import ConnectTimeoutError, EndpointConnectionError

from engine.store.s3_errors import Passing, Refused, s3_errors


@pytest.mark.parametrize("kind", [ConnectTimeoutError, EndpointConnectionError])
def test_a_server_out_of_reach_is_named_without_key_or_user(kind):
    url = "http://someone:hidden@storage:8333/bucket/key?x-id=hidden"
    with pytest.raises(Passing) as caught, s3_errors("s3://bucket", "a/b"):
        raise kind(endpoint_url=url, error=TimeoutError())
    assert caught.value.message == "it cannot be reached at http://storage:8333"
    assert not isinstance(caught.value, Refused)
