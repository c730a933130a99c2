-- Publications that were changed or removed and may have no place in their instance's change feed yet: a read of the
-- feed looks at these instead of comparing all publications of the instance.
create table unplaced_publications (
  instance_id uuid not null,
  id uuid not null default gen_random_uuid(),
  company_id uuid not null,
  service_id uuid not null,
  noted_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id)
);
create index unplaced_publications_in_order on unplaced_publications (instance_id, noted_at, id);
create index unplaced_publications_by_time on unplaced_publications (noted_at, id);
select enforce_instance_isolation('unplaced_publications');

-- A row for each change, never one for two: whoever places a publication removes the rows that it saw, and that of a
-- change which has not committed yet must stay.
create function note_publication() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into unplaced_publications (instance_id, company_id, service_id) values (old.instance_id, old.company_id, old.service_id);
  else
    insert into unplaced_publications (instance_id, company_id, service_id) values (new.instance_id, new.company_id, new.service_id);
  end if;
  return null;
end
$$;
create trigger publications_noted after insert or update or delete on publications for each row execute function note_publication();

-- When a feed was last compared with all publications; null: not since changes are noted.
alter table change_feeds add column compared_at timestamptz;
