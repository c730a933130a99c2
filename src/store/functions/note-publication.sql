-- Version: 1
-- Trigger: a publication was changed or removed, by whatever statement of whatever release. A row for each change, never
-- one for two: whoever places a publication removes the rows that it saw, and that of a change which has not committed
-- yet must stay.
create or replace function note_publication() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into unplaced_publications (instance_id, company_id, service_id) values (old.instance_id, old.company_id, old.service_id);
  else
    insert into unplaced_publications (instance_id, company_id, service_id) values (new.instance_id, new.company_id, new.service_id);
  end if;
  return null;
end
$$;
