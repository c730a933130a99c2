-- Transaction: none
-- For the connections that need somebody.
create index concurrently if not exists connections_with_fault on connections (instance_id, updated_at, id) where fault_code is not null;
