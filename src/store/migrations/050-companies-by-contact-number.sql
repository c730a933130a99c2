-- Transaction: none
-- For the order of a list of many companies, and for those of one value.
create index concurrently if not exists companies_by_contact_number on companies (instance_id, contact_number, id);
