-- Destinations that are no buckets: SFTP servers, and databases into which the change feed is replicated. Of these the
-- columns of a bucket are empty, and `settings` holds what there is to know, without the secret.
alter table export_destinations add column kind text not null default 's3';
alter table export_destinations add column settings jsonb not null default '{}';

-- Replication of the change feed into a destination's database, which holds the token of what it was given last.
create table export_replications (
  instance_id uuid not null,
  destination_id uuid not null,
  -- Each time that it begins anew or is rewound. Rows of an earlier pass go when a pass from the start has seen all.
  pass integer not null default 1,
  -- Position in the feed that goes with the token in the database; with `next_token` instead once that is committed there.
  token uuid,
  position jsonb,
  next_token uuid,
  next_position jsonb,
  error text,
  failures integer not null default 0,
  failing_since timestamptz,
  -- When the database last had everything that was published.
  current_at timestamptz,
  next_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, destination_id),
  foreign key (instance_id, destination_id) references export_destinations (instance_id, id) on delete cascade
);
create index export_replications_due on export_replications (next_at);
select enforce_instance_isolation('export_replications');
