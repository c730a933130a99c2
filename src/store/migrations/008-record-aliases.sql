-- Records that came back from a reconnect under another id of their source: they go on as the record they were. Kept after a disconnect, so
-- that ids stay what they were; gone with the company.
create table record_aliases (
  instance_id uuid not null,
  company_id uuid not null,
  service_id uuid not null,
  entity text not null,
  -- As the source calls it now.
  orig_id text not null,
  id uuid not null,
  -- As the source called it first, which readers still see.
  kept_orig_id text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, company_id, service_id, entity, orig_id),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade
);
create index record_aliases_of on record_aliases (instance_id, company_id, service_id, entity, id);

-- Authorized again: the next complete listing may show known accounts under other ids.
alter table connections add column reidentify boolean not null default false;

-- Two names at the source can mean one record, which must not be published twice.
alter table staged_records drop constraint staged_records_pkey, add primary key (instance_id, run_id, entity, id);
