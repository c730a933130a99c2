-- Accounts of one company at two services that are one account. Each pair is in the table once, the smaller id first.
create table account_matches (
  instance_id uuid not null,
  company_id uuid not null,
  account_id uuid not null,
  service_id uuid not null,
  other_account_id uuid not null,
  other_service_id uuid not null,
  -- Codes with their parts, in the order of weight.
  reasons jsonb not null,
  matched_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, company_id, account_id, other_account_id),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade,
  check (account_id < other_account_id)
);
select enforce_instance_isolation('account_matches');
