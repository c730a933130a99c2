-- The customer's own id of a company, unique in the instance, and the customer's own pairs of name and value.
alter table companies add column external_id text, add column metadata jsonb not null default '{}';
