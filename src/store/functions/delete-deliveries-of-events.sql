-- Version: 1
-- Trigger: events were deleted; their deliveries go with them. An event without a position has none, also while it
-- moves to its partition. Deliveries of events that never moved are not in partitions either.
-- NOTE without sequential scans: PostgreSQL keeps the plan of a function that it made while the tables were small.
create or replace function delete_deliveries_of_events() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if not exists (select from removed where position is not null) then
    return null;
  end if;
  if exists (select from removed where week is not null) then
    delete from deliveries d using removed e where d.instance_id = e.instance_id and d.event_id = e.id and e.position is not null;
  else
    delete from only deliveries d using removed e where d.instance_id = e.instance_id and d.event_id = e.id and e.position is not null;
  end if;
  return null;
end
$$;
