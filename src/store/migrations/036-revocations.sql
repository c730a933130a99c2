-- The data of an ended connection is erased without asking its source; another job tells the source.
insert into jobs (instance_id, kind, key, provider, payload, state, attempts)
  select j.instance_id, 'revoke', 'revoke/' || c.id, c.connector_key, jsonb_build_object('connectionId', c.id, 'connectorKey', c.connector_key,
    'sourceKeysId', c.source_keys_id, 'farewell', j.payload->'farewell', 'giveUpAt', clock_timestamp() + interval '1 day'), 'ready', 0
  from jobs j join connections c on c.instance_id = j.instance_id and c.id::text = j.payload->>'connectionId'
  where j.kind = 'erase' and jsonb_typeof(j.payload->'farewell') = 'string';
-- What waited for a source is due.
update jobs set payload = payload - 'farewell', provider = '', attempts = 0, run_at = clock_timestamp() where kind = 'erase' and payload ? 'farewell';
