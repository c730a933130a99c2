-- Transaction: none
-- For lists in the order of the last change, and for the connections changed since a time.
create index concurrently if not exists connections_by_update on connections (instance_id, updated_at, id);
