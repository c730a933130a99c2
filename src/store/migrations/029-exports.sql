-- Exports of published data as files. A file is what was published when the export was requested.
create table exports (
  instance_id uuid not null references instances (id) on delete cascade,
  id uuid not null,
  -- Null: all companies of the instance.
  company_id uuid,
  category text not null check (category in ('Accounting', 'Banking')),
  entity text not null check (entity in ('Accounts', 'Transactions')),
  format text not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'completed', 'failed', 'erased')),
  requested_by text not null,
  requested_at timestamptz not null default clock_timestamp(),
  -- Where the work goes on: part, the last record of it that is in the file, and how many of it are.
  part integer not null default 0,
  after_id uuid not null default '00000000-0000-0000-0000-000000000000',
  part_rows bigint not null default 0,
  chunks integer not null default 0,
  rows bigint not null default 0,
  bytes bigint not null default 0,
  error text,
  ended_at timestamptz,
  primary key (instance_id, id),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade
);
create index exports_by_request on exports (instance_id, requested_at);
create index exports_of_company on exports (instance_id, company_id);
select enforce_instance_isolation('exports');

-- Record sets of an export, each pinned to its publication.
create table export_parts (
  instance_id uuid not null,
  export_id uuid not null,
  part integer not null,
  company_id uuid not null,
  service_id uuid not null,
  published_at timestamptz not null,
  -- Records of the publication.
  records bigint not null,
  primary key (instance_id, export_id, part),
  foreign key (instance_id, export_id) references exports (instance_id, id) on delete cascade
);
create index export_parts_of_service on export_parts (instance_id, company_id, service_id);
select enforce_instance_isolation('export_parts');

-- Pieces of the files.
create table export_chunks (
  instance_id uuid not null,
  id uuid not null,
  export_id uuid not null,
  number integer not null,
  -- Place of its first byte in the file.
  starts_at bigint not null,
  bytes integer not null,
  -- What the end of the file says of this piece, in formats that have such an end.
  summary jsonb,
  -- Compressed and sealed.
  sealed bytea not null,
  primary key (instance_id, id),
  unique (instance_id, export_id, number),
  foreign key (instance_id, export_id) references exports (instance_id, id) on delete cascade
);
select enforce_instance_isolation('export_chunks');
