-- Version: 1
-- Trigger: deliveries were deleted; their attempts go with them. Not called where deliveries move between tables
-- (`countinghouse.deliveries_move`).
-- NOTE without sequential scans: PostgreSQL keeps the plan of a function that it made while the tables were small.
create or replace function delete_attempts_of_deliveries() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (select from removed where week is not null) then
    delete from delivery_attempts a using removed d where a.instance_id = d.instance_id and a.delivery_id = d.id;
  else
    delete from only delivery_attempts a using removed d where a.instance_id = d.instance_id and a.delivery_id = d.id;
  end if;
  return null;
end
$$;
