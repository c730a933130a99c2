-- Parts of the texts of companies, by which they are found under row-level security: conditions on plain text use an
-- index, trigrams do not. See docs/decisions/0097.
create table company_texts (
  instance_id uuid not null,
  -- Name, industry, city, external id.
  field "char" not null check (field in ('n', 'i', 'c', 'e')),
  part text collate "C" not null,
  company_id uuid not null,
  primary key (instance_id, field, part, company_id)
);
select enforce_instance_isolation('company_texts', true);

-- Company up to which the parts of companies from before this migration are stored: its instance and id. One row, none
-- before the first step.
create table filled_company_texts (
  only_one boolean primary key default true check (only_one),
  until_instance uuid not null,
  until_company uuid not null,
  is_done boolean not null default false
);

-- Text for a comparison that ignores letter case and the accents of Latin letters; ligatures are two letters.
create function to_search_text(of_text text) returns text language sql immutable strict parallel safe as $$
  select case when octet_length(of_text) = char_length(of_text) then lower(of_text) else
    replace(replace(lower(translate(normalize(of_text, NFD), U&'\0300\0301\0302\0303\0304\0306\0307\0308\030A\030B\030C\0323\0327\0328', '')),
      'œ', 'oe'), 'æ', 'ae') end
$$;

-- What a company is found by: of each of its texts, the twelve characters that begin at each place. A text contains what
-- one of its parts begins with.
create function search_parts_of(name text, industry text, city text, external_id text)
returns table (field "char", part text) language sql immutable parallel safe rows 60 as $$
  select distinct t.field, substr(t.plain, place, 12) collate "C"
  from (values ('n'::"char", to_search_text(name)), ('i', to_search_text(industry)), ('c', to_search_text(city)), ('e', to_search_text(external_id)))
    t (field, plain)
  cross join lateral generate_series(1, length(t.plain)) place
$$;

-- Trigger: a company was added, changed or removed, by whatever statement of whatever release; what it is found by follows.
-- NOTE each part is looked up by itself: PostgreSQL keeps the plan of a function that it made while the tables were small.
create function note_company_texts() returns trigger language plpgsql set enable_seqscan = off as $$
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

create trigger companies_texts_added after insert or delete on companies for each row execute function note_company_texts();
create trigger companies_texts_changed after update on companies for each row
  when ((old.name, old.industry, old.city, old.external_id) is distinct from (new.name, new.industry, new.city, new.external_id))
  execute function note_company_texts();
