-- Somebody has said that what the source no longer lists is gone, however much it is: the next complete listing is believed.
alter table connections add column accepts_deletions boolean not null default false;
