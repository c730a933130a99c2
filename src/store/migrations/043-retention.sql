-- What is kept for a time and no longer is found by that time. See src/store/retention.

-- A run that a record still refers to was looked at then, and is looked at again after another term.
alter table sync_runs add column reviewed_at timestamptz;
create index sync_runs_by_end on sync_runs ((coalesce(reviewed_at, ended_at))) where ended_at is not null;

create index links_by_expiry on links (expires_at, id);
create index connection_timeline_by_time on connection_timeline (at, id);
create index source_files_stored on source_files (received_at, id) where sealed is not null;
create index receipts_by_time on receipts (issued_at, id);
-- Only closed versions have an entry: writing and publishing a new record costs nothing more.
create index record_versions_closed on record_versions (valid_to, id) where valid_to is not null;

-- Up to when closed versions have been deleted: what was published before cannot be read any more. One row.
create table version_horizon (
  only_one boolean primary key default true check (only_one),
  before timestamptz not null
);
