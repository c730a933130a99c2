-- Transaction: none
-- For the connections of a service, and for lists in the order of services.
create index concurrently if not exists connections_by_service on connections (instance_id, service_id, id);
