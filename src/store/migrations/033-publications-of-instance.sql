-- Transaction: none
-- Finds the publications of an instance that its change feed has not placed yet.
create index concurrently if not exists publications_of_instance on publications (instance_id, company_id, service_id);
