-- Version: 1
-- Partition of raw pages that were fetched from the day `begins` until before the day `ends`, UTC: a table that inherits from
-- that of all pages, so that every release reads, changes and deletes its rows with the statements that it has. One that is
-- there but was taken out is put back. Nothing is read; a writer of connections waits as long as the foreign key takes to be
-- made. Returns whether it was missing. See docs/decisions/0091.
create or replace function add_page_span(begins date, ends date) returns boolean language plpgsql as $$
declare
  pages constant text := to_char(begins, '"raw_pages_"YYYYMMDD');
begin
  if to_regclass(pages) is null then
    execute format($sql$
      create table %1$s (
        constraint of_span check (fetched_at >= %2$L and fetched_at < %3$L),
        primary key (instance_id, id),
        foreign key (instance_id, connection_id) references connections (instance_id, id) on delete cascade
      ) inherits (raw_pages);
      create index on %1$s (instance_id, connection_id, pull, page, fetched_at desc);
      create index on %1$s (fetched_at);
      create trigger raw_pages_added after insert on %1$s referencing new table as added
        for each statement execute function count_stored_bytes();
      create trigger raw_pages_removed after delete on %1$s referencing old table as removed
        for each statement execute function count_stored_bytes();
      create trigger raw_pages_objects after delete on %1$s referencing old table as removed
        for each statement when (current_setting('countinghouse.pages_move', true) is distinct from 'on')
        execute function note_unclaimed_objects();
    $sql$, pages, begins::timestamp at time zone 'UTC', ends::timestamp at time zone 'UTC');
    perform enforce_instance_isolation(pages::regclass);
  elsif exists (select from pg_inherits where inhrelid = to_regclass(pages)) then
    return false;
  else
    execute format('alter table %I inherit raw_pages', pages);
  end if;
  return true;
end
$$;
