-- How many of the published records have a value in each field, as of one publication.
create table record_coverage (
  instance_id uuid not null,
  company_id uuid not null,
  service_id uuid not null,
  entity text not null,
  -- The instant of publication up to which records were counted.
  counted_until timestamptz not null,
  total bigint not null,
  -- Field → number of records that have a value there.
  filled json not null,
  primary key (instance_id, company_id, service_id, entity)
);

-- A request to normalize stored raw pages again.
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

-- The same for each connection that it covers.
create table replay_parts (
  instance_id uuid not null,
  replay_id uuid not null,
  connection_id uuid not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'skipped', 'failed')),
  -- The run that stages what is to be published; a dry run has none.
  run_id uuid,
  -- The last page that is done: when it was fetched and its id.
  place jsonb,
  counts jsonb not null default '{}',
  -- What differs, field by field, with examples.
  changes jsonb not null default '[]',
  error text,
  finished_at timestamptz,
  primary key (instance_id, replay_id, connection_id),
  foreign key (instance_id, replay_id) references replays (instance_id, id) on delete cascade,
  foreign key (instance_id, connection_id) references connections (instance_id, id) on delete cascade
);
create index replay_parts_waiting on replay_parts (instance_id, connection_id) where state = 'waiting';

create index raw_pages_by_age on raw_pages (fetched_at);
