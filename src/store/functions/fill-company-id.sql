-- Version: 1
-- Trigger: the company of a row that is written without it, as release 1.0.0 does.
create or replace function fill_company_id() returns trigger language plpgsql as $$
begin
  if tg_table_name in ('run_pages', 'staged_runs', 'staged_records') then
    select c.company_id into new.company_id from sync_runs r join connections c on c.instance_id = r.instance_id and c.id = r.connection_id
    where r.instance_id = new.instance_id and r.id = new.run_id;
  else
    select c.company_id into new.company_id from connections c where c.instance_id = new.instance_id and c.id = new.connection_id;
  end if;
  return new;
end
$$;
