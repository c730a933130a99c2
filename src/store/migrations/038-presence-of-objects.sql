-- Whether an object is at the destination: 'none', 'unknown' once an upload has begun, 'there' once one has ended well.
alter table export_deliveries add column presence text not null default 'unknown';
