-- The memory of the house. Every table that belongs to a customer starts its key with instance_id.

create table instances (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null default clock_timestamp()
);

create table companies (
  instance_id uuid not null references instances (id),
  id uuid not null,
  name text not null check (length(name) between 1 and 200),
  industry text not null default '',
  full_address text not null default '',
  country text not null default '' check (country = '' or country ~ '^[A-Z]{2}$'),
  city text not null default '',
  contact_number text not null default '',
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id)
);

-- A bank reached through an aggregator, as one instance sees it.
create table child_services (
  instance_id uuid not null references instances (id),
  id uuid not null,
  connector_key text not null,
  institution_id text not null,
  name text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id),
  unique (instance_id, connector_key, institution_id)
);

create table links (
  instance_id uuid not null,
  id uuid not null,
  token_hash bytea not null unique,
  company_id uuid not null,
  service_id uuid not null,
  issued_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  completed_at timestamptz,
  revoked_at timestamptz,
  primary key (instance_id, id),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade
);

create table connections (
  instance_id uuid not null,
  id uuid not null,
  company_id uuid not null,
  service_id uuid not null,
  connector_key text not null,
  category text not null,
  entity_id text,
  entity_name text,
  reference text,
  email text not null,
  status smallint not null,
  -- Where a suspended connection goes back to.
  resume_status smallint,
  fault text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  published_at timestamptz,
  last_read_at timestamptz,
  update_scheduled_at timestamptz not null,
  refresh_hours integer not null,
  credentials bytea,
  credentials_generation integer not null default 0,
  credentials_expires_at timestamptz,
  refresh_owner uuid,
  refresh_lease_until timestamptz,
  cursors jsonb not null default '{}',
  primary key (instance_id, id),
  foreign key (instance_id, company_id) references companies (instance_id, id)
);
create index connections_of_company on connections (instance_id, company_id, created_at);
create index connections_due on connections (update_scheduled_at) where status not in (6, 7, 8, 20, 26, 27);
create index connections_by_reference on connections (connector_key, reference) where reference is not null;
-- One living connection for a company at a service; disconnected ones stay as history.
create unique index connections_living on connections (instance_id, company_id, service_id) where status <> 26 and entity_id is not null;

create table connection_timeline (
  instance_id uuid not null,
  connection_id uuid not null,
  id uuid not null default gen_random_uuid(),
  at timestamptz not null default clock_timestamp(),
  from_status smallint,
  to_status smallint not null,
  detail text not null default '',
  primary key (instance_id, connection_id, at, id),
  foreign key (instance_id, connection_id) references connections (instance_id, id) on delete cascade
);

-- An owner on the way to a source and back.
create table authorizations (
  instance_id uuid not null,
  id uuid not null,
  link_id uuid not null,
  connection_id uuid not null,
  state_hash bytea not null unique,
  memo bytea,
  memo_match bytea,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  primary key (instance_id, id),
  foreign key (instance_id, connection_id) references connections (instance_id, id) on delete cascade
);
create index authorizations_by_match on authorizations (memo_match) where memo_match is not null;

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

create table sync_runs (
  instance_id uuid not null,
  id uuid not null,
  connection_id uuid not null,
  reason text not null,
  -- Somebody asked for it and waits for its event.
  is_awaited boolean not null default false,
  state text not null check (state in ('running', 'published', 'unchanged', 'failed', 'abandoned')),
  -- Raised by each worker that takes the run up; one that was overtaken has an older one.
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
  primary key (instance_id, id),
  foreign key (instance_id, connection_id) references connections (instance_id, id) on delete cascade
);
create index sync_runs_of_connection on sync_runs (instance_id, connection_id, started_at desc);
create unique index sync_runs_running on sync_runs (instance_id, connection_id) where state = 'running';

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
create index raw_pages_of_connection on raw_pages (instance_id, connection_id, pull, page, fetched_at desc);

-- What a running complete listing has seen: eight bytes a record, dropped when the run ends.
create table run_pages (
  instance_id uuid not null,
  run_id uuid not null,
  pull integer not null,
  page integer not null,
  seen bytea not null,
  primary key (instance_id, run_id, pull, page),
  foreign key (instance_id, run_id) references sync_runs (instance_id, id) on delete cascade
);

create table staged_records (
  instance_id uuid not null,
  run_id uuid not null,
  entity text not null,
  orig_id text not null,
  seq bigint not null,
  id uuid not null,
  doc text,
  content_hash bytea,
  source_version text,
  sort_key text not null default '',
  raw_page_id uuid,
  raw_index integer not null default 0,
  mapping_version integer not null default 0,
  primary key (instance_id, run_id, entity, orig_id),
  foreign key (instance_id, run_id) references sync_runs (instance_id, id) on delete cascade
);

-- One row per version of a record. The current one has no valid_to; a deleted record's current version says so.
create table record_versions (
  instance_id uuid not null,
  company_id uuid not null,
  service_id uuid not null,
  entity text not null,
  id uuid not null,
  valid_from timestamptz not null,
  valid_to timestamptz,
  orig_id text not null,
  connection_id uuid not null,
  deleted boolean not null default false,
  doc text not null,
  content_hash bytea not null,
  source_version text,
  sort_key text not null,
  run_id uuid not null,
  raw_page_id uuid,
  raw_index integer not null,
  mapping_version integer not null,
  primary key (instance_id, company_id, service_id, entity, id, valid_from)
);
create unique index record_versions_current on record_versions (instance_id, company_id, service_id, entity, id) where valid_to is null;
create index record_versions_list on record_versions (instance_id, company_id, service_id, entity, sort_key, id) where valid_to is null and not deleted;
create index record_versions_of_connection on record_versions (instance_id, connection_id);

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

-- The version of what readers see, raised in the transaction that changes it.
create table publications (
  key text primary key,
  instance_id uuid not null,
  company_id uuid not null,
  service_id uuid not null,
  version bigint not null,
  published_at timestamptz not null,
  accounts integer not null,
  transactions integer not null
) with (fillfactor = 50);

create table jobs (
  id uuid primary key default gen_random_uuid(),
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
  created_at timestamptz not null default clock_timestamp()
);
create unique index jobs_running on jobs (key) where state = 'running';
create unique index jobs_waiting on jobs (kind, key) where state = 'ready';
create index jobs_due on jobs (run_at) where state = 'ready';
create index jobs_leased on jobs (lease_until) where state = 'running';

-- The directories of aggregators belong to nobody.
create table institutions (
  connector_key text not null,
  id text not null,
  name text not null,
  countries text[] not null,
  routing_numbers text[] not null,
  url text,
  closed_at timestamptz,
  seen_at timestamptz not null,
  primary key (connector_key, id)
);

create table institution_requests (
  instance_id uuid not null references instances (id),
  id uuid not null,
  service_id uuid not null,
  name text not null,
  country text not null,
  url text not null default '',
  note text not null default '',
  state text not null default 'open',
  requested_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id)
);

-- The text of a record that its source no longer has. NOTE quotes inside a JSON string are escaped, so the patterns meet only real fields.
create function deleted_document(doc text, at timestamptz) returns text immutable language sql as $$
  select regexp_replace(regexp_replace(regexp_replace(doc,
    '"(accountStatusSystem|statusSystem)":"[A-Z_]*"', '"\1":"DELETED"'),
    '"isDeleted":false', '"isDeleted":true'),
    '"lastUpdatedOn":"[^"]*"', '"lastUpdatedOn":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') || '"')
$$;

-- Which keys this database belongs to; one row.
create table key_fingerprint (
  only_one boolean primary key default true check (only_one),
  fingerprint bytea not null
);
