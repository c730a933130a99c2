-- Version: 1
-- Trigger: an event is recorded, by whatever release. A hash of its key is recorded with it, in a table of its own: the
-- event moves to the partition of its week, where a unique index could not find it. An event whose key is known is not
-- inserted.
create or replace function claim_event_key() returns trigger language plpgsql as $$
begin
  insert into event_keys (instance_id, digest) values (new.instance_id, substring(sha256(convert_to(new.dedupe_key, 'UTF8')) for 16))
    on conflict do nothing;
  return case when found then new end;
end
$$;
