-- Object storage (S3) of a customer, to which exports are delivered.
create table export_destinations (
  instance_id uuid not null references instances (id) on delete cascade,
  id uuid not null,
  name text not null,
  endpoint text not null,
  region text not null,
  bucket text not null,
  prefix text not null,
  access_key_id text not null,
  -- Sealed secret access key.
  secret bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id)
);
select enforce_instance_isolation('export_destinations');

create table export_deliveries (
  instance_id uuid not null,
  export_id uuid not null,
  destination_id uuid not null,
  object_key text not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed', 'erased', 'unreached')),
  -- Multipart upload under way, and the ETags of its parts.
  upload_id text,
  etags text[] not null default '{}',
  error text,
  primary key (instance_id, export_id),
  foreign key (instance_id, export_id) references exports (instance_id, id) on delete cascade,
  foreign key (instance_id, destination_id) references export_destinations (instance_id, id) on delete cascade
);
create index export_deliveries_of_destination on export_deliveries (instance_id, destination_id);
select enforce_instance_isolation('export_deliveries');
