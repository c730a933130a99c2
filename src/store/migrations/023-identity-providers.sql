-- The OpenID provider with which members of an instance sign in.
create table identity_providers (
  instance_id uuid primary key references instances (id) on delete cascade,
  id uuid not null,
  issuer text not null,
  client_id text not null,
  -- Sealed.
  client_secret bytea not null,
  scopes text[] not null,
  -- Further parameters of the authorization request, by name.
  parameters jsonb not null,
  -- Claim with the groups of a member; null: groups do not decide about roles.
  groups_claim text,
  -- Domains of the addresses that may come; empty: any.
  email_domains text[] not null,
  -- Whether addresses count as verified without the claim email_verified.
  trusts_emails boolean not null,
  creates_members boolean not null,
  default_role text check (default_role in ('admin', 'developer', 'integration', 'viewer')),
  -- Authentication that the provider must have done; empty: any.
  accepted_acr text[] not null,
  accepted_amr text[] not null,
  -- No password of a member works.
  is_required boolean not null,
  -- When an administrator first signed in with these very settings; null: not yet.
  tried_at timestamptz,
  -- New with each change, so that a sign-in that began before it does not count as a try.
  version uuid not null,
  updated_at timestamptz not null
);
select enforce_instance_isolation('identity_providers');

-- Who a member is at a provider.
create table provider_identities (
  instance_id uuid not null,
  issuer text not null,
  subject text not null,
  user_id uuid not null,
  created_at timestamptz not null,
  primary key (instance_id, issuer, subject),
  foreign key (instance_id, user_id) references users (instance_id, id) on delete cascade
);
create index provider_identities_of_user on provider_identities (instance_id, user_id);
select enforce_instance_isolation('provider_identities');

-- Sessions that were opened by a sign-in at a provider, and what they are continued with there.
create table provider_sessions (
  instance_id uuid not null,
  session_id uuid not null,
  issuer text not null,
  subject text not null,
  -- The provider's own id of its session (claim sid).
  provider_session_id text,
  -- Sealed: refresh token and ID token.
  tokens bytea not null,
  -- When the provider last said that its session goes on; null: it gives no refresh token, so it cannot be asked.
  checked_at timestamptz,
  -- Not asked again before; set after a failure.
  retry_at timestamptz,
  -- Until when a process is asking.
  leased_until timestamptz,
  primary key (instance_id, session_id),
  foreign key (instance_id, session_id) references sessions (instance_id, id) on delete cascade
);
create index provider_sessions_of_subject on provider_sessions (instance_id, issuer, subject);
select enforce_instance_isolation('provider_sessions');

-- Logout tokens that were accepted, by a hash of issuer and jti: each works once.
create table logout_tokens (
  instance_id uuid not null references instances (id) on delete cascade,
  token_hash bytea not null,
  expires_at timestamptz not null,
  primary key (instance_id, token_hash)
);
create index logout_tokens_by_expiry on logout_tokens (expires_at);
select enforce_instance_isolation('logout_tokens');
