-- Version: 2
-- Trigger: a publication was changed or removed, by whatever statement of whatever release. A row for each change, never
-- one for two: whoever reads a publication removes the rows that it saw, and that of a change which has not committed
-- yet must stay.
create or replace function note_publication() returns trigger language plpgsql as $$
declare
  changed record := case tg_op when 'DELETE' then old else new end;
begin
  insert into unplaced_publications (instance_id, company_id, service_id) values (changed.instance_id, changed.company_id, changed.service_id);
  insert into unindexed_publications (instance_id, company_id, service_id) values (changed.instance_id, changed.company_id, changed.service_id);
  return null;
end
$$;
