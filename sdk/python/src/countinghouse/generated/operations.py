# Written by `npm run sdk` from the OpenAPI document.

from __future__ import annotations

from typing import Any, Literal

from ..calls import Call
from . import models


class Operations:
    def _call(self, call: Call) -> Any:
        raise NotImplementedError

    def get_liveness(
        self,
    ) -> models.GetLivenessResponse:
        """Whether the process runs

        Touches nothing else. `/healthz` is another name of it. `proxy`: forwarded headers came from an address that TRUSTED_PROXIES does not name.
        """
        return self._call(
            Call(
                "GET",
                "/livez",
                public=True,
            )
        )

    def get_readiness(
        self,
    ) -> models.GetReadinessResponse:
        """Whether the process can serve

        503 with the reason while the database does not answer within two seconds, is read-only, or has a schema that this version can no longer work with, and at METRICS_LISTEN while the process starts or stops. `paused`: a paused deployment answers reads, and neither reads sources nor sends.
        """
        return self._call(
            Call(
                "GET",
                "/readyz",
                public=True,
            )
        )

    def login(
        self,
        body: models.LoginRequest,
    ) -> models.LoginResponse:
        """Get a token

        Exchanges e-mail address and password for tokens. When the account has two-step login, `twoStepVerify` is true and `access_token` is a challenge of five minutes for `POST /auth/two-step`. Five wrong passwords in a quarter of an hour close an account to networks that it has not logged in from (429). 403 for a member of an instance that requires its identity provider.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/login",
                body=body,
                public=True,
            )
        )

    def complete_login(
        self,
        challenge: str,
        body: models.CompleteLoginRequest,
    ) -> models.LoginResponse:
        """Complete a two-step login

        Send the `access_token` of the login as the bearer token. A challenge takes five tries; a code works once. `POST /auth/two-step/passkey` begins one with a passkey.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/two-step",
                headers={"Authorization": f"Bearer {challenge}"},
                body=body,
                public=True,
            )
        )

    def begin_passkey_login(
        self,
        challenge: str,
    ) -> models.BeginPasskeyLoginResponse:
        """Begin the second step with a passkey

        Send the `access_token` of the login as the bearer token. `options` is null for an account without a passkey.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/two-step/passkey",
                headers={"Authorization": f"Bearer {challenge}"},
                public=True,
            )
        )

    def refresh_token(
        self,
        body: models.RefreshTokenRequest,
    ) -> models.LoginResponse:
        """Get new tokens without a password

        A refresh token works once and gives its successor; asked again within ten seconds it gives the same one, so a lost answer does no harm. Any later second use ends the session. A session ends after 30 days, or 7 days without a refresh. Without `refreshToken` the cookie of a login that asked to keep it there is used, from pages of this very origin only.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/refresh",
                body=body,
                public=True,
            )
        )

    def logout(
        self,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.ProviderLogout | None:
        """End the session

        The refresh token ends at once, access tokens of the session at once for whatever changes something, within a second for reads. A session of an identity provider that has a page for logout answers 200 with its address, which a browser opens to end the session there, too. Other sessions of the account go on.

        Roles: admin, developer, integration, viewer. Not for API keys.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/logout",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def whoami(
        self,
    ) -> models.Whoami:
        """The account behind the token

        Name, role and instance, as they are now.

        Roles: admin, developer, integration, viewer. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/auth/me",
            )
        )

    def change_password(
        self,
        body: models.ChangePasswordRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> None:
        """Change the own password

        All other sessions of the account end. Asks for the present password (401 when it is wrong; 429 after five tries). 400 for one that is easy to guess.

        Roles: admin, developer, integration, viewer. Not for API keys.

        Asks sessions for a fresh proof.
        """
        self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/password",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def request_password_reset(
        self,
        body: models.RequestPasswordResetRequest,
    ) -> None:
        """Ask for a link to set a new password

        Answers the same, and as fast, for addresses that have an account and for those that have none. 409 where no mail server is set.
        """
        self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/forgotten-password",
                body=body,
                public=True,
            )
        )

    def reset_password(
        self,
        body: models.ResetPasswordRequest,
    ) -> None:
        """Set a new password by a link that was mailed

        The link works once, for half an hour. Every session of the account ends; a second step stays asked for.
        """
        self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/new-password",
                body=body,
                public=True,
            )
        )

    def find_sign_in(
        self,
        body: models.FindSignInRequest,
    ) -> models.SignInOption:
        """Find the identity provider of an account

        By an e-mail address, or by the id or exact name of an instance. An address leads to the instance of its member, else to the only one that accepts its domain. A browser that is sent to `address` signs in and returns to the portal.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/provider",
                body=body,
                public=True,
            )
        )

    def list_companies(
        self,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["createdOn", "id", "name", "industry", "fullAddress", "country", "city", "companyContactNumber", "externalId"] | None = None,
        search: str | None = None,
    ) -> models.CompanyPage:
        """All companies

        Paged, filtered by `FilterQuery`; the total is in `X-Total-Count`, as far as 10,000 rows: `X-Total-Count-Relation: gte` says that there are more. Oldest first.

        Roles: admin, developer, integration, viewer. Scope of API keys: `companies:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/companies",
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by, "Search": search},
            )
        )

    def create_company(
        self,
        body: models.CompanyInput,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.Company:
        """Add a company

        Only the name is needed. Names may repeat: with an `Idempotency-Key` a repeated request makes no second one.

        Roles: admin, developer, integration. Scope of API keys: `companies:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/normalized-data/company",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def get_company(
        self,
        company_id: str,
    ) -> models.Company:
        """One company

        404 for an unknown company and for one of another instance alike.

        Roles: admin, developer, integration, viewer. Scope of API keys: `companies:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/companies/{companyId}",
                path={"companyId": company_id},
            )
        )

    def update_company(
        self,
        company_id: str,
        body: models.CompanyInput,
        *,
        if_match: str | None = None,
    ) -> models.Company:
        """Replace the details of a company

        `externalId` and `metadata` stay as they are where they are left out; null and `{}` clear them. Details that are left out become empty. 404 where there is none.

        Roles: admin, developer, integration. Scope of API keys: `companies:write`.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/normalized-data/companies/{companyId}",
                path={"companyId": company_id},
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def delete_company(
        self,
        company_id: str,
        *,
        if_match: str | None = None,
    ) -> None:
        """Remove a company that has no active connection, with its events

        Its ended connections, events and consents go with it. 409 while a connection lives or its data is being erased, here or where an export was delivered. Its audit entry names the destinations at which exported data may be left.

        Roles: admin, developer, integration. Scope of API keys: `companies:write`.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/normalized-data/companies/{companyId}",
                path={"companyId": company_id},
                headers={"If-Match": if_match},
            )
        )

    def get_company_by_other_path(
        self,
        company_id: str,
    ) -> models.Company:
        """One company, under the path of the other operations on it

        The same answer as below `/normalized-data/companies`.

        Roles: admin, developer, integration, viewer. Scope of API keys: `companies:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/company/{companyId}",
                path={"companyId": company_id},
            )
        )

    def list_services(
        self,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["name", "id", "isEnabled", "title", "parentName", "description", "category"] | None = None,
    ) -> models.ServicePage:
        """All services

        Sources of this deployment, and the banks that this instance has reached through aggregators: those have a `parentName`, and their title says through which. `isEnabled` is false where keys are missing or the source is hidden.

        Roles: admin, developer, integration, viewer. Scope of API keys: `connections:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/services",
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by},
            )
        )

    def get_connection_link(
        self,
        company_id: str,
        service_id: str,
        *,
        purpose: str | None = None,
        language: Literal["en", "fr"] | None = None,
        expires_in: int | None = None,
        return_url: str | None = None,
    ) -> models.GetConnectionLinkResponse:
        """Service connection link

        Give the link to the owner: it can be opened for seven days and completes once. For a bank behind an aggregator ask with the aggregator’s service. 409 for a service that is not enabled; 400 for a `ReturnUrl` that is not among the allowed ones.

        Roles: admin, developer, integration. Scope of API keys: `links:write`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/link",
                path={"companyId": company_id, "serviceId": service_id},
                query={"Purpose": purpose, "Language": language, "ExpiresIn": expires_in, "ReturnUrl": return_url},
            )
        )

    def list_company_connections(
        self,
        company_id: str,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["createdOn", "serviceName", "serviceId", "statusName", "statusCode", "lastUpdatedOn", "updateScheduledOn"] | None = None,
    ) -> models.ListedConnectionPage:
        """Connections of a company

        Ended ones too, with what is wrong with each. Empty for a company without any; 404 for an unknown one. Paged, filtered by `FilterQuery`; the total is in `X-Total-Count`, as far as 10,000 rows: `X-Total-Count-Relation: gte` says that there are more.

        Roles: admin, developer, integration, viewer. Scope of API keys: `connections:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/statuses",
                path={"companyId": company_id},
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by},
            )
        )

    def list_connections(
        self,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["createdOn", "serviceName", "serviceId", "statusName", "statusCode", "lastUpdatedOn", "updateScheduledOn"] | None = None,
    ) -> models.ListedConnectionPage:
        """Connections of all companies

        Ended ones too, with what is wrong with each. Paged, filtered by `FilterQuery`; the total is in `X-Total-Count`, as far as 10,000 rows: `X-Total-Count-Relation: gte` says that there are more.

        Roles: admin, developer, integration, viewer. Scope of API keys: `connections:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/data-connection/statuses",
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by},
            )
        )

    def get_connection(
        self,
        company_id: str,
        service_id: str,
    ) -> models.ConnectionDetail:
        """The current connection of a company to a service

        The active one, or else the newest. With its timeline, its last runs and the records that were set aside. 404 for an unknown company or service.

        Roles: admin, developer, integration, viewer. Scope of API keys: `connections:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/status",
                path={"companyId": company_id, "serviceId": service_id},
            )
        )

    def refresh_connection(
        self,
        company_id: str,
        service_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.AskedRead:
        """Read the source now

        The reading is queued and begins within seconds; one that is waiting already is hurried. `Location` leads to the runs from now on, where it appears once it has begun. Its NormalizedData event comes even when nothing changed. 409 for a connection that waits for its owner, is suspended or has ended.

        Roles: admin, developer, integration. Scope of API keys: `connections:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/refresh",
                path={"companyId": company_id, "serviceId": service_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def accept_deletions(
        self,
        company_id: str,
        service_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.AskedRead:
        """What the source no longer lists is gone, however much it is: read it now and believe it

        For a run that held deletions back because more than half of all records were missing. The next complete listing is believed. `Location` leads to the runs from now on. 409 for a connection that cannot be read.

        Roles: admin, developer, integration. Scope of API keys: `connections:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/accept-deletions",
                path={"companyId": company_id, "serviceId": service_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def suspend_connection(
        self,
        company_id: str,
        service_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.Connection:
        """Stop reading the source until resumed; published data stays readable

        Raises Suspended. Suspending twice changes nothing. 409 before it was ever authorized and after it has ended.

        Roles: admin, developer, integration. Scope of API keys: `connections:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/suspend",
                path={"companyId": company_id, "serviceId": service_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def resume_connection(
        self,
        company_id: str,
        service_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.Connection:
        """Go on after a suspension

        The source is read at once. 409 when it is not suspended, or the owner has paused it: then only the owner can let it go on.

        Roles: admin, developer, integration. Scope of API keys: `connections:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/resume",
                path={"companyId": company_id, "serviceId": service_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def disconnect_connection(
        self,
        company_id: str,
        service_id: str,
        *,
        if_match: str | None = None,
    ) -> models.Connection:
        """Disconnect: no reader from now on, credentials gone, data deleted

        For good: the owner has to connect again. The Disconnected event follows when the data is deleted. 409 when it has ended already.

        Roles: admin, developer, integration. Scope of API keys: `connections:write`.
        """
        return self._call(
            Call(
                "DELETE",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}",
                path={"companyId": company_id, "serviceId": service_id},
                headers={"If-Match": if_match},
            )
        )

    def get_connection_timeline(
        self,
        company_id: str,
        service_id: str,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
    ) -> models.TimelineEntryPage:
        """Everything that happened between a company and a service

        Links, every status of every connection, and every run, in the order of time. 404 for an unknown company or service.

        Roles: admin, developer, integration, viewer. Scope of API keys: `connections:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/timeline",
                path={"companyId": company_id, "serviceId": service_id},
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query},
            )
        )

    def list_connection_runs(
        self,
        company_id: str,
        service_id: str,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
    ) -> models.RunPage:
        """The runs of the current connection

        What each run read and changed, and why one failed. Oldest first unless `Desc`. 404 for an unknown company or service.

        Roles: admin, developer, integration, viewer. Scope of API keys: `connections:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/runs",
                path={"companyId": company_id, "serviceId": service_id},
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query},
            )
        )

    def get_connection_run(
        self,
        company_id: str,
        service_id: str,
        run_id: str,
    ) -> models.RequestedRun:
        """One run

        Of any connection of the company to the service. A run that is waiting is gone (404) when its connection is suspended or ends.

        Roles: admin, developer, integration, viewer. Scope of API keys: `connections:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/runs/{runId}",
                path={"companyId": company_id, "serviceId": service_id, "runId": run_id},
            )
        )

    def get_service_schedule(
        self,
        service_id: str,
    ) -> models.ServiceSchedule:
        """How often a service is read

        `setBy` says whether the interval is the service’s own or that of the source through which it is reached.

        Roles: admin, developer, integration, viewer. Scope of API keys: `connections:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/services/{serviceId}/schedule",
                path={"serviceId": service_id},
            )
        )

    def update_service_schedule(
        self,
        service_id: str,
        body: models.ScheduleInput,
        *,
        if_match: str | None = None,
    ) -> models.ServiceSchedule:
        """Set how often a service is read

        For all connections without a schedule of their own, which follow within a moment; that of a source is also that of the banks reached through it.

        Roles: admin, developer. Scope of API keys: `connections:write`.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/normalized-data/services/{serviceId}/schedule",
                path={"serviceId": service_id},
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def reset_service_schedule(
        self,
        service_id: str,
        *,
        if_match: str | None = None,
    ) -> models.ServiceSchedule:
        """Read a service as often as its source says

        For all connections without a schedule of their own, which follow within a moment; that of a source is also that of the banks reached through it.

        Roles: admin, developer. Scope of API keys: `connections:write`.
        """
        return self._call(
            Call(
                "DELETE",
                "/admin/api/v1/normalized-data/services/{serviceId}/schedule",
                path={"serviceId": service_id},
                headers={"If-Match": if_match},
            )
        )

    def get_connection_schedule(
        self,
        company_id: str,
        service_id: str,
    ) -> models.ConnectionSchedule:
        """How often a connection is read

        `setBy` says whose interval it is; `updateScheduledOn` is the next refresh, null where none will come.

        Roles: admin, developer, integration, viewer. Scope of API keys: `connections:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/schedule",
                path={"companyId": company_id, "serviceId": service_id},
            )
        )

    def update_connection_schedule(
        self,
        company_id: str,
        service_id: str,
        body: models.ScheduleInput,
        *,
        if_match: str | None = None,
    ) -> models.ConnectionSchedule:
        """Set how often a connection is read

        The next refresh is rescheduled at once. Null stops scheduled refreshes; one on request still works.

        Roles: admin, developer, integration. Scope of API keys: `connections:write`.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/schedule",
                path={"companyId": company_id, "serviceId": service_id},
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def reset_connection_schedule(
        self,
        company_id: str,
        service_id: str,
        *,
        if_match: str | None = None,
    ) -> models.ConnectionSchedule:
        """Read a connection as often as its service

        The connection follows its service again, and its next refresh is rescheduled at once.

        Roles: admin, developer, integration. Scope of API keys: `connections:write`.
        """
        return self._call(
            Call(
                "DELETE",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/schedule",
                path={"companyId": company_id, "serviceId": service_id},
                headers={"If-Match": if_match},
            )
        )

    def list_company_consents(
        self,
        company_id: str,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["givenOn", "expiresOn", "endedOn", "purpose"] | None = None,
    ) -> models.ConsentPage:
        """Consents of a company

        Living and ended ones, with the texts as they were shown. Paged, filtered by `FilterQuery`; the total is in `X-Total-Count`, as far as 10,000 rows: `X-Total-Count-Relation: gte` says that there are more. 404 for an unknown company.

        Roles: admin, developer, integration, viewer. Scope of API keys: `consents:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/company/{companyId}/consents",
                path={"companyId": company_id},
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by},
            )
        )

    def list_connection_consents(
        self,
        company_id: str,
        service_id: str,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["givenOn", "expiresOn", "endedOn", "purpose"] | None = None,
    ) -> models.ConsentPage:
        """Consents of the connections of a company to a service

        Of earlier connections there too. Paged, filtered by `FilterQuery`; the total is in `X-Total-Count`, as far as 10,000 rows: `X-Total-Count-Relation: gte` says that there are more. 404 for an unknown company or service.

        Roles: admin, developer, integration, viewer. Scope of API keys: `consents:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/consents",
                path={"companyId": company_id, "serviceId": service_id},
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by},
            )
        )

    def list_consents(
        self,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["givenOn", "expiresOn", "endedOn", "purpose"] | None = None,
    ) -> models.ConsentPage:
        """Consents of all companies

        Living and ended ones, with the texts as they were shown. Paged, filtered by `FilterQuery`; the total is in `X-Total-Count`, as far as 10,000 rows: `X-Total-Count-Relation: gte` says that there are more.

        Roles: admin, developer, integration, viewer. Scope of API keys: `consents:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/consents",
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by},
            )
        )

    def list_receipts(
        self,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["issuedOn", "kind", "serviceName"] | None = None,
    ) -> models.ReceiptPage:
        """Receipts of withdrawals and deletions

        What owners got when they withdrew a permission or had data deleted. A receipt of exported data is signed again once the destinations are done with. Paged, filtered by `FilterQuery`; the total is in `X-Total-Count`, as far as 10,000 rows: `X-Total-Count-Relation: gte` says that there are more.

        Roles: admin, developer, integration, viewer. Scope of API keys: `consents:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/receipts",
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by},
            )
        )

    def count_owner_addresses(
        self,
        company_id: str,
    ) -> models.CountOwnerAddressesResponse:
        """How many addresses of the owner’s own page have not been revoked

        Gives the ETag with which they can be revoked under `If-Match`.

        Roles: admin, developer, integration, viewer. Scope of API keys: `connections:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/company/{companyId}/owner-addresses",
                path={"companyId": company_id},
            )
        )

    def revoke_owner_addresses(
        self,
        company_id: str,
        *,
        if_match: str | None = None,
    ) -> None:
        """Let no address of the owner’s own page open any more

        For an address that has got into wrong hands. The owner gets a new one with the next link or message. 404 for an unknown company.

        Roles: admin, developer, integration. Scope of API keys: `links:write`.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/normalized-data/company/{companyId}/owner-addresses",
                path={"companyId": company_id},
                headers={"If-Match": if_match},
            )
        )

    def list_company_accounts(
        self,
        company_id: str,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["serviceName", "id", "lastUpdatedOn", "origId", "providerName", "accountName", "accountNumber", "accountStatusSystem", "userAccountClassification", "typeSystem", "subTypeSystem", "subTypeSystemDisplayName", "interestRate", "availableCredit", "dueDate", "maturityAmount", "maturityDate", "minimumAmountDue", "totalCreditLine", "originalLoanAmount", "lender", "amountDue", "principalBalance", "currency", "actualBalance", "actualBalanceDate", "sourceUpdatedDate"] | None = None,
        as_of: str | None = None,
    ) -> models.CompanyAccounts:
        """Bank accounts of a company at all of its services

        Paged, filtered by `FilterQuery`; the total is in `X-Total-Count`, as far as 10,000 rows: `X-Total-Count-Relation: gte` says that there are more. Accounts that are one account are linked in `sameAs`, with the reasons, and the totals count them once; what is not certain is not linked. Compared after each publication, moments later. `asOf` shows what was published then, linked as is known now. Accounting accounts are not among them, nor are accounts of ended connections. 404 for an unknown company.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/companies/{companyId}/accounts",
                path={"companyId": company_id},
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by, "asOf": as_of},
            )
        )

    def get_connection_quality(
        self,
        company_id: str,
        service_id: str,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
    ) -> models.Quality:
        """How good the data of the current connection are

        Coverage per field, unknown words, staleness, records set aside (paged), deletions held back, warnings. Counted after each publication. 404 for an unknown company or service.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/quality",
                path={"companyId": company_id, "serviceId": service_id},
                query={"PageNumber": page_number, "PageSize": page_size},
            )
        )

    def list_accounting_accounts(
        self,
        company_id: str,
        service_id: str,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["lastUpdatedOn", "id", "origId", "number", "name", "currency", "description", "classApp", "classSystem", "typeApp", "typeSystem", "subTypeApp", "subTypeSystem", "statusApp", "statusSystem"] | None = None,
        as_of: str | None = None,
        modified_since: str | None = None,
        include_deleted: bool | None = None,
    ) -> models.AccountingAccountPage:
        """Accounting accounts by service

        Only what was published is shown, so that a page is whole while the source is read again. Answers carry an `ETag`; with `If-None-Match` an unchanged page is 304. 404 before the first publication. Amounts are JSON numbers with exactly their digits. With `Accept: application/x-ndjson` the whole list is streamed, see “Streams”: 426 over HTTP/1.0; 409 where it is disconnected meanwhile; 429 beyond four streams of the instance at once. What a source does not say is an empty text. A deleted account is shown with `includeDeleted` and has `statusSystem` DELETED.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/{companyId}/accountancy/accounts/{serviceId}",
                path={"companyId": company_id, "serviceId": service_id},
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by, "asOf": as_of, "modifiedSince": modified_since, "includeDeleted": include_deleted},
            )
        )

    def list_accounting_transactions(
        self,
        company_id: str,
        service_id: str,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["lastUpdatedOn", "id", "origId", "entryId", "accountOrigId", "postedOn", "document", "description", "counterparty", "debit", "credit", "currency", "sourceType", "isDeleted"] | None = None,
        as_of: str | None = None,
        modified_since: str | None = None,
        include_deleted: bool | None = None,
    ) -> models.AccountingTransactionPage:
        """Accounting transactions by service

        Lines of journal entries. Only what was published is shown, so that a page is whole while the source is read again. Answers carry an `ETag`; with `If-None-Match` an unchanged page is 304. 404 before the first publication. Amounts are JSON numbers with exactly their digits. With `Accept: application/x-ndjson` the whole list is streamed, see “Streams”: 426 over HTTP/1.0; 409 where it is disconnected meanwhile; 429 beyond four streams of the instance at once. A deleted line is shown with `includeDeleted` and has `isDeleted`.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/{companyId}/accountancy/transactions/{serviceId}",
                path={"companyId": company_id, "serviceId": service_id},
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by, "asOf": as_of, "modifiedSince": modified_since, "includeDeleted": include_deleted},
            )
        )

    def list_banking_accounts(
        self,
        company_id: str,
        service_id: str,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["lastUpdatedOn", "origId", "providerName", "accountName", "accountNumber", "accountStatusSystem", "userAccountClassification", "typeSystem", "subTypeSystem", "subTypeSystemDisplayName", "interestRate", "availableCredit", "dueDate", "maturityAmount", "maturityDate", "minimumAmountDue", "totalCreditLine", "originalLoanAmount", "lender", "amountDue", "principalBalance", "currency", "actualBalance", "actualBalanceDate", "sourceUpdatedDate"] | None = None,
        as_of: str | None = None,
        modified_since: str | None = None,
        include_deleted: bool | None = None,
    ) -> models.BankAccountPage:
        """Bank accounts by service

        Only what was published is shown, so that a page is whole while the source is read again. Answers carry an `ETag`; with `If-None-Match` an unchanged page is 304. 404 before the first publication. Amounts are JSON numbers with exactly their digits. With `Accept: application/x-ndjson` the whole list is streamed, see “Streams”: 426 over HTTP/1.0; 409 where it is disconnected meanwhile; 429 beyond four streams of the instance at once. What a source does not say is null, texts too: there is no empty number, and 0 would be wrong. A deleted account is shown with `includeDeleted` and has `accountStatusSystem` DELETED.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/{companyId}/banking/accounts/{serviceId}",
                path={"companyId": company_id, "serviceId": service_id},
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by, "asOf": as_of, "modifiedSince": modified_since, "includeDeleted": include_deleted},
            )
        )

    def list_banking_transactions(
        self,
        company_id: str,
        service_id: str,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["lastUpdatedOn", "id", "origId", "accountOrigId", "postedOn", "transactionOn", "amount", "currency", "description", "counterparty", "category", "isPending", "runningBalance", "isDeleted"] | None = None,
        as_of: str | None = None,
        modified_since: str | None = None,
        include_deleted: bool | None = None,
    ) -> models.BankTransactionPage:
        """Bank transactions by service

        Only what was published is shown, so that a page is whole while the source is read again. Answers carry an `ETag`; with `If-None-Match` an unchanged page is 304. 404 before the first publication. Amounts are JSON numbers with exactly their digits. With `Accept: application/x-ndjson` the whole list is streamed, see “Streams”: 426 over HTTP/1.0; 409 where it is disconnected meanwhile; 429 beyond four streams of the instance at once. `postedOn` is null while a transaction is pending. A deleted one is shown with `includeDeleted` and has `isDeleted`.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/{companyId}/banking/transactions/{serviceId}",
                path={"companyId": company_id, "serviceId": service_id},
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by, "asOf": as_of, "modifiedSince": modified_since, "includeDeleted": include_deleted},
            )
        )

    def list_changes(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        company_id: str | None = None,
        entity: Literal["Accounts", "Transactions"] | None = None,
    ) -> models.RecordChangePage:
        """Changed records of all companies: ask again with the cursor, and nothing is ever missed

        Keep the cursor of each answer and ask with it: at once while `hasMore`, otherwise later. Without a cursor the feed begins with everything that is published. Of a record that changed several times only the last version comes; changes of one company at one service come in their order. `delete`: the record was deleted at the source. `clear`: delete all that you hold of this company at this service. Apply each item by `companyId`, `serviceId`, `entity` and `id`: now and then one comes twice. 400 for a cursor that is not whole or was given for another `CompanyId` or `Entity`; 410 for one that is older than 90 days, of another deployment, or from after the backup that was restored: begin again without one. 404 for an unknown company.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/changes",
                query={"Cursor": cursor, "Limit": limit, "CompanyId": company_id, "Entity": entity},
            )
        )

    def explain_accounting_account(
        self,
        company_id: str,
        service_id: str,
        account_id: str,
        *,
        as_of: str | None = None,
    ) -> models.Explanation:
        """How each field of an accounting account came about

        Raw paths and values, the rule that was applied, the run and the raw page; and whether the current mapping gives the same. 404 where there is none.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/{companyId}/accountancy/accounts/{serviceId}/{accountId}/explanation",
                path={"companyId": company_id, "serviceId": service_id, "accountId": account_id},
                query={"asOf": as_of},
            )
        )

    def explain_accounting_transaction(
        self,
        company_id: str,
        service_id: str,
        transaction_id: str,
        *,
        as_of: str | None = None,
    ) -> models.Explanation:
        """How each field of an accounting transaction came about

        Raw paths and values, the rule that was applied, the run and the raw page; and whether the current mapping gives the same. 404 where there is none.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/{companyId}/accountancy/transactions/{serviceId}/{transactionId}/explanation",
                path={"companyId": company_id, "serviceId": service_id, "transactionId": transaction_id},
                query={"asOf": as_of},
            )
        )

    def explain_banking_account(
        self,
        company_id: str,
        service_id: str,
        account_id: str,
        *,
        as_of: str | None = None,
    ) -> models.Explanation:
        """How each field of a bank account came about

        Raw paths and values, the rule that was applied, the run and the raw page; and whether the current mapping gives the same. 404 where there is none.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/{companyId}/banking/accounts/{serviceId}/{accountId}/explanation",
                path={"companyId": company_id, "serviceId": service_id, "accountId": account_id},
                query={"asOf": as_of},
            )
        )

    def explain_banking_transaction(
        self,
        company_id: str,
        service_id: str,
        transaction_id: str,
        *,
        as_of: str | None = None,
    ) -> models.Explanation:
        """How each field of a bank transaction came about

        Raw paths and values, the rule that was applied, the run and the raw page; and whether the current mapping gives the same. 404 where there is none.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/{companyId}/banking/transactions/{serviceId}/{transactionId}/explanation",
                path={"companyId": company_id, "serviceId": service_id, "transactionId": transaction_id},
                query={"asOf": as_of},
            )
        )

    def request_export(
        self,
        body: models.ExportInput,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.Export:
        """Export one kind of record as a file

        Of one company, or of all companies where `companyId` is null or left out. The file holds what is published at the request: a sync in between changes no byte of it. Ask for the export until its state is `completed`, then download the file. It is kept for 7 days, at most 100 of an instance, of which five may be unfinished (409). Goes on in the background. 404 for an unknown company; 409 while data of the company is being erased, and where there are as many exports as may be.

        Roles: admin, developer, integration. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/normalized-data/exports",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def list_exports(
        self,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        filter_query: str | None = None,
    ) -> models.ExportPage:
        """Exports, newest first

        An export is listed until it expires or is deleted.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/exports",
                query={"PageNumber": page_number, "PageSize": page_size, "FilterQuery": filter_query},
            )
        )

    def get_export(
        self,
        export_id: str,
    ) -> models.Export:
        """One export

        `failed` has the reason in `error`. 404 where there is none.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/exports/{exportId}",
                path={"exportId": export_id},
            )
        )

    def delete_export(
        self,
        export_id: str,
        *,
        if_match: str | None = None,
    ) -> None:
        """Cancel or delete an export, with its file

        One that is being written stops. 409 while its file is being deleted at its destination. 404 where there is none.

        Roles: admin, developer, integration. Scope of API keys: `data:read`.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/normalized-data/exports/{exportId}",
                path={"exportId": export_id},
                headers={"If-Match": if_match},
            )
        )

    def download_export(
        self,
        export_id: str,
    ) -> bytes:
        """Download the file of a completed export

        With `Range: bytes=…` a part of it (206), so that a download that broke off goes on; `If-Range` with the ETag gives the whole file where it is another. 409 until it is completed, and for one that failed or was erased; 416 for a range behind the end. 404 where there is none.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/exports/{exportId}/file",
                path={"exportId": export_id},
            )
        )

    def send_export(
        self,
        export_id: str,
        body: models.SendExportRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.Export:
        """Deliver the file to a destination, once it is written

        To a bucket or a folder of an SFTP server, where the file is seen once it is whole: on a server it is `….part` until then. A delivery that failed goes on after the last part that the destination has (`partsSent`); one that was made is made again. When data in the file is disconnected while the export is kept, it is deleted there too; `unreached` says that the destination did not allow it. `delivery` of the export says how far it is. 404 for an unknown destination; 409 for an export without a file, and for one that is delivered to another destination. 404 where there is none.

        Roles: admin, developer, integration. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/normalized-data/exports/{exportId}/deliver",
                path={"exportId": export_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def create_export_destination(
        self,
        body: models.ExportDestinationInput,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.ExportDestination:
        """Add a destination: a bucket or an SFTP server for files, or a database

        Files are delivered when they are asked for. A database (`postgres`) follows the change feed by itself, about once a minute: its schema holds a table for each kind of record (`accounting_accounts`, `banking_transactions`, …) with one row for each record that is published; rows of deleted records and of disconnected data are deleted. The schema is made where it is missing, must hold nothing else of these names, and is all that is touched. The secret is kept sealed and never shown. The secret access key is never shown. 400 for an address that leads inside; 409 when there are 20.

        Roles: admin. Scope of API keys: `settings:write`.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/export-destinations",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def list_export_destinations(
        self,
    ) -> models.ExportDestinationList:
        """All destinations

        Without their secrets.

        Roles: admin, developer, integration, viewer. Scope of API keys: `settings:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/export-destinations",
            )
        )

    def get_export_destination(
        self,
        destination_id: str,
    ) -> models.ExportDestination:
        """One destination

        404 where there is none.

        Roles: admin, developer, integration, viewer. Scope of API keys: `settings:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/export-destinations/{destinationId}",
                path={"destinationId": destination_id},
            )
        )

    def delete_export_destination(
        self,
        destination_id: str,
        *,
        if_match: str | None = None,
    ) -> None:
        """Remove a destination; what was delivered stays there, files and rows

        Deliveries to it that have not begun are dropped. 409 while a file is being uploaded or deleted there. 404 where there is none.

        Roles: admin. Scope of API keys: `settings:write`.

        Asks sessions for a fresh proof.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/export-destinations/{destinationId}",
                path={"destinationId": destination_id},
                headers={"If-Match": if_match},
            )
        )

    def replicate_to_destination(
        self,
        destination_id: str,
        body: models.ReplicateToDestinationRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.ExportDestination:
        """Bring a database up to date now, or begin again

        With `cursor: null` everything that is published is written once more, and rows that are not published any more are deleted at the end: meanwhile the tables are never empty. With a cursor of the change feed, given for all companies and both entities, it goes on from there. Without one it goes on where it stands.

        Roles: admin, developer, integration. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/export-destinations/{destinationId}/replicate",
                path={"destinationId": destination_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def start_replay(
        self,
        body: models.StartReplayRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.Replay:
        """Normalize stored raw pages again, without asking any source

        For all connections of the instance, or those of one company, one service or both. Nothing changes in a dry run. Goes on in the background. 404 for an unknown company or service.

        Roles: admin. Scope of API keys: `operations:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/normalized-data/replays",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def get_replay(
        self,
        replay_id: str,
    ) -> models.Replay:
        """How far a replay is and what it has found

        Which fields came out differently, with examples. 404 where there is none.

        Roles: admin. Scope of API keys: `operations:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/replays/{replayId}",
                path={"replayId": replay_id},
            )
        )

    def search_institutions(
        self,
        service_id: str,
        *,
        search: str | None = None,
        country: str | None = None,
        page_number: int | None = None,
        page_size: int | None = None,
    ) -> models.InstitutionPage:
        """Search the institutions of an aggregator

        Without `search` those connected most here lately, then the provider’s order. 404 for a service that has no directory; 409 for one without keys, whose directory was never read; 503 while it is being read for the first time.

        Roles: admin, developer, integration, viewer. Scope of API keys: `connections:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/services/{serviceId}/institutions",
                path={"serviceId": service_id},
                query={"search": search, "country": country, "PageNumber": page_number, "PageSize": page_size},
            )
        )

    def request_institution(
        self,
        body: models.RequestInstitutionRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.InstitutionRequest:
        """Ask for an institution that is missing

        For a bank that no directory lists: whoever runs the deployment sees it and answers. 404 for a service that has no directory.

        Roles: admin, developer, integration. Scope of API keys: `links:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/normalized-data/institution-requests",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def list_institution_requests(
        self,
    ) -> models.InstitutionRequestList:
        """Institutions that were asked for

        Newest first, those of owners too, with their answers.

        Roles: admin, developer, integration, viewer. Scope of API keys: `connections:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/institution-requests",
            )
        )

    def get_institution_request(
        self,
        request_id: str,
    ) -> models.InstitutionRequest:
        """One request for an institution

        The answer is empty until somebody has given one.

        Roles: admin, developer, integration, viewer. Scope of API keys: `connections:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/institution-requests/{requestId}",
                path={"requestId": request_id},
            )
        )

    def answer_institution_request(
        self,
        request_id: str,
        body: models.AnswerInstitutionRequestRequest,
        *,
        if_match: str | None = None,
    ) -> models.InstitutionRequest:
        """Answer a request for an institution

        Replaces an answer given before. 404 where there is none.

        Roles: admin, developer. Scope of API keys: `settings:write`.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/normalized-data/institution-requests/{requestId}",
                path={"requestId": request_id},
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def create_subscription(
        self,
        event_name_or_subscription_id: Literal["RawData", "NormalizedData", "ReadyToUseData", "AccountsChanged", "TransactionsChanged", "AuditEntry"],
        body: models.CreateSubscriptionRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.NewSubscription:
        """Subscribe to an event

        Error, Suspended and Disconnected come with any subscription. The secret is shown this once. AuditEntry, the entries of the audit from now on, is for administrators and for API keys that also have the scope `audit:read`. Deliveries begin with the next event. 400 for an event that cannot be subscribed (names are case-sensitive) and for an address that is no absolute https URL or leads inside; 409 when this event is sent to this address already.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/webhooks/subscriptions/{eventNameOrSubscriptionId}",
                path={"eventNameOrSubscriptionId": event_name_or_subscription_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def get_subscription(
        self,
        event_name_or_subscription_id: str,
    ) -> models.Subscription:
        """One subscription

        404 for an unknown subscription.

        Roles: admin, developer, integration, viewer. Scope of API keys: `webhooks:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/webhooks/subscriptions/{eventNameOrSubscriptionId}",
                path={"eventNameOrSubscriptionId": event_name_or_subscription_id},
            )
        )

    def update_subscription(
        self,
        event_name_or_subscription_id: str,
        body: models.UpdateSubscriptionRequest,
        *,
        if_match: str | None = None,
    ) -> models.Subscription:
        """Change event or address; what is left out stays

        The secret stays. 400 for a body with nothing in it and for an address that cannot be taken; 409 when this event is sent to this address already. 404 for an unknown subscription.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/webhooks/subscriptions/{eventNameOrSubscriptionId}",
                path={"eventNameOrSubscriptionId": event_name_or_subscription_id},
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def delete_subscription(
        self,
        event_name_or_subscription_id: str,
        *,
        if_match: str | None = None,
    ) -> None:
        """Unsubscribe

        What was not delivered yet is not delivered any more. 404 for an unknown subscription.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.

        Asks sessions for a fresh proof.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/webhooks/subscriptions/{eventNameOrSubscriptionId}",
                path={"eventNameOrSubscriptionId": event_name_or_subscription_id},
                headers={"If-Match": if_match},
            )
        )

    def list_subscriptions(
        self,
    ) -> models.SubscriptionList:
        """All subscriptions

        With their state and why one was disabled; secrets are never shown.

        Roles: admin, developer, integration, viewer. Scope of API keys: `webhooks:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/webhooks/subscriptions",
            )
        )

    def enable_subscription(
        self,
        subscription_id: str,
        body: models.EnableSubscriptionRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.EnableSubscriptionResponse:
        """Put a disabled subscription back to work

        What was pending goes on; with `recover` what was missed is delivered too. An active one stays as it is. 404 for an unknown subscription.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/webhooks/subscriptions/{subscriptionId}/enable",
                path={"subscriptionId": subscription_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def test_subscription(
        self,
        subscription_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.TestSubscriptionResponse:
        """Send a test event to this subscription alone

        The event is of the kind that is subscribed and tells of no real connection. 404 for an unknown subscription. 409 when it is disabled.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/webhooks/subscriptions/{subscriptionId}/test",
                path={"subscriptionId": subscription_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def rotate_subscription_secret(
        self,
        subscription_id: str,
        body: models.RotateSubscriptionSecretRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.RotateSubscriptionSecretResponse:
        """Announce a new secret: headers carry both signatures, bodies the old one until it is promoted

        The new secret is shown this once. The old one lives on for `graceHours`. 404 for an unknown subscription. 409 while another rotation is under way.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/webhooks/subscriptions/{subscriptionId}/secret/rotate",
                path={"subscriptionId": subscription_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def promote_subscription_secret(
        self,
        subscription_id: str,
        body: models.RotateSubscriptionSecretRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.PromoteSubscriptionSecretResponse:
        """Let the announced secret sign bodies now

        404 for an unknown subscription. 409 when none was announced.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/webhooks/subscriptions/{subscriptionId}/secret/promote",
                path={"subscriptionId": subscription_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def list_subscription_secrets(
        self,
        subscription_id: str,
    ) -> models.SubscriptionSecretList:
        """The active secrets and what each signs, without the secrets themselves

        404 for an unknown subscription.

        Roles: admin, developer. Scope of API keys: `webhooks:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/webhooks/subscriptions/{subscriptionId}/secrets",
                path={"subscriptionId": subscription_id},
            )
        )

    def retire_subscription_secrets(
        self,
        subscription_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.RetireSubscriptionSecretsResponse:
        """End the secrets before the present one now, once the receiver knows that one

        404 for an unknown subscription. 409 while the present one does not sign bodies yet.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/webhooks/subscriptions/{subscriptionId}/secret/retire",
                path={"subscriptionId": subscription_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def revoke_subscription_secrets(
        self,
        subscription_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.RotateSubscriptionSecretResponse:
        """End every secret now and make a new one, for one that leaked

        Deliveries fail at receivers that do not know it yet, and are tried again. 404 for an unknown subscription.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/webhooks/subscriptions/{subscriptionId}/secret/revoke",
                path={"subscriptionId": subscription_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def list_deliveries(
        self,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["createdOn", "id", "eventId", "kind", "subscriptionId", "status", "attemptCount", "deliveredOn", "nextAttemptOn"] | None = None,
    ) -> models.DeliveryPage:
        """Deliveries with their attempts

        Each with its last ten attempts. Paged, filtered by `FilterQuery`; the total is in `X-Total-Count`, as far as 10,000 rows: `X-Total-Count-Relation: gte` says that there are more.

        Roles: admin, developer, integration, viewer. Scope of API keys: `webhooks:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/webhooks/deliveries",
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by},
            )
        )

    def replay_delivery(
        self,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.Replayed:
        """Make one delivery again: same id, new timestamp

        Receivers tell it by its `webhook-id`. 404 for an unknown delivery.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/webhooks/deliveries/{deliveryId}/replay",
                path={"deliveryId": delivery_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def replay_events(
        self,
        subscription_id: str,
        body: models.ReplayEventsRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.Replayed:
        """Deliver events again: one, a range, or all undelivered ones

        404 for an unknown subscription. 409 when it is disabled.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/webhooks/subscriptions/{subscriptionId}/replay",
                path={"subscriptionId": subscription_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def count_events_to_replay(
        self,
        subscription_id: str,
        *,
        event_id: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        undelivered_since: str | None = None,
    ) -> models.CountEventsToReplayResponse:
        """How many events a replay would deliver again

        Nothing is delivered. 404 for an unknown subscription.

        Roles: admin, developer. Scope of API keys: `webhooks:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/webhooks/subscriptions/{subscriptionId}/replay",
                path={"subscriptionId": subscription_id},
                query={"eventId": event_id, "from": from_, "to": to, "undeliveredSince": undelivered_since},
            )
        )

    def list_events(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> models.EventPage:
        """The event feed: ask again with the cursor, and nothing is ever missed

        In the order in which they happened, as delivered but for the signature. Keep the cursor of each answer; without one it begins with the oldest that is kept. 400 for a cursor of another feed.

        Roles: admin, developer, integration, viewer. Scope of API keys: `webhooks:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/webhooks/events",
                query={"Cursor": cursor, "Limit": limit},
            )
        )

    def get_event(
        self,
        event_id: str,
    ) -> models.Event:
        """One event

        As delivered but for the signature. 404 for an unknown event.

        Roles: admin, developer, integration, viewer. Scope of API keys: `webhooks:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/webhooks/events/{eventId}",
                path={"eventId": event_id},
            )
        )

    def replay_event(
        self,
        event_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.Replayed:
        """Deliver one event again to every subscription that gets its kind

        404 for an unknown event.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/webhooks/events/{eventId}/replay",
                path={"eventId": event_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def create_receiver(
        self,
        body: models.CreateReceiverRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.NewReceiver:
        """Receive an event here: an address of this deployment, and a subscription that sends there

        Keeps the last 100 requests, 8 MiB and seven days of them at most; an instance may have ten. Its deliveries are signed, tried again and listed like all others. The secret is shown this once. 409 when there are ten.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/webhooks/receivers",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def list_receivers(
        self,
    ) -> models.ReceiverList:
        """All receivers

        With the addresses that they are reached at.

        Roles: admin, developer, integration, viewer. Scope of API keys: `webhooks:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/webhooks/receivers",
            )
        )

    def get_receiver(
        self,
        receiver_id: str,
    ) -> models.Receiver:
        """One receiver

        404 where there is none.

        Roles: admin, developer, integration, viewer. Scope of API keys: `webhooks:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/webhooks/receivers/{receiverId}",
                path={"receiverId": receiver_id},
            )
        )

    def update_receiver(
        self,
        receiver_id: str,
        body: models.UpdateReceiverRequest,
        *,
        if_match: str | None = None,
    ) -> models.Receiver:
        """Choose how it answers, to rehearse what your own receiver may do

        Answer, delay, or refuse: what comes is kept all the same. 404 where there is none.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/webhooks/receivers/{receiverId}",
                path={"receiverId": receiver_id},
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def delete_receiver(
        self,
        receiver_id: str,
        *,
        if_match: str | None = None,
    ) -> None:
        """Delete a receiver, with its subscription and all that it kept

        404 where there is none.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.

        Asks sessions for a fresh proof.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/webhooks/receivers/{receiverId}",
                path={"receiverId": receiver_id},
                headers={"If-Match": if_match},
            )
        )

    def list_received_requests(
        self,
        receiver_id: str,
    ) -> models.ReceivedRequestList:
        """What came there, the newest first

        With what is right and wrong with the signature of each. 404 where there is none.

        Roles: admin, developer, integration, viewer. Scope of API keys: `webhooks:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/webhooks/receivers/{receiverId}/requests",
                path={"receiverId": receiver_id},
            )
        )

    def delete_received_requests(
        self,
        receiver_id: str,
        *,
        if_match: str | None = None,
    ) -> None:
        """Forget what came there

        The receiver stays. 404 where there is none.

        Roles: admin, developer. Scope of API keys: `webhooks:write`.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/webhooks/receivers/{receiverId}/requests",
                path={"receiverId": receiver_id},
                headers={"If-Match": if_match},
            )
        )

    def get_received_request(
        self,
        receiver_id: str,
        request_id: str,
    ) -> models.WholeRequest:
        """One request with its body

        404 where there is none.

        Roles: admin, developer, integration, viewer. Scope of API keys: `webhooks:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/webhooks/receivers/{receiverId}/requests/{requestId}",
                path={"receiverId": receiver_id, "requestId": request_id},
            )
        )

    def list_api_keys(
        self,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["createdOn", "id", "name", "prefix", "expiresOn", "lastUsedOn", "revokedOn"] | None = None,
    ) -> models.ApiKeyPage:
        """All API keys of the instance

        Ended ones too; the keys themselves are never shown. Paged, filtered by `FilterQuery`; the total is in `X-Total-Count`, as far as 10,000 rows: `X-Total-Count-Relation: gte` says that there are more.

        Roles: admin. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/api-keys",
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by},
            )
        )

    def create_api_key(
        self,
        body: models.NewApiKey,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.IssuedApiKey:
        """Create an API key

        The key is shown this once. 400 for a scope that does not exist.

        Roles: admin. Not for API keys.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/api-keys",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def get_api_key(
        self,
        key_id: str,
    ) -> models.ApiKey:
        """One API key

        404 where there is none.

        Roles: admin. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/api-keys/{keyId}",
                path={"keyId": key_id},
            )
        )

    def revoke_api_key(
        self,
        key_id: str,
        *,
        if_match: str | None = None,
    ) -> None:
        """Revoke an API key

        Every process refuses it within a second. Revoking twice changes nothing. 404 where there is none.

        Roles: admin. Not for API keys.

        Asks sessions for a fresh proof.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/api-keys/{keyId}",
                path={"keyId": key_id},
                headers={"If-Match": if_match},
            )
        )

    def rotate_api_key(
        self,
        key_id: str,
        body: models.RotateApiKeyRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.IssuedApiKey:
        """Replace an API key by a new one

        The new key has the name, scopes, lifetime and `applicationId` of the old one, and is shown this once. 404 where there is none; 409 for a key that has ended or has been replaced already.

        Roles: admin. Not for API keys.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/api-keys/{keyId}/rotate",
                path={"keyId": key_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def list_simulators(
        self,
    ) -> models.SimulatorList:
        """The simulators, and what they can be made to do wrong

        With the faults that each knows, those that are armed, and how far its clock is ahead.

        Roles: admin, developer, integration, viewer. Scope of API keys: `operations:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/sandbox/simulators",
            )
        )

    def arm_fault(
        self,
        key: str,
        body: models.ArmFaultRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.Simulator:
        """Make a simulator do something wrong at the next fitting requests

        400 for a fault that it does not know, with those that it does; 404 for an unknown simulator.

        Roles: admin. Scope of API keys: `operations:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/sandbox/simulators/{key}/faults",
                path={"key": key},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def clear_faults(
        self,
        key: str,
        *,
        if_match: str | None = None,
    ) -> models.Simulator:
        """Let a simulator do all right again, and whatever waits because of its faults go on at once

        404 for an unknown simulator.

        Roles: admin. Scope of API keys: `operations:write`.
        """
        return self._call(
            Call(
                "DELETE",
                "/admin/api/v1/sandbox/simulators/{key}/faults",
                path={"key": key},
                headers={"If-Match": if_match},
            )
        )

    def move_clock(
        self,
        key: str,
        body: models.MoveClockRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.Simulator:
        """Move the clock of a simulator forward, so that its tokens and consents expire and its limits begin again

        Never back. 404 for an unknown simulator.

        Roles: admin. Scope of API keys: `operations:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/sandbox/simulators/{key}/clock",
                path={"key": key},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def list_caught_mails(
        self,
    ) -> models.CaughtMailList:
        """The mails that were caught, newest first

        Mails of the sandbox go nowhere else.

        Roles: admin. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/sandbox/mails",
            )
        )

    def list_sessions(
        self,
    ) -> models.SessionList:
        """The own sessions

        Those that can still be used, last used first.

        Roles: admin, developer, integration, viewer. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/auth/sessions",
            )
        )

    def get_session(
        self,
        session_id: str,
    ) -> models.Session:
        """One of the own sessions

        One that can still be used. 404 for a session that is unknown, has ended or is another user’s.

        Roles: admin, developer, integration, viewer. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/auth/sessions/{sessionId}",
                path={"sessionId": session_id},
            )
        )

    def end_session(
        self,
        session_id: str,
        *,
        if_match: str | None = None,
    ) -> None:
        """End one of the own sessions

        As `logout` does with the present one. 404 for a session that is unknown, has ended or is another user’s.

        Roles: admin, developer, integration, viewer. Not for API keys.

        Asks sessions for a fresh proof.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/auth/sessions/{sessionId}",
                path={"sessionId": session_id},
                headers={"If-Match": if_match},
            )
        )

    def get_proof(
        self,
    ) -> models.SessionProof:
        """How fresh the proof of the session is

        As the token of the request tells it; `way` says how to renew it.

        Roles: admin, developer, integration, viewer. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/auth/proof",
            )
        )

    def prove_identity(
        self,
        body: models.ProveIdentityRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.ProveIdentityResponse:
        """Prove again who the user of the session is

        Changes of users, API keys, subscriptions and secrets ask for a proof of the last 15 minutes; a login is one. Give the password and, where the account has two-step login, a code or a recovery code; or a passkey alone. Use the new access token from then on: the ones before keep the time of their own proof. Five wrong tries in a quarter of an hour are followed by 429. 409 for a session of an identity provider.

        Roles: admin, developer, integration, viewer. Not for API keys.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/proof",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def get_identity_provider(
        self,
    ) -> models.IdentityProviderState:
        """The identity provider of the instance

        Its settings without the secret, and the addresses of this deployment that have to be entered there.

        Roles: admin. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/identity-provider",
            )
        )

    def update_identity_provider(
        self,
        body: models.NewIdentityProvider,
        *,
        if_match: str | None = None,
    ) -> models.IdentityProvider:
        """Set the identity provider of the instance

        Before `isRequired` an administrator has to sign in with these very settings once (409). When it becomes true, the passwords of all members are deleted and their sessions end; an operator can make it false again.

        Roles: admin. Not for API keys.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/identity-provider",
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def delete_identity_provider(
        self,
        *,
        if_match: str | None = None,
    ) -> None:
        """Remove the identity provider of the instance

        Passwords work again; sessions that it vouches for end within five minutes. Members stay.

        Roles: admin. Not for API keys.

        Asks sessions for a fresh proof.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/identity-provider",
                headers={"If-Match": if_match},
            )
        )

    def check_identity_provider(
        self,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.IdentityProviderReport:
        """Ask the identity provider what it offers

        Reads its OpenID configuration with the saved settings; nobody is signed in. 409 where no provider is set.

        Roles: admin. Not for API keys.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/identity-provider/check",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def get_owner_pages(
        self,
    ) -> models.OwnerPages:
        """Settings of the owner’s pages

        Colours with their contrast, contact, purposes, allowed return addresses, and where the logo lies.

        Roles: admin, developer, integration, viewer. Scope of API keys: `settings:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/instance/owner-pages",
            )
        )

    def update_owner_pages(
        self,
        body: models.OwnerPagesInput,
        *,
        if_match: str | None = None,
    ) -> models.OwnerPages:
        """Replace the settings of the owner’s pages

        Everything is replaced but the logo; owners see it at once. 400 names each field: a colour without enough contrast, an address that is none, a purpose without one of its texts.

        Roles: admin. Scope of API keys: `settings:write`.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/instance/owner-pages",
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def update_logo(
        self,
        body: models.UpdateLogoRequest,
        *,
        if_match: str | None = None,
    ) -> models.OwnerPages:
        """Put a logo in place of the one before

        PNG, JPEG or WebP of at most 100 KB, as base64. Its kind is told by its bytes. 400 for anything else.

        Roles: admin. Scope of API keys: `settings:write`.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/instance/owner-pages/logo",
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def delete_logo(
        self,
        *,
        if_match: str | None = None,
    ) -> None:
        """Remove the logo

        Owners see the name instead. Without a logo nothing happens.

        Roles: admin. Scope of API keys: `settings:write`.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/instance/owner-pages/logo",
                headers={"If-Match": if_match},
            )
        )

    def search_accounts(
        self,
        *,
        search: str,
    ) -> models.FoundAccounts:
        """Accounts of all companies by name, number or id

        At most 50. Common words are looked for among the first 2,000 accounts that have them.

        Roles: admin, developer, integration, viewer. Scope of API keys: `data:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/normalized-data/accounts",
                query={"search": search},
            )
        )

    def list_file_feeds(
        self,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        filter_query: str | None = None,
    ) -> models.FileFeedPage:
        """Feeds of statement files

        Paged, filtered by `FilterQuery`; the total is in `X-Total-Count`, as far as 10,000 rows: `X-Total-Count-Relation: gte` says that there are more. Passwords and keys are never shown.

        Roles: admin, developer, integration, viewer. Scope of API keys: `file-feeds:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/file-feeds",
                query={"PageNumber": page_number, "PageSize": page_size, "FilterQuery": filter_query},
            )
        )

    def create_file_feed(
        self,
        body: models.FileFeedInput,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.FileFeed:
        """Take statement files from a folder or an SFTP server

        Files for one company, or with a folder for each company, named by its id. What was taken goes into the folder `archive` beside it, what cannot be read into `quarantine` with the reason. 404 for an unknown company; 409 where folders are switched off.

        Roles: admin. Scope of API keys: `file-feeds:write`.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/file-feeds",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def get_file_feed(
        self,
        feed_id: str,
    ) -> models.FileFeed:
        """One feed

        When it was last looked at, and what is wrong with it. 404 where there is none.

        Roles: admin, developer, integration, viewer. Scope of API keys: `file-feeds:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/file-feeds/{feedId}",
                path={"feedId": feed_id},
            )
        )

    def update_file_feed(
        self,
        feed_id: str,
        body: models.FileFeedInput,
        *,
        if_match: str | None = None,
    ) -> models.FileFeed:
        """Replace a feed

        Password and key may be left out where server, user and kind of login stay the same. It is looked at again at once. 404 where there is none.

        Roles: admin. Scope of API keys: `file-feeds:write`.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/file-feeds/{feedId}",
                path={"feedId": feed_id},
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def delete_file_feed(
        self,
        feed_id: str,
        *,
        if_match: str | None = None,
    ) -> None:
        """End a feed; files and data stay where they are

        404 where there is none.

        Roles: admin. Scope of API keys: `file-feeds:write`.

        Asks sessions for a fresh proof.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/file-feeds/{feedId}",
                path={"feedId": feed_id},
                headers={"If-Match": if_match},
            )
        )

    def scan_file_feed(
        self,
        feed_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.FileFeed:
        """Look for files now

        Otherwise it is looked at every `everyMinutes`. 404 where there is none. 409 when it is paused.

        Roles: admin, developer, integration. Scope of API keys: `file-feeds:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/file-feeds/{feedId}/look",
                path={"feedId": feed_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def list_file_feed_files(
        self,
        feed_id: str,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        filter_query: str | None = None,
    ) -> models.FeedFilePage:
        """What became of the files of a feed, newest first

        Imported, known already, or in quarantine with the reason. 404 where there is none.

        Roles: admin, developer, integration, viewer. Scope of API keys: `file-feeds:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/file-feeds/{feedId}/files",
                path={"feedId": feed_id},
                query={"PageNumber": page_number, "PageSize": page_size, "FilterQuery": filter_query},
            )
        )

    def read_file_feed_host_keys(
        self,
        body: models.ReadFileFeedHostKeysRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.FileFeedHostKeys:
        """The keys that an SFTP server shows

        Compare them with what the bank has told before pinning one. Nobody logs in. 409 when the server cannot be reached.

        Roles: admin. Scope of API keys: `file-feeds:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/file-feed-host-keys",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def list_sources(
        self,
    ) -> models.SourceList:
        """Sources, and which keys are set for them

        Which keys each needs and which are set; the values are never shown.

        Roles: admin. Scope of API keys: `sources:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/sources",
            )
        )

    def get_source(
        self,
        source_key: str,
    ) -> models.Source:
        """One source

        404 for an unknown source.

        Roles: admin. Scope of API keys: `sources:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/sources/{sourceKey}",
                path={"sourceKey": source_key},
            )
        )

    def update_source(
        self,
        source_key: str,
        body: models.UpdateSourceRequest,
        *,
        if_match: str | None = None,
    ) -> models.Source:
        """Offer a source to owners, or hide it

        No links are made to a hidden source and open ones stop. Connections that exist go on. 404 for an unknown source.

        Roles: admin. Scope of API keys: `sources:write`.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/sources/{sourceKey}",
                path={"sourceKey": source_key},
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def update_source_keys(
        self,
        source_key: str,
        body: models.UpdateSourceKeysRequest,
        *,
        if_match: str | None = None,
    ) -> models.SavedKeys:
        """Set the keys of your own app at a source

        They are tried at the source first: keys that it refuses are answered with 422 and nothing is changed. They are kept sealed, win over those of the deployment and are never shown again. 409 when somebody else changed them at the same time.

        Roles: admin. Scope of API keys: `sources:write`.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/sources/{sourceKey}/keys",
                path={"sourceKey": source_key},
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def delete_source_keys(
        self,
        source_key: str,
        *,
        if_match: str | None = None,
    ) -> models.RemovedKeys:
        """Delete the keys of your own app

        Connections that were made with them cannot be read any more: their owners have to connect again. 404 for an unknown source.

        Roles: admin. Scope of API keys: `sources:write`.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "DELETE",
                "/admin/api/v1/sources/{sourceKey}/keys",
                path={"sourceKey": source_key},
                headers={"If-Match": if_match},
            )
        )

    def test_source_keys(
        self,
        source_key: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.TestedKeys:
        """Ask the source again whether it takes the keys that are set

        Nothing is changed. 409 where no keys are set.

        Roles: admin. Scope of API keys: `sources:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/sources/{sourceKey}/keys/test",
                path={"sourceKey": source_key},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def list_dead_jobs(
        self,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["diedOn", "createdOn", "id", "kind", "key", "provider", "attempts"] | None = None,
    ) -> models.DeadJobPage:
        """Jobs that failed for good

        With the error of the last attempt. Paged, filtered by `FilterQuery`; the total is in `X-Total-Count`, as far as 10,000 rows: `X-Total-Count-Relation: gte` says that there are more.

        Roles: admin. Scope of API keys: `operations:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/jobs/dead",
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by},
            )
        )

    def redrive_jobs(
        self,
        body: models.RedriveJobsRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.Redriven:
        """Let all dead jobs of a kind run again, with all their attempts

        Answers how many. None of the kind is no error.

        Roles: admin. Scope of API keys: `operations:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/jobs/dead/redrive",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def redrive_job(
        self,
        job_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.Redriven:
        """Let one dead job run again, with all its attempts

        404 for a job that is not dead.

        Roles: admin. Scope of API keys: `operations:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/jobs/dead/{jobId}/redrive",
                path={"jobId": job_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def send_connection_link(
        self,
        company_id: str,
        service_id: str,
        body: models.SendConnectionLinkRequest,
        *,
        purpose: str | None = None,
        language: Literal["en", "fr"] | None = None,
        expires_in: int | None = None,
        return_url: str | None = None,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.SendConnectionLinkResponse:
        """Create a link and mail it to the owner

        Asks to renew the connection where it needs its owner. The mail is sent within seconds and tried for a day. At most five an hour go to one address. 409 where no mail server is set. 429 beyond the limits of mails.

        Roles: admin, developer, integration. Scope of API keys: `links:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/normalized-data/company/{companyId}/data-connection/{serviceId}/link-mail",
                path={"companyId": company_id, "serviceId": service_id},
                query={"Purpose": purpose, "Language": language, "ExpiresIn": expires_in, "ReturnUrl": return_url},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def send_owner_page(
        self,
        company_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.SendConnectionLinkResponse:
        """Mail the owner the address of the own page

        To the address that the owner gave for reminders, and to no other. 409 where there is none, or no mail server is set. 404 for an unknown company.

        Roles: admin, developer, integration. Scope of API keys: `links:write`.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/normalized-data/companies/{companyId}/owner-page-mail",
                path={"companyId": company_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def list_mails(
        self,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        filter_query: str | None = None,
    ) -> models.MailPage:
        """Mails of the last 30 days, newest first

        What a mail said is not kept once it was sent. With the first letter and the domain of the address, and what the mail server said last.

        Roles: admin, developer. Scope of API keys: `operations:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/mails",
                query={"PageNumber": page_number, "PageSize": page_size, "FilterQuery": filter_query},
            )
        )

    def get_mail_settings(
        self,
    ) -> models.MailSettings:
        """What is mailed by itself

        `canSend` says whether a mail server is set.

        Roles: admin, developer. Scope of API keys: `settings:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/mail-settings",
            )
        )

    def update_mail_settings(
        self,
        body: models.MailSettingsInput,
        *,
        if_match: str | None = None,
    ) -> models.MailSettings:
        """Set what is mailed by itself

        Links and invitations that somebody asks for are mailed all the same.

        Roles: admin. Scope of API keys: `settings:write`.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/mail-settings",
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def get_deployment(
        self,
    ) -> models.Deployment:
        """Which deployment this is

        Sandbox or production, version, and what is switched on.

        Roles: admin, developer, integration, viewer. Scope of API keys: `operations:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/deployment",
            )
        )

    def list_queues(
        self,
    ) -> models.QueueList:
        """What waits, runs and has died, by kind of job

        Counts of the caller’s instance, with the age of the oldest that waits.

        Roles: admin. Scope of API keys: `operations:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/jobs/queues",
            )
        )

    def get_usage(
        self,
        *,
        days: int | None = None,
    ) -> models.Usage:
        """API requests, syncs and deliveries by day, and connections by status

        Requests are counted in memory and written every ten seconds. Kept for 92 days. Connections, and runs and deliveries of the last two days, are counted at most once a minute if there are more than 10,000. 400 for days that are none.

        Roles: admin, developer, integration, viewer. Scope of API keys: `operations:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/usage",
                query={"Days": days},
            )
        )

    def list_quotas(
        self,
    ) -> models.QuotaList:
        """What the instance may have, and how much of it is used

        Beyond a bound the API answers 409, or 429 for requests, with the name of the quota. Whoever runs the deployment sets the bounds. What is used is counted at most once a minute where that means more than 10,000 rows; a refusal goes by what is there.

        Roles: admin. Scope of API keys: `operations:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/usage/quotas",
            )
        )

    def get_funnel(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
    ) -> models.Funnel:
        """Links by the step that their owners got to, by day, source, language and frame

        A link counts once per step, however often its pages are loaded, under the day, language and frame of its first opening. Links of deleted companies are not counted. More than 10,000 links are counted at most once a minute. The last 30 days when none are given. 400 for days that do not exist, and for more than a year.

        Roles: admin, developer, integration, viewer. Scope of API keys: `operations:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/usage/funnel",
                query={"From": from_, "To": to},
            )
        )

    def list_users(
        self,
        *,
        page_number: int | None = None,
        page_size: int | None = None,
        desc: bool | None = None,
        filter_query: str | None = None,
        order_by: Literal["createdOn", "id", "email", "name", "role", "isEnabled", "updatedOn", "emailProvenOn"] | None = None,
    ) -> models.UserPage:
        """All users of the instance

        Paged, filtered by `FilterQuery`; the total is in `X-Total-Count`, as far as 10,000 rows: `X-Total-Count-Relation: gte` says that there are more.

        Roles: admin. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/users",
                query={"PageNumber": page_number, "PageSize": page_size, "Desc": desc, "FilterQuery": filter_query, "OrderBy": order_by},
            )
        )

    def create_user(
        self,
        body: models.NewUser,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.User:
        """Add a user

        Without a password the user is mailed a link, good for three days, to choose one, which proves the address; 409 where no mail server is set. 409 for an address that is taken, by whatever instance; 400 for a password that is easy to guess.

        Roles: admin. Not for API keys.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/users",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def get_user(
        self,
        user_id: str,
    ) -> models.User:
        """One user

        404 where there is none.

        Roles: admin. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/users/{userId}",
                path={"userId": user_id},
            )
        )

    def update_user(
        self,
        user_id: str,
        body: models.UpdateUserRequest,
        *,
        if_match: str | None = None,
    ) -> models.User:
        """Change a user

        A new role, a new password and being disabled end the sessions of the user. The last admin stays one (409). 404 where there is none.

        Roles: admin. Not for API keys.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/users/{userId}",
                path={"userId": user_id},
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def delete_user(
        self,
        user_id: str,
        *,
        if_match: str | None = None,
    ) -> None:
        """Delete a user

        The sessions end at once. 409 for the last admin.

        Roles: admin. Not for API keys.

        Asks sessions for a fresh proof.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/users/{userId}",
                path={"userId": user_id},
                headers={"If-Match": if_match},
            )
        )

    def invite_user(
        self,
        user_id: str,
        body: models.InviteUserRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> None:
        """Mail a user a new link to choose a password

        For an address that is not proven yet. Links from before stop working. 409 where no mail server is set. 409 for an address that is proven.

        Roles: admin. Not for API keys.

        Asks sessions for a fresh proof.
        """
        self._call(
            Call(
                "POST",
                "/admin/api/v1/users/{userId}/invitation",
                path={"userId": user_id},
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def get_group_roles(
        self,
    ) -> models.GroupRoles:
        """Roles of the identity provider’s groups

        Empty until some are set: nobody gets a role from a group then.

        Roles: admin. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/group-roles",
            )
        )

    def update_group_roles(
        self,
        body: models.GroupRoles,
        *,
        if_match: str | None = None,
    ) -> models.GroupRoles:
        """Replace the roles of the identity provider’s groups

        Whoever is in several of these groups has the role that may do the most. A group without a role gives nothing. 400 for a group that is given twice.

        Roles: admin. Not for API keys.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/group-roles",
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def get_provisioning(
        self,
    ) -> models.Provisioning:
        """What the identity provider has done by SCIM

        SCIM itself is at `/scim/v2`, described by its own `/Schemas` and `/ServiceProviderConfig`.

        Roles: admin. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/provisioning",
            )
        )

    def reset_user_two_step(
        self,
        user_id: str,
        *,
        if_match: str | None = None,
    ) -> None:
        """Take the second step from a user who has lost it

        The user is told by mail and all sessions of the user end. The password then logs in, and sets up another second step where the instance requires one: make sure of who asks. 409 for a user without a second step, and for the own account.

        Roles: admin. Not for API keys.

        Asks sessions for a fresh proof.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/users/{userId}/two-step",
                path={"userId": user_id},
                headers={"If-Match": if_match},
            )
        )

    def end_user_sessions(
        self,
        user_id: str,
        *,
        if_match: str | None = None,
    ) -> models.EndUserSessionsResponse:
        """End all sessions of a user

        Who uses one has to sign in again; API keys go on. 404 for an unknown user.

        Roles: admin. Not for API keys.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "DELETE",
                "/admin/api/v1/users/{userId}/sessions",
                path={"userId": user_id},
                headers={"If-Match": if_match},
            )
        )

    def get_sign_in_rules(
        self,
    ) -> models.SignInRules:
        """What the instance asks of its members at a login

        And how many members a new rule would concern.

        Roles: admin. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/instance/sign-in-rules",
            )
        )

    def update_sign_in_rules(
        self,
        body: models.UpdateSignInRulesRequest,
        *,
        if_match: str | None = None,
    ) -> models.SignInRules:
        """Require two-step login of all members, or no longer

        Members without a second step are told by mail and their sessions end; they can log in only to set one up, and every other request gets a 403 with the reason `two-step-required`. Logins at an identity provider and API keys are not concerned. 409 unless the admin who requires it has a second step.

        Roles: admin. Not for API keys.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/instance/sign-in-rules",
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def get_mcp_access(
        self,
    ) -> models.McpAccess:
        """Whether assistants may read the instance’s data

        The switch alone; what a key may read is decided by its scopes.

        Roles: admin. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/instance/mcp-access",
            )
        )

    def update_mcp_access(
        self,
        body: models.McpAccess,
        *,
        if_match: str | None = None,
    ) -> models.McpAccess:
        """Let assistants read the instance’s data, or no longer

        Turns the Model Context Protocol server at `/mcp` on or off for this instance. Assistants read with an API key, within its scopes and limits, and change nothing. Turned off, it answers their next call with a 403. 403 for any role but an administrator.

        Roles: admin. Not for API keys.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/instance/mcp-access",
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def list_audit(
        self,
        *,
        before: int | None = None,
        limit: int | None = None,
        filter_query: str | None = None,
    ) -> models.AuditEntryPage:
        """What was done, newest first

        Go on with `Before`. Entries are chained: a changed or missing one shows. Kept for thirteen months unless the operator has set another time.

        Roles: admin. Scope of API keys: `audit:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/audit",
                query={"Before": before, "Limit": limit, "FilterQuery": filter_query},
            )
        )

    def download_audit(
        self,
        *,
        format: Literal["csv", "jsonl"],
        filter_query: str | None = None,
    ) -> bytes:
        """What was done, oldest first, as a file of any length

        CSV for spreadsheets, where a text that begins like a formula gets an apostrophe; or one JSON document on each line.

        Roles: admin. Scope of API keys: `audit:read`.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/audit/download",
                query={"Format": format, "FilterQuery": filter_query},
            )
        )

    def get_two_step(
        self,
    ) -> models.TwoStepState:
        """Whether two-step login is on

        And how many recovery codes are left.

        Roles: admin, developer, integration, viewer. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/auth/two-step/setup",
            )
        )

    def begin_two_step(
        self,
        body: models.BeginTwoStepRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.TwoStepSecret:
        """Begin to set up two-step login

        Gives a secret for an authenticator app. It is in use once a code of it was confirmed, within ten minutes. Asks for the password (401). 409 when it is on already.

        Roles: admin, developer, integration, viewer. Not for API keys.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/two-step/setup",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def confirm_two_step(
        self,
        body: models.ConfirmTwoStepRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.RecoveryCodes:
        """Turn two-step login on

        Shows recovery codes this once. 400 for a wrong code; 409 when no set-up was begun.

        Roles: admin, developer, integration, viewer. Not for API keys.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/two-step/setup/confirm",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def disable_two_step(
        self,
        body: models.DisableTwoStepRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> None:
        """Remove the authenticator app

        Without a passkey, two-step login is off then; 409 while the instance requires it. Asks for the password and a code (401).

        Roles: admin, developer, integration, viewer. Not for API keys.
        """
        self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/two-step/disable",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def renew_recovery_codes(
        self,
        body: models.DisableTwoStepRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.RecoveryCodes:
        """Get new recovery codes

        The old codes are void. Asks for the password and a code (401). The new ones are shown this once.

        Roles: admin, developer, integration, viewer. Not for API keys.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/two-step/recovery-codes",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def list_passkeys(
        self,
    ) -> models.PasskeyList:
        """The own passkeys, oldest first

        Each is a second step of the account, beside an authenticator app.

        Roles: admin, developer, integration, viewer. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/auth/passkeys",
            )
        )

    def create_passkey(
        self,
        body: models.CreatePasskeyRequest,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.NewPasskey:
        """Add a passkey as a second step

        From then on a login asks for a second step. The first second step of an account comes with recovery codes; otherwise there are none in the answer, and those from before stay good. 400 for an answer that is not to the last options, or not from this deployment’s pages.

        Roles: admin, developer, integration, viewer. Not for API keys.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/passkeys",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
                body=body,
            )
        )

    def begin_passkey_registration(
        self,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.PasskeyCreation:
        """Begin to add a passkey

        Gives what the browser needs to make one. 409 where BASE_URL has no host name, and at 20 passkeys.

        Roles: admin, developer, integration, viewer. Not for API keys.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/passkeys/options",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )

    def get_passkey(
        self,
        passkey_id: str,
    ) -> models.Passkey:
        """One of the own passkeys

        Name, and when it was last used. 404 for one that is unknown or another user’s.

        Roles: admin, developer, integration, viewer. Not for API keys.
        """
        return self._call(
            Call(
                "GET",
                "/admin/api/v1/auth/passkeys/{passkeyId}",
                path={"passkeyId": passkey_id},
            )
        )

    def rename_passkey(
        self,
        passkey_id: str,
        body: models.RenamePasskeyRequest,
        *,
        if_match: str | None = None,
    ) -> models.Passkey:
        """Rename a passkey

        Its name is for its holder alone, to tell passkeys apart.

        Roles: admin, developer, integration, viewer. Not for API keys.

        Asks sessions for a fresh proof.
        """
        return self._call(
            Call(
                "PUT",
                "/admin/api/v1/auth/passkeys/{passkeyId}",
                path={"passkeyId": passkey_id},
                headers={"If-Match": if_match},
                body=body,
            )
        )

    def delete_passkey(
        self,
        passkey_id: str,
        *,
        if_match: str | None = None,
    ) -> None:
        """Remove a passkey

        With the last second step, two-step login is off; 409 while the instance requires it.

        Roles: admin, developer, integration, viewer. Not for API keys.

        Asks sessions for a fresh proof.
        """
        self._call(
            Call(
                "DELETE",
                "/admin/api/v1/auth/passkeys/{passkeyId}",
                path={"passkeyId": passkey_id},
                headers={"If-Match": if_match},
            )
        )

    def begin_passkey_proof(
        self,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> models.PasskeyRequest:
        """Begin a proof by a passkey

        Wherever a code of the app is asked for, the answer of the browser may be given as `passkey`. 409 without a passkey.

        Roles: admin, developer, integration, viewer. Not for API keys.
        """
        return self._call(
            Call(
                "POST",
                "/admin/api/v1/auth/proof/passkey",
                headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
            )
        )
