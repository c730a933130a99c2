-- Version: 1
-- Trigger: a company was added, changed or removed, by whatever statement of whatever release; what it is found by follows.
-- NOTE each part is looked up by itself: PostgreSQL keeps the plan of a function that it made while the tables were small.
create or replace function note_company_texts() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if tg_op <> 'INSERT' then
    delete from company_texts where ctid = any (array(
      select (select t.ctid from company_texts t
        where t.instance_id = old.instance_id and t.field = s.field and t.part = s.part and t.company_id = old.id)
      from search_parts_of(old.name, old.industry, old.city, old.external_id) s));
  end if;
  if tg_op <> 'DELETE' then
    insert into company_texts (instance_id, field, part, company_id)
      select new.instance_id, s.field, s.part, new.id from search_parts_of(new.name, new.industry, new.city, new.external_id) s
      on conflict do nothing;
  end if;
  return null;
end
$$;
