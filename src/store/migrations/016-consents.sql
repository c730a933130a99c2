-- What an instance shows of itself on the owner's pages. No row: the instance's name, no contact, our colours, our purpose.
create table owner_pages (
  instance_id uuid primary key references instances (id),
  -- Empty: the name of the instance.
  public_name text not null default '' check (length(public_name) <= 100),
  -- Where the owner may write to, an e-mail or https address; empty: none.
  contact text not null default '' check (length(contact) <= 320),
  accent_light text check (accent_light ~ '^#[0-9a-f]{6}$'),
  accent_dark text check (accent_dark ~ '^#[0-9a-f]{6}$'),
  default_language text check (default_language in ('en', 'fr-CA')),
  -- The purposes on offer, in order; their texts are in purpose_versions. Empty: our own.
  purpose_keys text[] not null default '{}',
  default_purpose text,
  -- Where the owner may be sent back to: origins with a path that the address must begin with.
  return_addresses text[] not null default '{}',
  logo bytea check (octet_length(logo) <= 102400),
  logo_type text check (logo_type in ('image/png', 'image/jpeg', 'image/webp')),
  logo_hash text,
  updated_at timestamptz not null default clock_timestamp()
);

-- Why data is asked for, in both languages. Editing makes a version; none is changed or taken away.
create table purpose_versions (
  instance_id uuid not null references instances (id),
  key text not null check (key ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  version integer not null check (version > 0),
  text_en text not null,
  text_fr text not null,
  duration_days integer not null check (duration_days between 1 and 3650),
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, key, version)
);

alter table links
  -- Null: the default of the day on which it is opened.
  add column purpose_key text,
  add column language text check (language in ('en', 'fr-CA')),
  add column return_url text,
  -- First time.
  add column opened_at timestamptz;

-- What an owner was shown before agreeing, word for word in both languages; the same words are kept once.
create table consent_texts (
  instance_id uuid not null references instances (id),
  hash bytea not null,
  texts jsonb not null,
  primary key (instance_id, hash)
);

-- The consent ledger: a row for each consent and each connection that it led to. No addresses of people's machines.
create table consents (
  instance_id uuid not null,
  id uuid not null,
  company_id uuid not null,
  -- Of the link; the connection may be at one of its banks.
  service_id uuid not null,
  link_id uuid not null,
  -- Null until the source's own step is through.
  connection_id uuid,
  purpose_key text not null,
  -- 0: the text is ours.
  purpose_version integer not null,
  text_hash bytea not null,
  language text not null check (language in ('en', 'fr-CA')),
  duration_days integer not null,
  given_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  ended_how text check (ended_how in ('withdrawn', 'expired', 'disconnected', 'replaced', 'unused')),
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

-- A row of the ledger learns its connection and its end, each once, and nothing else.
create function keep_consent() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - '{connection_id,ended_at,ended_how}'::text[] <> to_jsonb(old) - '{connection_id,ended_at,ended_how}'::text[]
    or (old.connection_id is not null and new.connection_id is distinct from old.connection_id)
    or (old.ended_at is not null and (new.ended_at, new.ended_how) is distinct from (old.ended_at, old.ended_how))
  then
    raise exception 'a consent is not rewritten';
  end if;
  return new;
end
$$;
create trigger consents_are_kept before update on consents for each row execute function keep_consent();
