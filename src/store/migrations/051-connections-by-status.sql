-- Transaction: none
-- For counting the connections of a status, and listing those of an instance.
create index concurrently if not exists connections_by_status on connections (status, instance_id);
