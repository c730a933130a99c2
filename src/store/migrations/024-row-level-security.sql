-- The second net: whatever a query forgets to say, the database shows and takes only rows of the instance that `countinghouse.instance` names;
-- `*` names all. Whoever says nothing gets an error, not an empty table that looks like the truth. FORCE, because the service owns its tables.
-- See docs/decisions/0017.
--
-- A migration that makes a table with instance_id calls this. By row, the setting makes no query slower to plan; for a table that is read or
-- written by the thousand it is read once for a query, which costs 25 µs of planning and saves 0.2 µs a row. NOTE both are a `coalesce`
-- because the planner guesses that a condition of that kind leaves half of the rows; of a bare one it guesses one in two hundred.
create function keep_instances_apart(of_table regclass, by_the_thousand boolean default false, of_column text default 'instance_id')
returns void language plpgsql as $$
declare
  setting constant text := $sql$current_setting('countinghouse.instance')$sql$;
  condition text;
begin
  if by_the_thousand then
    -- Null, and so true, for `*` alone.
    condition := format($sql$coalesce(%I = (select nullif(%s, '*')::uuid), true)$sql$, of_column, setting);
  else
    condition := format($sql$coalesce(%2$s = '*' or %2$s = %1$I::text, false)$sql$, of_column, setting);
  end if;
  execute format('alter table %s enable row level security, force row level security', of_table);
  execute format('create policy one_instance on %s using (%s) with check (%2$s)', of_table, condition);
end
$$;

select keep_instances_apart('instances', of_column => 'id');
select keep_instances_apart(c.oid, by_the_thousand => c.relname in ('record_versions', 'staged_records', 'jobs'))
from pg_class c join pg_attribute a on a.attrelid = c.oid
where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attname = 'instance_id' and not a.attisdropped;
