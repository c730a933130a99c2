-- Transaction: none
-- For the mails about a company, which go with it.
create index concurrently if not exists mails_of_company on mails (instance_id, company_id, created_at);
