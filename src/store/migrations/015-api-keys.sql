-- Keys of programs, kept by the hash of their token. A key that replaces another is a row of its own;
-- `application_id` stays that of the first.
create table api_keys (
  instance_id uuid not null references instances (id) on delete cascade,
  id uuid not null,
  application_id uuid not null,
  name text not null check (length(name) >= 1 and length(name) <= 100),
  -- The part of the token that is shown.
  prefix text not null,
  token_hash bytea not null unique,
  scopes text[] not null check (cardinality(scopes) > 0),
  -- A user, who may be gone: what a key may do does not depend on who made it.
  created_by uuid not null,
  created_at timestamptz not null,
  -- Null: never.
  expires_at timestamptz,
  -- To the minute.
  last_used_at timestamptz,
  revoked_at timestamptz,
  replaced_by uuid,
  primary key (instance_id, id)
);
create index api_keys_by_time on api_keys (instance_id, created_at);
-- A revoked key is told to every process in the way of an ended session.
create trigger api_key_revoked after update of revoked_at on api_keys for each row when (old.revoked_at is null and new.revoked_at is not null) execute function note_ended_session();
create trigger api_key_deleted after delete on api_keys for each row when (old.revoked_at is null) execute function note_ended_session();
select enforce_instance_isolation('api_keys');

-- The application (`api_keys.application_id`) whose key made a link, and that of the link by which a connection was
-- last authorized; null: a user's.
alter table links add column application_id uuid;
alter table connections add column application_id uuid;
