-- Transaction: none
-- For the receipts of an instance in their order: the index by time has all instances.
create index concurrently if not exists receipts_of_instance on receipts (instance_id, issued_at, id);
