-- Events, deliveries and attempts get partitions by week (docs/decisions/0081), which the service adds and drops. The
-- week of a row names its partition; null: it is in none.
alter table events add column week date;
alter table deliveries add column week date, add column kind text;
alter table event_feeds add column week date;

-- Which events are recorded, by hashes of their keys, for as long as events are kept.
create table event_keys (
  instance_id uuid not null,
  recorded_on date not null default (statement_timestamp() at time zone 'UTC')::date,
  digest bytea not null,
  primary key (instance_id, digest)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);
create index event_keys_by_day on event_keys (recorded_on);
select enforce_instance_isolation('event_keys');

-- For each week of a feed, the position after which its events begin.
create table feed_weeks (
  instance_id uuid not null references instances (id),
  week date not null,
  begins_after bigint not null,
  primary key (instance_id, week)
);
select enforce_instance_isolation('feed_weeks');

-- A foreign key finds rows of one table alone. The triggers below delete what it would.
alter table deliveries drop constraint deliveries_instance_id_event_id_fkey;
alter table delivery_attempts drop constraint delivery_attempts_instance_id_delivery_id_fkey;

-- Trigger: an event is recorded, by whatever release. A hash of its key is recorded with it, in a table of its own: the
-- event moves to the partition of its week, where a unique index could not find it. An event whose key is known is not
-- inserted.
create function claim_event_key() returns trigger language plpgsql as $$
begin
  insert into event_keys (instance_id, digest) values (new.instance_id, substring(sha256(convert_to(new.dedupe_key, 'UTF8')) for 16))
    on conflict do nothing;
  return case when found then new end;
end
$$;

-- Trigger: events were deleted; their deliveries go with them. An event without a position has none, also while it
-- moves to its partition. Deliveries of events that never moved are not in partitions either.
-- NOTE without sequential scans: PostgreSQL keeps the plan of a function that it made while the tables were small.
create function delete_deliveries_of_events() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if not exists (select from removed where position is not null) then
    return null;
  end if;
  if exists (select from removed where week is not null) then
    delete from deliveries d using removed e where d.instance_id = e.instance_id and d.event_id = e.id and e.position is not null;
  else
    delete from only deliveries d using removed e where d.instance_id = e.instance_id and d.event_id = e.id and e.position is not null;
  end if;
  return null;
end
$$;

-- Trigger: deliveries were deleted; their attempts go with them. Not called where deliveries move between tables
-- (`countinghouse.deliveries_move`).
-- NOTE without sequential scans: PostgreSQL keeps the plan of a function that it made while the tables were small.
create function delete_attempts_of_deliveries() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (select from removed where week is not null) then
    delete from delivery_attempts a using removed d where a.instance_id = d.instance_id and a.delivery_id = d.id;
  else
    delete from only delivery_attempts a using removed d where a.instance_id = d.instance_id and a.delivery_id = d.id;
  end if;
  return null;
end
$$;

-- Trigger: a delivery is made that does not say the kind of its event, as release 1.0.0 makes it. The event may have one
-- that is finished, in a partition, where `on conflict` does not look: that one is taken back and due again. A row that is
-- not finished is locked first, because it moves to the partition when it is.
-- NOTE `execute` plans each time: PostgreSQL would keep a plan that it made while the tables were small.
create function find_finished_delivery() returns trigger language plpgsql as $$
declare
  finished deliveries;
  found_one uuid;
begin
  execute 'select id from only deliveries where instance_id = $1 and subscription_id = $2 and event_id = $3 for update'
    into found_one using new.instance_id, new.subscription_id, new.event_id;
  if found_one is not null then
    return new;
  end if;
  perform set_config('countinghouse.deliveries_move', 'on', true);
  execute 'delete from deliveries where instance_id = $1 and subscription_id = $2 and event_id = $3 returning *'
    into finished using new.instance_id, new.subscription_id, new.event_id;
  perform set_config('countinghouse.deliveries_move', '', true);
  if finished.id is not null then
    new.id := finished.id;
    new.attempt_count := finished.attempt_count;
    new.created_at := finished.created_at;
    new.delivered_at := finished.delivered_at;
    new.week := finished.week;
    new.kind := finished.kind;
  end if;
  return new;
end
$$;

create trigger events_claim_key before insert on events for each row execute function claim_event_key();
create trigger events_deleted after delete on events referencing old table as removed
  for each statement execute function delete_deliveries_of_events();
create trigger deliveries_deleted after delete on deliveries referencing old table as removed
  for each statement when (current_setting('countinghouse.deliveries_move', true) is distinct from 'on')
  execute function delete_attempts_of_deliveries();
create trigger deliveries_found before insert on deliveries for each row when (new.kind is null)
  execute function find_finished_delivery();
