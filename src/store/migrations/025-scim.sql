-- What an identity provider has said of a user by SCIM; users whom none has touched have no row.
create table scim_users (
  instance_id uuid not null,
  user_id uuid not null,
  -- As sent, and in the form in which it is compared.
  user_name text not null,
  user_name_key text not null,
  external_id text,
  -- Name and addresses as sent.
  attributes jsonb not null,
  is_active boolean not null,
  -- What an administrator has given, or the account had before; null: nothing.
  role_by_hand text check (role_by_hand in ('admin', 'developer', 'integration', 'viewer')),
  -- What the groups give, which comes first; null: nothing.
  role_of_groups text check (role_of_groups in ('admin', 'developer', 'integration', 'viewer')),
  primary key (instance_id, user_id),
  unique (instance_id, user_name_key),
  foreign key (instance_id, user_id) references users (instance_id, id) on delete cascade
);
create index scim_users_by_external_id on scim_users (instance_id, external_id);
select enforce_instance_isolation('scim_users');

create table scim_groups (
  instance_id uuid not null references instances (id) on delete cascade,
  id uuid not null,
  display_name text not null,
  display_name_key text not null,
  external_id text,
  -- Raised by each change, of members too.
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (instance_id, id),
  unique (instance_id, display_name_key)
);
select enforce_instance_isolation('scim_groups');

create table scim_group_members (
  instance_id uuid not null,
  group_id uuid not null,
  user_id uuid not null,
  primary key (instance_id, group_id, user_id),
  foreign key (instance_id, group_id) references scim_groups (instance_id, id) on delete cascade,
  foreign key (instance_id, user_id) references users (instance_id, id) on delete cascade
);
create index scim_group_members_by_user on scim_group_members (instance_id, user_id);
select enforce_instance_isolation('scim_group_members');
