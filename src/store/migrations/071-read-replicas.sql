-- Read replicas (docs/decisions/0077): marks, which a replica shows once it has replayed them, and who changed what last.
-- Both stay empty where no replicas are read.

-- Marks: a replica that shows a mark has everything that was committed before it was written.
create table read_marks (
  slot smallint primary key check (slot between 0 and 4095),
  id uuid not null,
  position pg_lsn not null,
  written_at timestamptz not null
);

-- Position of the last change that a session or an API key made by the API. Unlogged: rows that a crash or a failover
-- takes are known to be gone by the epoch, which goes with them.
create unlogged table recent_changes (
  instance_id uuid not null,
  grant_id uuid not null,
  position pg_lsn not null,
  changed_at timestamptz not null,
  primary key (grant_id)
);
create index recent_changes_by_time on recent_changes (changed_at);
select enforce_instance_isolation('recent_changes');

create unlogged table recent_changes_epoch (
  is_only boolean primary key default true check (is_only),
  id uuid not null
);
