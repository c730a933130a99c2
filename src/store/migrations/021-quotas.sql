-- What one instance may have at once. A row of `instance_quotas` takes the place of the deployment's default, which the
-- service writes at its start; without both there is no bound.
create table quota_defaults (
  name text primary key,
  bound bigint not null check (bound >= 0)
);

create table instance_quotas (
  instance_id uuid not null references instances (id) on delete cascade,
  name text not null,
  bound bigint not null check (bound >= 0),
  primary key (instance_id, name)
);
select enforce_instance_isolation('instance_quotas');

-- Uploads that are being received, of all processes; one that a process has left behind ends by itself.
create table uploads_in_flight (
  instance_id uuid not null references instances (id) on delete cascade,
  id uuid not null,
  expires_at timestamptz not null,
  primary key (instance_id, id)
);
select enforce_instance_isolation('uploads_in_flight');
