-- Rows know their company, by which they could be distributed over several servers (docs/decisions/0078).
alter table raw_pages add column company_id uuid;
alter table sync_runs add column company_id uuid;
alter table run_pages add column company_id uuid;
alter table staged_runs add column company_id uuid;
alter table staged_records add column company_id uuid;
alter table quarantined_records add column company_id uuid;
alter table source_files add column company_id uuid;

-- Trigger: the company of a row that is written without it, as release 1.0.0 does. So only rows from before this
-- migration lack it.
create function fill_company_id() returns trigger language plpgsql as $$
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
create trigger raw_pages_company before insert on raw_pages
  for each row when (new.company_id is null) execute function fill_company_id();
create trigger sync_runs_company before insert on sync_runs
  for each row when (new.company_id is null) execute function fill_company_id();
create trigger run_pages_company before insert on run_pages
  for each row when (new.company_id is null) execute function fill_company_id();
create trigger staged_runs_company before insert on staged_runs
  for each row when (new.company_id is null) execute function fill_company_id();
create trigger staged_records_company before insert on staged_records
  for each row when (new.company_id is null) execute function fill_company_id();
create trigger quarantined_records_company before insert on quarantined_records
  for each row when (new.company_id is null) execute function fill_company_id();
create trigger source_files_company before insert on source_files
  for each row when (new.company_id is null) execute function fill_company_id();

-- Connection up to which rows have been filled: its instance and id. One row, none before the first step.
create table filled_rows (
  only_one boolean primary key default true check (only_one),
  until_instance uuid not null,
  until_connection uuid not null
);

-- Whether rows may lack their company; the service replaces it once none does, and says so in the same transaction.
-- NOTE a constant for the planner, which then drops what it need not look at. In PL/pgSQL, because a function in SQL would
-- be parsed again for each plan.
create function rows_lack_company() returns boolean language plpgsql immutable parallel safe as $$
begin
  return true;
end
$$;
