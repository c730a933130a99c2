-- Transaction: none
-- For the receipts of an instance by the name of the service.
create index concurrently if not exists receipts_by_service_name on receipts (instance_id, service_name, id);
