-- Since when the members of an instance need a second step; null: they need none.
alter table instances add column two_step_required_at timestamptz;

-- When the user of a session last proved who it is; null: at the login.
alter table sessions add column proven_at timestamptz;
