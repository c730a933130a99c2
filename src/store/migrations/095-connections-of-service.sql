-- Transaction: none
-- For the connections of a company, and for the current one of each service (`CURRENT_FIRST`).
create index concurrently if not exists connections_of_service
  on connections (instance_id, company_id, service_id, (status <> 26 and entity_id is not null), created_at, id);
