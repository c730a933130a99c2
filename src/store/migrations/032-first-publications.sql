-- What a connection reads before its first publication is written where it stays, valid from `-infinity`: readers see none of it before there is a
-- publication. When that came is said once here; null where the first versions name it themselves. See docs/decisions/0023.
alter table connections add column first_published_at timestamptz;
