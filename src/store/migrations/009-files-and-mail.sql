-- Folders and SFTP servers with statement files.
create table file_feeds (
  instance_id uuid not null references instances (id),
  id uuid not null,
  name text not null,
  -- Null: each subfolder is named by the id of a company.
  company_id uuid,
  source jsonb not null,
  -- Sealed password or key of an SFTP login.
  secret bytea,
  every_minutes integer not null check (every_minutes >= 1 and every_minutes <= 10080),
  is_paused boolean not null default false,
  next_at timestamptz not null default clock_timestamp(),
  checked_at timestamptz,
  -- Why the last check failed or was incomplete; null: it was complete.
  problem text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade
);
create index file_feeds_due on file_feeds (next_at) where not is_paused;

-- Files in a feed that may still be growing. Names are hashed, because banks put account numbers into them.
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

-- Result of each file.
create table feed_files (
  instance_id uuid not null,
  id uuid not null,
  feed_id uuid not null,
  path_hash bytea not null,
  size bigint not null,
  modified_ms bigint not null,
  content_hash bytea,
  -- Redacted for display.
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

-- Mail queue, written in the transaction that wants the mail; a job sends it.
create table mails (
  instance_id uuid not null references instances (id),
  -- Part of the Message-ID too, so that a mail that is sent twice is recognized.
  id uuid not null,
  kind text not null,
  -- Null for mails to users.
  company_id uuid,
  -- Keyed hash of the address, to count by.
  recipient_hash bytea not null,
  -- Address for display: first letter and domain.
  recipient_shown text not null,
  -- Recipient and content; null once sent or given up.
  sealed bytea,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'refused', 'failed')),
  attempts integer not null default 0,
  -- Last answer of the mail server, or why there was none.
  problem text,
  created_at timestamptz not null default clock_timestamp(),
  settled_at timestamptz,
  primary key (instance_id, id),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade
);
create index mails_newest on mails (instance_id, created_at desc, id);
create index mails_by_recipient on mails (instance_id, recipient_hash, created_at);
create index mails_settled on mails (settled_at) where settled_at is not null;
create index mails_unsettled on mails (created_at) where settled_at is null;

-- Which mails an instance sends by itself.
create table mail_settings (
  instance_id uuid primary key references instances (id),
  -- Whether owners get a mail when a connection needs them.
  writes_to_owners boolean not null default false
);
