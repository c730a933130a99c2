-- Version: 3
-- Trigger: bytes of raw pages and files by connection. A connection's first row is the sum of what it has; from then on
-- each change adds its difference. NOTE whoever counts a connection holds its instance's lock shared, and whoever
-- deletes from one that is not counted yet holds it alone: so no sum holds a row that is gone.
create or replace function count_stored_bytes() returns trigger language plpgsql as $$
declare
  one record;
  size constant text := case
    when tg_table_name like 'raw\_pages%' then 'octet_length(sealed) + coalesce(object_bytes, 0)' else 'octet_length(sealed)' end;
begin
  -- Transition tables exist for their operation only.
  for one in execute replace(case tg_op
    when 'INSERT' then 'select instance_id, connection_id, sum(SIZE) as bytes from added group by 1, 2 order by 1, 2'
    when 'DELETE' then 'select instance_id, connection_id, -sum(SIZE) as bytes from removed group by 1, 2 order by 1, 2'
    else 'select instance_id, connection_id, sum(bytes) as bytes from (
        select instance_id, connection_id, SIZE as bytes from added
        union all select instance_id, connection_id, -(SIZE) from removed) c group by 1, 2 order by 1, 2'
    end, 'SIZE', size)
  loop
    continue when coalesce(one.bytes, 0) = 0;
    update stored_bytes s set bytes = s.bytes + one.bytes where s.instance_id = one.instance_id and s.connection_id = one.connection_id;
    continue when found;
    if one.bytes < 0 then
      perform pg_advisory_xact_lock(hashtextextended('stored bytes/' || one.instance_id, 0));
      update stored_bytes s set bytes = s.bytes + one.bytes where s.instance_id = one.instance_id and s.connection_id = one.connection_id;
    else
      perform pg_advisory_xact_lock_shared(hashtextextended('stored bytes/' || one.instance_id, 0));
      insert into stored_bytes as s (instance_id, connection_id, bytes)
      select one.instance_id, one.connection_id,
        coalesce((select sum(octet_length(p.sealed) + coalesce(p.object_bytes, 0)) from raw_pages p
          where p.instance_id = one.instance_id and p.connection_id = one.connection_id), 0)
        + coalesce((select sum(octet_length(f.sealed)) from source_files f
          where f.instance_id = one.instance_id and f.connection_id = one.connection_id), 0)
      on conflict (instance_id, connection_id) do update set bytes = s.bytes + one.bytes;
    end if;
  end loop;
  return null;
end
$$;
