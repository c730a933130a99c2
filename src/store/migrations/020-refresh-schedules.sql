-- How often a connection is read, in minutes; 0: never. Null: as often as its service.
alter table connections add column refresh_minutes integer;

-- How often an instance has a service read, in minutes; 0: never. A service without a row is read as often as its connector says.
create table refresh_schedules (
  instance_id uuid not null references instances (id) on delete cascade,
  service_id uuid not null,
  -- Of a source itself, whose schedule is also that of the banks reached through it; null: the service is one such bank.
  connector_key text,
  minutes integer not null check (minutes = 0 or minutes between 15 and 43200),
  primary key (instance_id, service_id)
);
select enforce_instance_isolation('refresh_schedules');
