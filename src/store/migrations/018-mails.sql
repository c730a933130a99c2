-- Mails that are to be sent, written in the transaction that wants them; a job sends each.
create table mails (
  instance_id uuid not null references instances (id),
  -- Stands in the Message-ID too, so that a mail that is sent twice is known as one.
  id uuid not null,
  kind text not null,
  -- Null for mails to users.
  company_id uuid,
  -- Keyed hash of the address, to count by.
  recipient_hash bytea not null,
  -- The address as it may be shown: its first letter and its domain.
  recipient_shown text not null,
  -- Recipient and content; null once it was sent or given up.
  sealed bytea,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'refused', 'failed')),
  attempts integer not null default 0,
  -- What the mail server said last, or why there was none.
  problem text,
  created_at timestamptz not null default clock_timestamp(),
  settled_at timestamptz,
  primary key (instance_id, id),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade
);
create index mails_newest on mails (instance_id, created_at desc, id);
create index mails_by_recipient on mails (instance_id, recipient_hash, created_at);
create index mails_settled on mails (settled_at) where settled_at is not null;

-- What an instance lets be mailed by itself.
create table mail_settings (
  instance_id uuid primary key references instances (id),
  -- Whether owners are written to when a connection needs them.
  writes_to_owners boolean not null default false
);

-- A link that an owner handed on names the link it came from, and is used up together with it.
alter table links add column parent_id uuid;
alter table links add foreign key (instance_id, parent_id) references links (instance_id, id) on delete cascade;
create index links_of_parent on links (instance_id, parent_id) where parent_id is not null;

-- What is known of a link that was handed on.
create table hand_offs (
  instance_id uuid not null,
  link_id uuid not null,
  -- The bank that the owner had chosen; null for none.
  institution_id text,
  -- Name and address of whoever it was handed to; null once it is over.
  helper bytea,
  -- Null when the owner took the address away.
  mail_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  declined_at timestamptz,
  primary key (instance_id, link_id),
  foreign key (instance_id, link_id) references links (instance_id, id) on delete cascade
);

-- Where the owner of a company wants receipts and reminders.
create table owner_addresses (
  instance_id uuid not null,
  company_id uuid not null,
  address bytea not null,
  locale text not null check (locale in ('en', 'fr-CA')),
  noted_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, company_id),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade
);

-- What owners were reminded of, so that each reminder goes out once.
create table reminders (
  instance_id uuid not null,
  company_id uuid not null,
  -- Such as `consent/<id>/30`.
  about text not null,
  reminded_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, about),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade
);

-- Who may set a new password, by the hash of a token that was mailed.
create table password_resets (
  token_hash bytea primary key,
  instance_id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  used_at timestamptz,
  foreign key (instance_id, user_id) references users (instance_id, id) on delete cascade
);
create index password_resets_of_user on password_resets (instance_id, user_id);
