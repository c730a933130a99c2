-- What every record pays for when it is staged and published. A company is of one instance, so that lists and versions need not name that, too; the
-- id of a staged record decides at the first comparison. What looks at all of a run says `seq >= 0` and finds it by its pages.
drop index record_versions_of_record, record_versions_list;
create unique index record_versions_of_record on record_versions (company_id, service_id, entity, id, valid_to) nulls not distinct;
create index record_versions_list on record_versions (company_id, service_id, entity, sort_key, id) where valid_to is null and not deleted;

alter table staged_records drop constraint staged_records_pkey, add primary key (id, run_id, entity), add check (seq >= 0);
