-- Lists of all connections by their creation, and counts of runs by day, without reading the rows themselves.
create index connections_by_creation on connections (instance_id, created_at, id);
drop index sync_runs_by_time;
create index sync_runs_by_time on sync_runs (instance_id, started_at) include (state);

-- Runs and deliveries of a day that is over, by state: a month of usage is read without counting a month of runs.
create table usage_days (
  instance_id uuid not null references instances (id) on delete cascade,
  day date not null,
  runs jsonb not null,
  deliveries jsonb not null,
  primary key (instance_id, day)
);
select enforce_instance_isolation('usage_days');
