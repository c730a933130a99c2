-- Version: 1
-- The JSON text of a record that its source has deleted. NOTE quotes inside a JSON string are escaped, so that the patterns match real fields only.
create or replace function deleted_document(doc text, at timestamptz) returns text immutable language sql as $$
  select regexp_replace(regexp_replace(regexp_replace(doc,
    '"(accountStatusSystem|statusSystem)":"[A-Z_]*"', '"\1":"DELETED"'),
    '"isDeleted":false', '"isDeleted":true'),
    '"lastUpdatedOn":"[^"]*"', '"lastUpdatedOn":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') || '"')
$$;
