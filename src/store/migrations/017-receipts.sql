-- Addresses of owners' own pages, kept by the keyed hash of their token.
create table owner_accesses (
  instance_id uuid not null,
  id uuid not null,
  company_id uuid not null,
  token_hash bytea not null unique,
  created_at timestamptz not null default clock_timestamp(),
  revoked_at timestamptz,
  primary key (instance_id, id),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade
);
create index owner_accesses_of_company on owner_accesses (instance_id, company_id, created_at);

-- What owners keep as proof. `signed` is the whole receipt, as a compact JSON Web Signature.
create table receipts (
  instance_id uuid not null,
  id uuid not null,
  company_id uuid not null,
  connection_id uuid not null,
  kind text not null check (kind in ('withdrawal', 'deletion')),
  issued_at timestamptz not null,
  service_name text not null,
  signed text not null,
  primary key (instance_id, id),
  unique (instance_id, connection_id, kind),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade
);
create index receipts_of_company on receipts (instance_id, company_id, issued_at);

alter table connections
  -- Who keeps a suspended connection from being read: either may, and both at once.
  add column owner_paused_at timestamptz,
  add column operator_suspended_at timestamptz,
  -- The data of an ended connection is locked until then, for its owner to fetch; null: there is none, or it is being erased.
  add column erase_at timestamptz,
  add column erased_at timestamptz;
create index connections_to_erase on connections (erase_at) where erase_at is not null;

-- The bank that the owner chose last, so that the link comes back to it.
alter table links add column institution_id text;
