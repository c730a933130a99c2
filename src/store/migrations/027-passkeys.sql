-- Passkeys (WebAuthn credentials): second steps of users, and of operators, whose rows belong to the nil instance.
create table passkeys (
  instance_id uuid not null,
  id uuid not null,
  user_id uuid,
  operator_id uuid,
  name text not null check (length(name) >= 1 and length(name) <= 100),
  credential_id bytea not null,
  -- COSE key.
  public_key bytea not null,
  -- How often the authenticator says that it was used; 0: it does not count.
  sign_count bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (instance_id, id),
  unique (instance_id, credential_id),
  foreign key (instance_id, user_id) references users (instance_id, id) on delete cascade,
  foreign key (instance_id, operator_id) references operators (instance_id, id) on delete cascade,
  check ((user_id is null) <> (operator_id is null))
);
create index passkeys_of_user on passkeys (instance_id, user_id);
create index passkeys_of_operator on passkeys (instance_id, operator_id);
select enforce_instance_isolation('passkeys');

-- What a passkey has to sign, once, within minutes.
create table passkey_challenges (
  instance_id uuid not null,
  challenge bytea not null,
  user_id uuid,
  operator_id uuid,
  purpose text not null,
  expires_at timestamptz not null,
  primary key (instance_id, challenge),
  foreign key (instance_id, user_id) references users (instance_id, id) on delete cascade,
  foreign key (instance_id, operator_id) references operators (instance_id, id) on delete cascade,
  check ((user_id is null) <> (operator_id is null))
);
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);
create index passkey_challenges_of_user on passkey_challenges (instance_id, user_id);
create index passkey_challenges_of_operator on passkey_challenges (instance_id, operator_id);
select enforce_instance_isolation('passkey_challenges');

-- When an operator last proved who it is, since the session was opened; null: not since.
alter table operator_sessions add column proven_at timestamptz;
