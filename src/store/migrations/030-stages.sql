-- What a run stages is written once and read once: it need not outlive a crash of PostgreSQL, and writing it ahead cost as much as writing what is
-- published. A table that is not logged is empty after a crash; `stages` says whether it still holds what its run has staged, for it is empty then
-- too, and such a run begins anew. So does a run that was under way when this migration came. See docs/decisions/0019.
drop table staged_records;

create unlogged table stages (
  instance_id uuid not null,
  run_id uuid not null,
  primary key (instance_id, run_id)
);

create unlogged table staged_records (
  instance_id uuid not null,
  run_id uuid not null,
  entity text not null,
  id uuid not null,
  seq bigint not null,
  raw_page_id uuid,
  raw_index integer not null default 0,
  mapping_version integer not null default 0,
  orig_id text not null,
  source_version text,
  sort_key text not null default '',
  content_hash bytea,
  doc text,
  -- The id tells records apart; after the entity, two of them had to be compared as text first.
  primary key (instance_id, run_id, id, entity)
);
-- For the publication, which reads them in the order in which they were written. Partial, so that PostgreSQL can take it for nothing else, whatever it
-- knows of the table: looking up one record by it means to read all of the run.
create index staged_records_by_page on staged_records (run_id, seq) where seq >= 0;

select keep_instances_apart('stages');
select keep_instances_apart('staged_records', by_the_thousand => true);

-- What is sealed or random is not made smaller by trying.
alter table raw_pages alter column sealed set storage external;
alter table run_pages alter column seen set storage external;
