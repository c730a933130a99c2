-- Said before what readers see of a publication changes, so that no process goes on serving what it keeps (docs/decisions/0008).
create table publication_changes (
  instance_id uuid not null,
  id uuid not null default gen_random_uuid(),
  key text not null,
  announced_at timestamptz not null default clock_timestamp(),
  -- Set by the transaction that makes the change.
  made_at timestamptz,
  primary key (instance_id, id)
);
create index publication_changes_of_key on publication_changes (key) where made_at is null;
