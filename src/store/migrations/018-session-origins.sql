-- Where a session was last used from: network, and the class of the program (`Firefox, Linux`; empty: another one).
-- Null: opened by a command, or before this release.
alter table sessions add column network text;
alter table sessions add column agent text;

-- The language of the browser at the last login, for mails to the user; and when that login was.
alter table users add column language text;
alter table users add column last_login_at timestamptz;
