-- Transaction: none
-- For the order of a list of many companies, and for those of one value.
create index concurrently if not exists companies_by_country on companies (instance_id, country, id);
