-- Since when assistants may read the data of an instance through MCP; null: they may not.
alter table instances add column mcp_enabled_at timestamptz;
