-- Transaction: none
-- For counting the connections of a status, and for lists in the order of statuses.
create index concurrently if not exists connections_by_status_and_id on connections (status, instance_id, id);
