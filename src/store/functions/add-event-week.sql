-- Version: 1
-- Partitions of events, deliveries and attempts for the week that begins on `week` (a Monday): tables that inherit from
-- those of all weeks, so that every release reads, changes and deletes their rows with the statements that it has. One that
-- is there but was taken out of its table is put back. Nothing is read, and no writer waits: a table that inherits locks the
-- other one against changes of its schema alone. Returns the names of those that were missing. See docs/decisions/0081.
create or replace function add_event_week(week date) returns text[] language plpgsql as $$
declare
  of_week constant text := format('constraint of_week check (week is not null and week = date %L)', week);
  of_table text;
  partition text;
  missing text[] := '{}';
begin
  foreach of_table in array array['events', 'deliveries', 'delivery_attempts'] loop
    partition := of_table || to_char(week, '"_"YYYYMMDD');
    if to_regclass(partition) is null then
      execute format(case of_table
        when 'events' then $sql$
          create table %1$s (%2$s, check (position is not null), primary key (instance_id, id)) inherits (events);
          create unique index on %1$s (instance_id, position);
          create index on %1$s (instance_id, created_at);
          create index on %1$s (instance_id, company_id);
        $sql$ when 'deliveries' then $sql$
          create table %1$s (%2$s, primary key (instance_id, id), unique (instance_id, subscription_id, event_id)) inherits (deliveries);
          create index on %1$s (instance_id, event_id);
          create index on %1$s (instance_id, created_at, id);
          create index on %1$s (instance_id, status, created_at, id) where status <> 'delivered';
          create index on %1$s (instance_id, subscription_id, due_at) where status = 'pending';
          create index on %1$s (instance_id, subscription_id) where lease is not null;
        $sql$ else $sql$
          create table %1$s (primary key (instance_id, delivery_id, number)) inherits (delivery_attempts);
        $sql$ end, partition, of_week);
      if of_table <> 'delivery_attempts' then
        execute format('alter table %I alter column week set default date %L', partition, week);
      end if;
      perform enforce_instance_isolation(partition::regclass, of_table = 'deliveries');
    elsif exists (select from pg_inherits where inhrelid = to_regclass(partition)) then
      continue;
    else
      execute format('alter table %I inherit %I', partition, of_table);
    end if;
    missing := missing || partition;
  end loop;
  return missing;
end
$$;
