create table sync_runs (
  instance_id uuid not null,
  id uuid not null,
  connection_id uuid not null,
  reason text not null,
  -- Requested by somebody who waits for its event.
  is_awaited boolean not null default false,
  state text not null check (state in ('running', 'published', 'unchanged', 'failed', 'abandoned')),
  -- Fencing token: raised by each worker that takes the run up; an overtaken worker has an older one.
  fence bigint not null,
  pull integer not null default 0,
  page integer not null default 0,
  cursor jsonb,
  cursors jsonb not null default '{}',
  counts jsonb not null default '{}',
  unmapped jsonb not null default '[]',
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  error_kind text,
  error text,
  -- Last time that retention kept the run because a record still refers to it; the next review is a term later.
  reviewed_at timestamptz,
  primary key (instance_id, id),
  foreign key (instance_id, connection_id) references connections (instance_id, id) on delete cascade
);
create index sync_runs_of_connection on sync_runs (instance_id, connection_id, started_at desc);
create unique index sync_runs_running on sync_runs (instance_id, connection_id) where state = 'running';
create index sync_runs_by_end on sync_runs (coalesce(reviewed_at, ended_at)) where ended_at is not null;
create index sync_runs_by_time on sync_runs (instance_id, started_at) include (state);

-- Records seen by a running complete listing: eight bytes each, deleted when the run ends.
create table run_pages (
  instance_id uuid not null,
  run_id uuid not null,
  pull integer not null,
  page integer not null,
  seen bytea not null,
  primary key (instance_id, run_id, pull, page),
  foreign key (instance_id, run_id) references sync_runs (instance_id, id) on delete cascade
);
alter table run_pages alter column seen set storage external;

create table raw_pages (
  instance_id uuid not null,
  id uuid not null,
  connection_id uuid not null,
  pull text not null,
  page integer not null,
  fetched_at timestamptz not null,
  content_hash bytea not null,
  sealed bytea not null,
  primary key (instance_id, id),
  foreign key (instance_id, connection_id) references connections (instance_id, id) on delete cascade
);
alter table raw_pages alter column sealed set storage external;
create index raw_pages_of_connection on raw_pages (instance_id, connection_id, pull, page, fetched_at desc);
create index raw_pages_by_age on raw_pages (fetched_at);

create table quarantined_records (
  instance_id uuid not null,
  connection_id uuid not null,
  entity text not null,
  orig_id text not null,
  reason text not null,
  raw_page_id uuid,
  raw_index integer not null,
  run_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  primary key (instance_id, connection_id, entity, orig_id)
);

create table source_files (
  instance_id uuid not null,
  id uuid not null,
  connection_id uuid not null,
  name text not null,
  content_hash bytea not null,
  received_at timestamptz not null default clock_timestamp(),
  sealed bytea,
  primary key (instance_id, id),
  foreign key (instance_id, connection_id) references connections (instance_id, id) on delete cascade
);
create index source_files_inbox on source_files (instance_id, connection_id, received_at, id);
create index source_files_stored on source_files (received_at, id) where sealed is not null;

-- Requests to normalize stored raw pages again.
create table replays (
  instance_id uuid not null references instances (id),
  id uuid not null,
  company_id uuid,
  service_id uuid,
  connector_key text,
  is_dry_run boolean not null,
  requested_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id)
);

-- One row per connection of a replay.
create table replay_parts (
  instance_id uuid not null,
  replay_id uuid not null,
  connection_id uuid not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'skipped', 'failed')),
  -- The run that stages the records to publish; a dry run has none.
  run_id uuid,
  -- The last completed page: time of the fetch and id.
  cursor jsonb,
  counts jsonb not null default '{}',
  -- Differences by field, with examples.
  changes jsonb not null default '[]',
  error text,
  finished_at timestamptz,
  primary key (instance_id, replay_id, connection_id),
  foreign key (instance_id, replay_id) references replays (instance_id, id) on delete cascade,
  foreign key (instance_id, connection_id) references connections (instance_id, id) on delete cascade
);
create index replay_parts_waiting on replay_parts (instance_id, connection_id) where state = 'waiting';
