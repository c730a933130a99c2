"""The login of a user, and its tokens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import cast

from .calls import Call
from .generated.models import LoginResponse


@dataclass(frozen=True)
class Login:
    email: str
    password: str = field(repr=False)
    #: For an account with two-step login: gives the six digits that its app shows now.
    code: Callable[[], str | Awaitable[str]] | None = None


class Session:
    """Tokens of a user who logs in. A failed login leaves nothing behind: the next call logs in again."""

    def __init__(self, login: Login) -> None:
        self._login = login
        self._tokens: LoginResponse | None = None

    def other_token(self, refused: str | None) -> str | None:
        """The token, unless it is the one that was refused."""
        token = self._tokens["access_token"] if self._tokens else None
        return None if token == refused else token

    def take_refresh(self) -> Call | None:
        """A refresh token works once, so it is forgotten with its tokens."""
        token = self._tokens["refreshToken"] if self._tokens else None
        self._tokens = None
        return Call("POST", "/admin/api/v1/auth/refresh", body={"refreshToken": token}, public=True) if token else None

    def login(self) -> Call:
        body = {"email": self._login.email, "password": self._login.password}
        return Call("POST", "/admin/api/v1/auth/login", body=body, public=True)

    def ask_code(self) -> str | Awaitable[str]:
        if self._login.code is None:
            raise ValueError("This account has two-step login: give `code` in the login, or use an API key.")
        return self._login.code()

    @staticmethod
    def complete(challenge: str, code: str) -> Call:
        headers = {"Authorization": f"Bearer {challenge}"}
        return Call("POST", "/admin/api/v1/auth/two-step", headers=headers, body={"code": code}, public=True)

    def keep(self, answer: object) -> str:
        self._tokens = cast(LoginResponse, answer)
        return self._tokens["access_token"]
