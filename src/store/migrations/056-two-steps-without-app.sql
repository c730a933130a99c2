-- Rows of accounts whose second steps are passkeys only: `confirmed_at` is set, so that release 1.0.0, which knows no
-- passkeys, asks them for a code that nobody has rather than for the password alone.
alter table two_steps add column lacks_app boolean not null default false;
