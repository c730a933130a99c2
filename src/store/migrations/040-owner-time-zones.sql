-- A day is a day of somebody's clock: days of permissions, receipts and mails are written in the zone of the owner who gave the permission,
-- and where that is not known in the zone that the instance sets. Names of the IANA database; null: not known, not set.
alter table consents add column time_zone text;
alter table owner_pages add column time_zone text;
