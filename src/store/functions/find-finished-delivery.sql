-- Version: 1
-- Trigger: a delivery is made that does not say the kind of its event, as release 1.0.0 makes it. The event may have one
-- that is finished, in a partition, where `on conflict` does not look: that one is taken back and due again. A row that is
-- not finished is locked first, because it moves to the partition when it is.
-- NOTE `execute` plans each time: PostgreSQL would keep a plan that it made while the tables were small.
create or replace function find_finished_delivery() returns trigger language plpgsql as $$
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
