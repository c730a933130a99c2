-- What the owner’s pages show of an instance. No row: its name, no contact, default colours and purpose.
create table owner_pages (
  instance_id uuid primary key references instances (id),
  -- Empty: the name of the instance.
  public_name text not null default '' check (length(public_name) <= 100),
  -- E-mail or https address for owners; empty: none.
  contact text not null default '' check (length(contact) <= 320),
  accent_light text check (accent_light ~ '^#[0-9a-f]{6}$'),
  accent_dark text check (accent_dark ~ '^#[0-9a-f]{6}$'),
  default_language text check (default_language in ('en', 'fr-CA')),
  -- Purposes on offer, in order; their texts are in purpose_versions. Empty: the deployment’s own.
  purpose_keys text[] not null default '{}',
  default_purpose text,
  -- Prefixes that a return address must have: an origin with a path.
  return_addresses text[] not null default '{}',
  logo bytea check (octet_length(logo) <= 102400),
  logo_type text check (logo_type in ('image/png', 'image/jpeg', 'image/webp')),
  logo_hash text,
  updated_at timestamptz not null default clock_timestamp(),
  time_zone text
);

-- Purposes of data access, in both languages. A change makes a version; none is changed or removed.
create table purpose_versions (
  instance_id uuid not null references instances (id),
  key text not null check (key ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  version integer not null check (version > 0),
  text_en text not null,
  text_fr text not null,
  duration_days integer not null check (duration_days >= 1 and duration_days <= 3650),
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, key, version)
);

-- Texts shown to owners before they agreed, word for word in both languages; equal texts are stored once.
create table consent_texts (
  instance_id uuid not null references instances (id),
  hash bytea not null,
  texts jsonb not null,
  primary key (instance_id, hash)
);

-- The consent ledger: one row per consent and connection that it led to. No network addresses.
create table consents (
  instance_id uuid not null,
  id uuid not null,
  company_id uuid not null,
  -- Service of the link; the connection may be one of its banks.
  service_id uuid not null,
  link_id uuid not null,
  -- Null until the source’s own step is completed.
  connection_id uuid,
  purpose_key text not null,
  -- 0: the deployment’s own text.
  purpose_version integer not null,
  text_hash bytea not null,
  language text not null check (language in ('en', 'fr-CA')),
  duration_days integer not null,
  given_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  ended_how text check (ended_how in ('withdrawn', 'expired', 'disconnected', 'replaced', 'unused', 'declined')),
  -- IANA time zone of the owner who consented, for the days on consents, receipts and mails; null: not known, the
  -- instance’s zone applies.
  time_zone text,
  primary key (instance_id, id),
  check ((ended_at is null) = (ended_how is null)),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade,
  foreign key (instance_id, text_hash) references consent_texts (instance_id, hash)
);
create index consents_of_company on consents (instance_id, company_id, given_at);
create index consents_of_connection on consents (instance_id, connection_id, given_at);
create index consents_of_text on consents (instance_id, text_hash);
create index consents_of_link on consents (instance_id, link_id);
create index consents_living on consents (expires_at) where ended_at is null;
create index consents_unused on consents (instance_id, link_id) where ended_at is null and connection_id is null;
create trigger consents_are_kept before update on consents for each row execute function keep_consent();

-- Addresses of owners’ own pages, by the keyed hash of their token.
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

-- Where the owner of a company receives receipts and reminders.
create table owner_addresses (
  instance_id uuid not null,
  company_id uuid not null,
  address bytea not null,
  locale text not null check (locale in ('en', 'fr-CA')),
  noted_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, company_id),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade
);

-- Receipts for owners. `signed` is the whole receipt as a compact JSON Web Signature.
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
create index receipts_by_time on receipts (issued_at, id);

-- Reminders sent to owners, so that each goes out once.
create table reminders (
  instance_id uuid not null,
  company_id uuid not null,
  -- Such as `consent/<id>/30`.
  about text not null,
  reminded_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, about),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade
);
