-- Transaction: none
-- For the connections that are late, which the inbox asks for every few seconds.
create index concurrently if not exists connections_in_trouble on connections (instance_id, updated_at, id) where trouble is not null;
