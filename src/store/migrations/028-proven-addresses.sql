-- When a user opened a link that was mailed to the address: until then nobody knows that it is theirs.
alter table users add column email_proven_at timestamptz;
