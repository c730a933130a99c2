-- Folders and SFTP servers where statement files arrive by themselves.
create table file_feeds (
  instance_id uuid not null references instances (id),
  id uuid not null,
  name text not null,
  -- Null: each folder of the feed is named by the id of a company.
  company_id uuid,
  source jsonb not null,
  -- Password or key of an SFTP login.
  secret bytea,
  every_minutes integer not null check (every_minutes between 1 and 10080),
  is_paused boolean not null default false,
  next_at timestamptz not null default clock_timestamp(),
  checked_at timestamptz,
  -- Why the last look found out nothing, or not all; null when it did.
  problem text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade
);
create index file_feeds_due on file_feeds (next_at) where not is_paused;

-- Files that lie in a feed and may still be growing. Names are kept as hashes: banks put account numbers into them.
create table feed_arrivals (
  instance_id uuid not null,
  feed_id uuid not null,
  path_hash bytea not null,
  size bigint not null,
  modified_ms bigint not null,
  seen_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, feed_id, path_hash),
  foreign key (instance_id, feed_id) references file_feeds (instance_id, id) on delete cascade
);

-- What became of each file.
create table feed_files (
  instance_id uuid not null,
  id uuid not null,
  feed_id uuid not null,
  path_hash bytea not null,
  size bigint not null,
  modified_ms bigint not null,
  content_hash bytea,
  -- Fit to be shown.
  name text not null,
  company_id uuid not null,
  connection_id uuid,
  state text not null check (state in ('imported', 'duplicate', 'quarantined')),
  reason text,
  settled_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id),
  foreign key (instance_id, feed_id) references file_feeds (instance_id, id) on delete cascade
);
create index feed_files_by_path on feed_files (instance_id, feed_id, path_hash, size, modified_ms);
create index feed_files_newest on feed_files (instance_id, feed_id, settled_at desc, id);
