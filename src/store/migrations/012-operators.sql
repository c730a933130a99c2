-- Operators of the deployment, above all instances and apart from their users. Their rows belong to the nil instance, as
-- the audit chain of the deployment does: within the scope of a customer nobody sees them.
create table operators (
  instance_id uuid not null default '00000000-0000-0000-0000-000000000000' check (instance_id = '00000000-0000-0000-0000-000000000000'),
  id uuid not null,
  -- Trimmed, NFC, lower case. A user of an instance may have the same address.
  email text not null unique,
  name text not null,
  -- Null until the first one-time link is used.
  password_hash text,
  created_at timestamptz not null,
  -- Second factor: sealed secret, in use once it is confirmed.
  two_step_secret bytea,
  two_step_started_at timestamptz,
  two_step_confirmed_at timestamptz,
  -- Time step of the newest accepted code; codes of that step or an earlier one are refused.
  two_step_counter bigint not null default 0,
  primary key (instance_id, id)
);
select enforce_instance_isolation('operators');

create table operator_recovery_codes (
  instance_id uuid not null default '00000000-0000-0000-0000-000000000000',
  operator_id uuid not null,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (instance_id, operator_id, code_hash),
  foreign key (instance_id, operator_id) references operators (instance_id, id) on delete cascade
);
select enforce_instance_isolation('operator_recovery_codes');

-- A session begins with the password and is open once the second factor is proven; until then it opens nothing else.
create table operator_sessions (
  instance_id uuid not null default '00000000-0000-0000-0000-000000000000',
  id uuid not null,
  operator_id uuid not null,
  token_hash bytea not null unique,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  opened_at timestamptz,
  -- Codes that were tried before it was open.
  tries integer not null default 0,
  primary key (instance_id, id),
  foreign key (instance_id, operator_id) references operators (instance_id, id) on delete cascade
);
create index operator_sessions_of_operator on operator_sessions (instance_id, operator_id);
select enforce_instance_isolation('operator_sessions');

-- One-time links with which an operator sets a password, by the hash of their token.
create table operator_links (
  instance_id uuid not null default '00000000-0000-0000-0000-000000000000',
  token_hash bytea not null,
  operator_id uuid not null,
  -- Whether using it removes the second factor, which has to be set up again.
  resets_two_step boolean not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (instance_id, token_hash),
  foreign key (instance_id, operator_id) references operators (instance_id, id) on delete cascade
);
create index operator_links_of_operator on operator_links (instance_id, operator_id);
select enforce_instance_isolation('operator_links');

-- Null: made by a release that knew no kinds; the next start decides by the environment.
alter table instances add column kind text;
alter table instances add constraint instances_kind check (kind in ('test', 'live')) not valid;
