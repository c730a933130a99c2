-- The trace context (W3C traceparent) of the request that caused them, so that one trace passes from process to process; null: not traced.
alter table links add column trace_parent text;
alter table jobs add column trace_parent text;
alter table events add column trace_parent text;
