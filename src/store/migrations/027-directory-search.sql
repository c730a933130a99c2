-- Raised with each change of a directory that a search in it could meet: each process searches in memory (store/sources/institution-search.ts) and asks
-- for this number first. A search in the table read all of it, twice.
create table directories (
  connector_key text primary key,
  version bigint not null
);

drop index institutions_first;
drop index institutions_routing;
