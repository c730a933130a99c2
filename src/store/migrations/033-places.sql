-- Records of one company at one service, of one kind, lie together under one number, eight bytes instead of forty-five in either index, compared at once:
-- writing a record costs a third less. Who looks for records says the number besides what it stands for. Tables that are full are written anew.
-- See docs/decisions/0024. Hashes of uuid and text are those of hash partitions, which PostgreSQL keeps from version to version.
create function place_of(company uuid, service uuid, kind text) returns bigint language sql immutable parallel safe
return uuid_hash_extended(company, uuid_hash_extended(service, hashtextextended(kind collate "C", 0)));

create function places_of(company uuid, service uuid) returns bigint[] language sql immutable parallel safe
return array[place_of(company, service, 'Accounts'), place_of(company, service, 'Transactions')];

drop index record_versions_of_record, record_versions_list;
alter table record_versions add column place bigint not null generated always as (place_of(company_id, service_id, entity)) stored;
create unique index record_versions_of_record on record_versions (place, id, valid_to) nulls not distinct;
create index record_versions_list on record_versions (place, sort_key, id) where valid_to is null and not deleted;
