-- Transaction: none
-- Finds what a publication changed. What a first publication shows is valid from `-infinity` and has no entry, so a
-- first sync costs nothing more.
create index concurrently if not exists record_versions_changed on record_versions (record_set, valid_from, id)
  where valid_to is null and valid_from > '-infinity';
