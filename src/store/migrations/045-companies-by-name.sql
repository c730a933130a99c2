-- Transaction: none
-- For the order of a list of many companies, and for finding one.
create index concurrently if not exists companies_by_name on companies (instance_id, name, id);
