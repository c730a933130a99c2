-- Transaction: none
-- For ranges and the order of `createdOn` over many companies.
create index concurrently if not exists companies_by_creation on companies (instance_id, created_at, id);
