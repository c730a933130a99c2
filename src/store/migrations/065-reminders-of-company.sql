-- Transaction: none
-- For the reminders about a company, which go with it.
create index concurrently if not exists reminders_of_company on reminders (instance_id, company_id);
