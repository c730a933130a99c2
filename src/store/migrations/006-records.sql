-- One row per version of a record. The current version has no valid_to; that of a deleted record says so.
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
  record_set bigint not null generated always as (record_set_key(company_id, service_id, entity)) stored
);
-- Finds the versions of a record and allows one current version. A single index, because every record pays for each.
create unique index record_versions_of_record on record_versions (record_set, id, valid_to) nulls not distinct;
create index record_versions_list on record_versions (record_set, sort_key, id) where valid_to is null and not deleted;
-- Only closed versions have an entry: writing and publishing a new record costs nothing more.
create index record_versions_closed on record_versions (valid_to, id) where valid_to is not null;

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
) with (fillfactor=50);

-- Announces a change of what readers see before it is made, so that no process serves a stale page
-- (docs/decisions/0008).
create table publication_changes (
  instance_id uuid not null,
  id uuid not null default gen_random_uuid(),
  key text not null,
  announced_at timestamptz not null default clock_timestamp(),
  -- Set by the transaction that makes the change.
  made_at timestamptz,
  primary key (instance_id, id)
);
create index publication_changes_of_key on publication_changes (key) where made_at is null;
-- Polled by every process several times a second.
create index publication_changes_made on publication_changes (made_at);
create index publication_changes_announced on publication_changes (announced_at);

-- Number of published records with a value, by field, as of one publication.
create table record_coverage (
  instance_id uuid not null,
  company_id uuid not null,
  service_id uuid not null,
  entity text not null,
  -- Publication up to which records were counted.
  counted_until timestamptz not null,
  total bigint not null,
  -- Field → number of records that have a value.
  filled json not null,
  primary key (instance_id, company_id, service_id, entity)
);

-- Records that a reconnect showed under another id of their source: they go on as the record they were. Kept after a
-- disconnect, so that ids stay; deleted with the company.
create table record_aliases (
  instance_id uuid not null,
  company_id uuid not null,
  service_id uuid not null,
  entity text not null,
  -- Id at the source now.
  orig_id text not null,
  id uuid not null,
  -- Id that the source gave first, which readers still see.
  kept_orig_id text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, company_id, service_id, entity, orig_id),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade
);
create index record_aliases_of on record_aliases (instance_id, company_id, service_id, entity, id);

create unlogged table staged_runs (
  instance_id uuid not null,
  run_id uuid not null,
  primary key (instance_id, run_id)
);

create unlogged table staged_records (
  instance_id uuid not null,
  run_id uuid not null,
  entity text not null,
  id uuid not null,
  seq bigint not null check (seq >= 0),
  raw_page_id uuid,
  raw_index integer not null default 0,
  mapping_version integer not null default 0,
  orig_id text not null,
  source_version text,
  sort_key text not null default '',
  content_hash bytea,
  doc text,
  primary key (id, run_id, entity)
);
-- For the publication, which reads in the order of writing. Partial, so that the planner uses it for nothing else:
-- finding one record by it means reading all of the run.
create index staged_records_by_page on staged_records (run_id, seq) where seq >= 0;

-- Closed versions from before this instant have been deleted: earlier publications cannot be read any more. One row.
create table version_horizon (
  only_one boolean primary key default true check (only_one),
  before timestamptz not null
);
