-- Version: 1
-- What a company is found by: of each of its texts, the twelve characters that begin at each place. A text contains what
-- one of its parts begins with.
create or replace function search_parts_of(name text, industry text, city text, external_id text)
returns table (field "char", part text) language sql immutable parallel safe rows 60 as $$
  select distinct t.field, substr(t.plain, place, 12) collate "C"
  from (values ('n'::"char", to_search_text(name)), ('i', to_search_text(industry)), ('c', to_search_text(city)), ('e', to_search_text(external_id)))
    t (field, plain)
  cross join lateral generate_series(1, length(t.plain)) place
$$;
