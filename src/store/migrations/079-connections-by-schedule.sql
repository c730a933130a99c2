-- Transaction: none
-- For lists in the order of the next scheduled refresh.
create index concurrently if not exists connections_by_schedule on connections (instance_id, update_scheduled_at, id) where status not in (6, 7, 8, 20, 26, 27);
