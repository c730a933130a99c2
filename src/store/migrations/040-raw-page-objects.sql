-- The bytes of a raw page may lie in object storage; then `sealed` keeps their head, without which the object cannot be
-- opened, and `object_bytes` says how many follow in the object.
alter table raw_pages add column object_id uuid, add column object_bytes integer;

-- Objects that may lie in the storage and that no page has: announced before an upload, until the page's transaction
-- claims it, or condemned. No foreign keys and no instance: they outlive what they were of. Keys hold ids only.
create table unclaimed_objects (
  -- Instance, connection and object.
  object_key text primary key,
  -- To be removed: nobody may claim it any more.
  is_condemned boolean not null default false,
  -- Condemned then, or to be removed then.
  due_at timestamptz not null
);
create index unclaimed_objects_due on unclaimed_objects (is_condemned, due_at);

-- Trigger: raw pages were deleted, by whatever statement, whose bytes lie in object storage: the objects are to be
-- removed.
create function note_unclaimed_objects() returns trigger language plpgsql as $$
begin
  insert into unclaimed_objects (object_key, is_condemned, due_at)
  select instance_id || '/' || connection_id || '/' || object_id, true, clock_timestamp() from removed where object_id is not null
  on conflict (object_key) do update set is_condemned = true, due_at = excluded.due_at;
  return null;
end
$$;
create trigger raw_pages_objects after delete on raw_pages referencing old table as removed
  for each statement execute function note_unclaimed_objects();
