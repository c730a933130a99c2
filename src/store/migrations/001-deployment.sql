-- The tables of release 1.0.0. The key of each table of an instance begins with instance_id.

-- Row-level security of a table with an instance's id: a query sees and writes only rows of the instance that `countinghouse.instance` names;
-- `*` names all. Without the setting a query fails. FORCE, because the service owns its tables. A migration that makes such a table calls this
-- function. `by_the_thousand`: the setting is read once for a query instead of once for a row; costs 25 µs of planning, saves 0.2 µs a row.
-- NOTE both forms are a `coalesce` because the planner guesses that such a condition leaves half of the rows. See docs/decisions/0017.
create function enforce_instance_isolation(of_table regclass, by_the_thousand boolean default false, of_column text default 'instance_id')
returns void language plpgsql as $$
declare
  setting constant text := $sql$current_setting('countinghouse.instance')$sql$;
  condition text;
begin
  if by_the_thousand then
    -- Null, and so true, for `*` alone.
    condition := format($sql$coalesce(%I = (select nullif(%s, '*')::uuid), true)$sql$, of_column, setting);
  else
    condition := format($sql$coalesce(%2$s = '*' or %2$s = %1$I::text, false)$sql$, of_column, setting);
  end if;
  execute format('alter table %s enable row level security, force row level security', of_table);
  execute format('create policy one_instance on %s using (%s) with check (%2$s)', of_table, condition);
end
$$;

-- Trigger: a session has ended, by whatever statement: also when its user or its instance is deleted.
create function note_ended_session() returns trigger language plpgsql as $$
begin
  insert into ended_sessions (session_id) values (old.id) on conflict do nothing;
  return null;
end
$$;

-- Trigger: audit entries are only added; retention deletes the oldest under a setting of its own.
create function forbid_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and coalesce(current_setting('countinghouse.audit_retention', true), '') = 'on' then
    return old;
  end if;
  raise exception 'audit entries are never changed';
end
$$;

-- Trigger: a row of the consent ledger learns its connection and its end, each once, and nothing else.
create function keep_consent() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - '{connection_id,ended_at,ended_how}'::text[] <> to_jsonb(old) - '{connection_id,ended_at,ended_how}'::text[]
    or (old.connection_id is not null and new.connection_id is distinct from old.connection_id)
    or (old.ended_at is not null and (new.ended_at, new.ended_how) is distinct from (old.ended_at, old.ended_how))
  then
    raise exception 'a consent is not rewritten';
  end if;
  return new;
end
$$;

-- Key of a record set, all records of one kind of one company at one service: eight bytes instead of forty-five in each
-- index, compared at once. The hashes are those of hash partitions, which PostgreSQL keeps from version to version. See
-- docs/decisions/0024.
create function record_set_key(company uuid, service uuid, kind text) returns bigint language sql immutable parallel safe
return uuid_hash_extended(company, uuid_hash_extended(service, hashtextextended(kind collate "C", 0)));

create function record_set_keys(company uuid, service uuid) returns bigint[] language sql immutable parallel safe
return array[record_set_key(company, service, 'Accounts'), record_set_key(company, service, 'Transactions')];

create table instances (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null default clock_timestamp()
);

-- Fingerprint of the keys that this database belongs to; one row.
create table key_fingerprint (
  only_one boolean primary key default true check (only_one),
  fingerprint bytea not null
);

-- Workers with their slots: one instance, and one provider, gets at most a share of all slots.
create table workers (
  id uuid primary key,
  slots integer not null,
  seen_at timestamptz not null default clock_timestamp()
);

create table jobs (
  id uuid not null default gen_random_uuid(),
  instance_id uuid not null,
  kind text not null,
  key text not null,
  payload jsonb not null default '{}',
  run_at timestamptz not null default clock_timestamp(),
  attempts integer not null default 0,
  state text not null default 'ready' check (state in ('ready', 'running', 'dead')),
  worker uuid,
  lease_until timestamptz,
  error text,
  created_at timestamptz not null default clock_timestamp(),
  -- The connector whose source the job calls; empty for jobs that call none.
  provider text collate "C" not null default '',
  died_at timestamptz,
  trace_parent text
) with (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.05, autovacuum_analyze_threshold=2000);
create unique index jobs_running on jobs (key) where state = 'running';
create unique index jobs_waiting on jobs (kind, key) where state = 'ready';
create index jobs_lanes on jobs (instance_id, provider, run_at) where state = 'ready';
create index jobs_dead on jobs (instance_id, died_at, id) where state = 'dead';

-- One row while the deployment is paused: its processes claim no jobs, call no sources and send nothing. A restored
-- copy starts paused.
create table deployment_pause (
  is_paused boolean primary key default true check (is_paused),
  paused_at timestamptz not null default clock_timestamp(),
  reason text not null check (reason in ('restored', 'requested')),
  -- The backup that a restored copy was made from.
  backup_id uuid
);

-- Versions of the SQL functions in src/store/functions.
create table schema_functions (
  name text primary key,
  version integer not null,
  checksum text not null,
  applied_at timestamptz not null default now()
);

-- Answers to requests with an Idempotency-Key, for 24 hours. Sealed, because an answer may contain a secret that is
-- shown once.
create table idempotency_keys (
  instance_id uuid not null references instances (id) on delete cascade,
  id uuid not null,
  -- Keyed hash of user and key.
  key_hash bytea not null,
  -- Keyed hash of method, address and body.
  request_hash bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  status integer,
  headers jsonb,
  sealed bytea,
  primary key (instance_id, id),
  unique (instance_id, key_hash)
);
create index idempotency_keys_by_time on idempotency_keys (created_at);
