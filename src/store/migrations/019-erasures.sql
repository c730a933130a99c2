-- Instances that operators have erased, or are erasing: what remains of them. The rows belong to the deployment.
create table instance_erasures (
  instance_id uuid not null default '00000000-0000-0000-0000-000000000000',
  id uuid not null,
  erased_id uuid not null unique,
  name text not null,
  kind text not null,
  requested_at timestamptz not null,
  -- Connections whose access was to be revoked at the source, and those whose source could not be told in time.
  revocations integer not null default 0,
  unrevoked integer not null default 0,
  -- Deleted rows by table.
  deleted jsonb not null default '{}',
  completed_at timestamptz,
  -- Compact JSON Web Signature.
  receipt text,
  primary key (instance_id, id)
);
select enforce_instance_isolation('instance_erasures');
