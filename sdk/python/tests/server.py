"""A server on loopback whose answers are written down beforehand, and both clients behind one face."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from countinghouse import AsyncCountinghouse, Countinghouse

Answer = Callable[["Handler"], None]


@dataclass(frozen=True)
class Received:
    path: str
    headers: Message
    content: bytes


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Scripted

    def handle_any(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with self.server.lock:
            number = len(self.server.requests)
            self.server.requests.append(Received(self.path, self.headers, content))
        answers = self.server.answers
        answers[min(number, len(answers) - 1)](self)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    def log_message(self, format: str, *args: Any) -> None:
        pass



class Scripted(ThreadingHTTPServer):
    """Answers each request with the next of its answers, the last one again and again."""

    daemon_threads = True

    def __init__(self, answers: list[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.requests: list[Received] = []
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that leave are what some tests are about."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def send(status: int, content: bytes, headers: dict[str, str]) -> Answer:
    def answer(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def send_json(status: int, body: object, headers: dict[str, str] | None = None) -> Answer:
    kind = "application/json" if status < 400 else "application/problem+json"
    return send(status, json.dumps(body).encode(), {"Content-Type": kind, **(headers or {})})


def nothing(handler: Handler) -> None:
    """Closes the connection without an answer."""
    handler.close_connection = True
    handler.connection.close()


class Sync:
    """Runs a test's calls on the synchronous client."""

    kind = "sync"

    def client(self, url: str, **options: Any) -> Countinghouse:
        return Countinghouse(url, **options)

    def run(self, client: Any, *calls: Callable[[Any], Any]) -> list[Any]:
        """What each call gave or raised, one after the other."""
        results: list[Any] = []
        for call in calls:
            try:
                result = call(client)
                results.append(list(result) if isinstance(result, Iterator) else result)
            except Exception as error:
                results.append(error)
        client.close()
        return results

    def run_at_once(self, client: Any, count: int, call: Callable[[Any], Any]) -> None:
        threads = [threading.Thread(target=call, args=(client,)) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


class Async:
    """Runs a test's calls on the asynchronous client, in one event loop."""

    kind = "async"

    def __init__(self) -> None:
        self._runner = asyncio.Runner()

    def client(self, url: str, **options: Any) -> AsyncCountinghouse:
        return AsyncCountinghouse(url, **options)

    def run(self, client: Any, *calls: Callable[[Any], Any]) -> list[Any]:
        async def settle() -> list[Any]:
            results: list[Any] = []
            for call in calls:
                try:
                    result = call(client)
                    results.append([item async for item in result] if isinstance(result, AsyncIterator) else await result)
                except Exception as error:
                    results.append(error)
            await client.close()
            return results

        return self._runner.run(settle())

    def run_at_once(self, client: Any, count: int, call: Callable[[Any], Any]) -> None:
        async def settle() -> None:
            await asyncio.gather(*(call(client) for _ in range(count)))

        self._runner.run(settle())
