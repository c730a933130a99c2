-- Version: 1
-- Text for a comparison that ignores letter case and the accents of Latin letters; ligatures are two letters.
create or replace function to_search_text(of_text text) returns text language sql immutable strict parallel safe as $$
  select case when octet_length(of_text) = char_length(of_text) then lower(of_text) else
    replace(replace(lower(translate(normalize(of_text, NFD), U&'\0300\0301\0302\0303\0304\0306\0307\0308\030A\030B\030C\0323\0327\0328', '')),
      'œ', 'oe'), 'æ', 'ae') end
$$;
