-- Transaction: none
-- Of one instance no two companies have the same external id.
create unique index concurrently if not exists companies_by_external_id on companies (instance_id, external_id) where external_id is not null;
