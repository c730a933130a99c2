-- Version: 1
-- Trigger: raw pages were deleted, by whatever statement, whose bytes lie in object storage: the objects are to be removed.
create or replace function note_unclaimed_objects() returns trigger language plpgsql as $$
begin
  insert into unclaimed_objects (object_key, is_condemned, due_at)
  select instance_id || '/' || connection_id || '/' || object_id, true, clock_timestamp() from removed where object_id is not null
  on conflict (object_key) do update set is_condemned = true, due_at = excluded.due_at;
  return null;
end
$$;
