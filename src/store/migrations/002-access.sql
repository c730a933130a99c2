create table users (
  instance_id uuid not null references instances (id),
  id uuid not null,
  -- Trimmed, NFC, lower case. Unique in the whole deployment, because a login names no instance.
  email text not null unique,
  name text not null,
  role text not null check (role in ('admin', 'developer', 'integration', 'viewer')),
  password_hash text not null,
  disabled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When the user opened a link mailed to the address; null: not proven to be theirs.
  email_proven_at timestamptz,
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
create trigger session_ended after update of ended_at on sessions for each row when (old.ended_at is null and new.ended_at is not null) execute function note_ended_session();
create trigger session_deleted after delete on sessions for each row when (old.ended_at is null) execute function note_ended_session();

create table refresh_tokens (
  instance_id uuid not null,
  token_hash bytea primary key,
  session_id uuid not null,
  generation integer not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  foreign key (instance_id, session_id) references sessions (instance_id, id) on delete cascade
);
create index refresh_tokens_of_session on refresh_tokens (instance_id, session_id);

-- Polled by every process to learn which sessions ended, in the order of transaction ids: whatever a snapshot could not
-- see yet has an id at or above its xmin, so no end is missed, however long its transaction took.
create table ended_sessions (
  session_id uuid primary key,
  ended_xid xid8 not null default pg_current_xact_id(),
  ended_at timestamptz not null default clock_timestamp()
);
create index ended_sessions_by_xid on ended_sessions (ended_xid);
create index ended_sessions_by_time on ended_sessions (ended_at);

create table two_steps (
  instance_id uuid not null,
  user_id uuid not null,
  secret bytea not null,
  started_at timestamptz not null,
  confirmed_at timestamptz,
  -- Time step of the newest accepted code; codes of that step or an earlier one are refused.
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

-- Logins with the right password that wait for the second step.
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

-- Password reset links by the hash of the token that was mailed.
create table password_resets (
  token_hash bytea primary key,
  instance_id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  used_at timestamptz,
  foreign key (instance_id, user_id) references users (instance_id, id) on delete cascade
);
create index password_resets_of_user on password_resets (instance_id, user_id);

-- Attempts within a window. Keys are hashes, so the table names nobody.
create table login_rate_limits (
  key bytea primary key,
  attempts integer not null,
  window_ends_at timestamptz not null
);
create index login_rate_limits_by_end on login_rate_limits (window_ends_at);

-- Networks from which an account has logged in. They have a counter of their own, so that an attack does not lock the
-- owner out.
create table known_networks (
  key bytea primary key,
  seen_at timestamptz not null
);
create index known_networks_by_time on known_networks (seen_at);

-- Requests by operation, day and status of the answer.
create table api_usage (
  instance_id uuid not null references instances (id) on delete cascade,
  day date not null,
  operation text not null,
  status smallint not null,
  requests bigint not null,
  primary key (instance_id, day, operation, status)
);

-- Runs and deliveries of past days by state, so that a month of usage is read without counting a month of runs.
create table usage_days (
  instance_id uuid not null references instances (id) on delete cascade,
  day date not null,
  runs jsonb not null,
  deliveries jsonb not null,
  primary key (instance_id, day)
);

-- One hash chain per instance; the nil id is the deployment’s own. No foreign keys: the audit outlives what it is
-- about.
create table audit_chains (
  instance_id uuid primary key,
  position bigint not null,
  hash bytea not null,
  -- The entry before the oldest one that is kept.
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
create index audit_entries_by_time on audit_entries (instance_id, at);
create trigger audit_entries_fixed before delete or update on audit_entries for each row execute function forbid_audit_change();
create trigger audit_entries_kept before truncate on audit_entries for each statement execute function forbid_audit_change();
