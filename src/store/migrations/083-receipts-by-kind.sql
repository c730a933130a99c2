-- Transaction: none
-- For the receipts of an instance by kind.
create index concurrently if not exists receipts_by_kind on receipts (instance_id, kind, id);
