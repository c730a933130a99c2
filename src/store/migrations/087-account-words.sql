-- Words of the names, numbers and ids of published accounts, by which they are found over a whole instance. Conditions
-- on plain text use an index under row-level security; those of text search do not. See docs/decisions/0083.
create table account_words (
  instance_id uuid not null,
  company_id uuid not null,
  record_set bigint not null,
  -- Of the account.
  id uuid not null,
  word text collate "C" not null,
  primary key (record_set, id, word, company_id)
);
create index account_words_by_word on account_words (instance_id, word, record_set, id);
select enforce_instance_isolation('account_words', true);

-- Publications that were changed or removed since the words of their accounts were stored.
create table unindexed_publications (
  instance_id uuid not null,
  id uuid not null default gen_random_uuid(),
  company_id uuid not null,
  service_id uuid not null,
  noted_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id)
);
create index unindexed_publications_by_time on unindexed_publications (noted_at, id);
select enforce_instance_isolation('unindexed_publications');

-- Last publication whose words were stored by the walk over those from before this migration. One row.
create table indexed_publications (
  only_one boolean primary key default true check (only_one),
  until_key text not null,
  is_done boolean not null default false
);
