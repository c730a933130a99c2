-- Which banks an owner sees first: those connected here of late, counted each night over the whole deployment; then the provider's own order.
alter table institutions add column connected integer not null default 0, add column provider_rank integer;

create index institutions_first on institutions (connector_key, connected desc, provider_rank, name, id) where closed_at is null;
