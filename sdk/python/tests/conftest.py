from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from server import Answer, Async, Scripted, Sync


@pytest.fixture(params=[Sync, Async], ids=["sync", "async"])
def mode(request: pytest.FixtureRequest) -> Sync | Async:
    made: Sync | Async = request.param()
    return made


@pytest.fixture
def serve() -> Iterator[Callable[..., Scripted]]:
    servers: list[Scripted] = []

    def start(*answers: Answer) -> Scripted:
        servers.append(Scripted(list(answers)))
        return servers[-1]

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
