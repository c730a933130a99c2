-- Who may come in: users, their sessions and second steps, the brakes on guessing, and the record of what was done.

create table users (
  instance_id uuid not null references instances (id),
  id uuid not null,
  -- Trimmed, NFC, lower case. One address is one account in the whole deployment, because a login names no instance.
  email text not null unique,
  name text not null,
  role text not null check (role in ('admin', 'developer', 'integration', 'viewer')),
  password_hash text not null,
  disabled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (instance_id, id)
);

-- A session is one login and the family of refresh tokens that came from it.
create table sessions (
  instance_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  generation integer not null default 0,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text,
  primary key (instance_id, id),
  foreign key (instance_id, user_id) references users (instance_id, id) on delete cascade
);
create index sessions_of_user on sessions (instance_id, user_id) where ended_at is null;
create index sessions_by_expiry on sessions (expires_at);

create table refresh_tokens (
  instance_id uuid not null,
  token_hash bytea not null,
  session_id uuid not null,
  generation integer not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (token_hash),
  foreign key (instance_id, session_id) references sessions (instance_id, id) on delete cascade
);
create index refresh_tokens_of_session on refresh_tokens (instance_id, session_id);

-- Read by every process to learn which sessions ended. The transaction id orders it: whatever a reader's snapshot could not see yet has
-- an id at or above that snapshot's xmin, so no end is ever missed, however long its transaction took.
create table ended_sessions (
  session_id uuid primary key,
  ended_xid xid8 not null default pg_current_xact_id(),
  ended_at timestamptz not null default clock_timestamp()
);
create index ended_sessions_by_xid on ended_sessions (ended_xid);
create index ended_sessions_by_time on ended_sessions (ended_at);

-- Triggers, so that a session also ends when its user or instance is deleted, by whatever statement.
create function note_ended_session() returns trigger language plpgsql as $$
begin
  insert into ended_sessions (session_id) values (old.id) on conflict do nothing;
  return null;
end
$$;
create trigger session_ended after update of ended_at on sessions
  for each row when (old.ended_at is null and new.ended_at is not null) execute function note_ended_session();
create trigger session_deleted after delete on sessions
  for each row when (old.ended_at is null) execute function note_ended_session();

create table two_steps (
  instance_id uuid not null,
  user_id uuid not null,
  secret bytea not null,
  started_at timestamptz not null,
  confirmed_at timestamptz,
  -- Time step of the newest code taken; a code of that step or before is refused.
  last_counter bigint not null default 0,
  primary key (instance_id, user_id),
  foreign key (instance_id, user_id) references users (instance_id, id) on delete cascade
);

create table recovery_codes (
  instance_id uuid not null,
  user_id uuid not null,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (instance_id, user_id, code_hash),
  foreign key (instance_id, user_id) references two_steps (instance_id, user_id) on delete cascade
);

-- A login whose password was right and whose second step is awaited.
create table login_challenges (
  instance_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  tries integer not null default 0,
  expires_at timestamptz not null,
  completed_at timestamptz,
  primary key (instance_id, id),
  foreign key (instance_id, user_id) references users (instance_id, id) on delete cascade
);
create index login_challenges_by_expiry on login_challenges (expires_at);

-- Counters of attempts within a window; keys are hashes, so the table names nobody.
create table login_throttle (
  key bytea primary key,
  attempts integer not null,
  window_ends_at timestamptz not null
);
create index login_throttle_by_end on login_throttle (window_ends_at);

-- Networks from which an account has logged in; they keep their own counter, so that an attack cannot lock its owner out.
create table known_networks (
  key bytea primary key,
  seen_at timestamptz not null
);
create index known_networks_by_time on known_networks (seen_at);

-- One hash chain per instance; the nil id is the deployment's own. No foreign keys: the record outlives what it is about.
create table audit_chains (
  instance_id uuid primary key,
  position bigint not null,
  hash bytea not null,
  -- The entry before the oldest one kept.
  start_position bigint not null default 0,
  start_hash bytea not null
);

create table audit_entries (
  instance_id uuid not null,
  position bigint not null,
  at timestamptz not null,
  entry text not null,
  hash bytea not null,
  primary key (instance_id, position)
);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and coalesce(current_setting('countinghouse.audit_retention', true), '') = 'on' then
    return old;
  end if;
  raise exception 'audit entries are never changed';
end
$$;
create trigger audit_entries_fixed before update or delete on audit_entries
  for each row execute function refuse_audit_change();
create trigger audit_entries_kept before truncate on audit_entries
  for each statement execute function refuse_audit_change();
