-- Roles that an instance gives to the members of groups of its identity provider.
create table group_roles (
  instance_id uuid not null references instances (id) on delete cascade,
  -- Name or id, as the provider sends it.
  group_name text not null,
  role text not null check (role in ('admin', 'developer', 'integration', 'viewer')),
  primary key (instance_id, group_name)
);
select enforce_instance_isolation('group_roles');
