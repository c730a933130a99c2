import type { Schema } from './schema.ts'

/** What release `before` needs and `after` lacks, one sentence each; empty if it can continue. */
export function findBreaches(before: Schema, after: Schema): string[] {
  return [...columns(before, after), ...constraints(before, after), ...indexes(before, after), ...functionsAndTriggers(before, after)]
}

function columns(before: Schema, after: Schema): string[] {
  const known = tablesOf(before)
  const lost = Object.entries(before.columns).flatMap(([name, { type, isNullable, hasDefault }]) => {
    const now = after.columns[name]
    if (!now) return [`column ${name} is gone`]
    if (now.type !== type) return [`column ${name} is ${now.type}, it was ${type}`]
    if (isNullable && !now.isNullable) return [`column ${name} no longer takes null`]
    if (hasDefault && !now.hasDefault && !now.isNullable) return [`column ${name} has lost its default`]
    return []
  })
  const demanded = Object.entries(after.columns).flatMap(([name, { isNullable, hasDefault }]) => {
    const isNew = known.has(tableOf(name)) && !(name in before.columns)
    return isNew && !isNullable && !hasDefault ? [`column ${name} is new, takes no null and has no default`] : []
  })
  return [...lost, ...demanded]
}

/** New constraints on columns that the release writes. One on a new column alone does not affect it. */
function constraints(before: Schema, after: Schema): string[] {
  const known = tablesOf(before)
  const tightened = Object.entries(after.constraints).flatMap(([name, definition]) => {
    if (!known.has(tableOf(name)) || before.constraints[name] === definition) return []
    return isAboutNewColumns(tableOf(name), definition, before, after) ? [] : [`constraint ${name} is new: ${definition}`]
  })
  const lost = Object.entries(before.constraints).flatMap(([name, definition]) =>
    /^(PRIMARY KEY|UNIQUE)/.test(definition) && !(name in after.constraints) && !hasUniqueRule(definition, tableOf(name), after)
      ? [`constraint ${name} is gone, which \`on conflict\` may name`]
      : [],
  )
  return [...tightened, ...lost]
}

function indexes(before: Schema, after: Schema): string[] {
  const known = tablesOf(before)
  const tightened = Object.entries(after.indexes).flatMap(([name, { table, isUnique, definition }]) => {
    if (!isUnique || !known.has(table) || before.indexes[name]?.definition === definition) return []
    return isAboutNewColumns(table, definition, before, after) ? [] : [`unique index ${name} is new: ${definition}`]
  })
  const lost = Object.entries(before.indexes).flatMap(([name, { isUnique }]) =>
    isUnique && !(name in after.indexes) ? [`unique index ${name} is gone, which \`on conflict\` may name`] : [],
  )
  return [...tightened, ...lost]
}

function functionsAndTriggers(before: Schema, after: Schema): string[] {
  const known = tablesOf(before)
  return [
    ...Object.entries(before.functions).flatMap(([name, result]) => {
      const now = after.functions[name]
      if (now === undefined) return [`function ${name} is gone; give a changed one a new name`]
      return now === result ? [] : [`function ${name} returns ${now}, it returned ${result}`]
    }),
    ...Object.entries(after.triggers).flatMap(([name, definition]) =>
      known.has(tableOf(name)) && before.triggers[name] !== definition && !ALLOWED.some((pattern) => pattern.test(definition))
        ? [`trigger ${name} is new: ${definition}`]
        : [],
    ),
  ]
}

/**
 * Triggers that count or note in a table of their own what any release writes, and refuse nothing
 * (test/operator/stored-bytes.test.ts, test/pages, test/changes, test/search).
 */
const COUNTS_ONLY =
  / AFTER .* ON .* FOR EACH (STATEMENT EXECUTE FUNCTION (count_stored_bytes|note_unclaimed_objects)|ROW (WHEN .*)?EXECUTE FUNCTION (note_publication|note_company_texts))\(\)$/

/** Triggers that fill a column of which the release does not know, and refuse nothing (test/upgrades/old-rows.test.ts). */
const FILLS_ONLY = / BEFORE INSERT ON .* FOR EACH ROW WHEN \(\(new\.company_id IS NULL\)\) EXECUTE FUNCTION fill_company_id\(\)$/

/**
 * Triggers that keep, for tables with partitions, what a unique index and foreign keys of the release kept: with them its
 * own statements have the results that they had (test/upgrades/event-weeks.test.ts runs them).
 */
const KEEPS_A_RULE =
  /EXECUTE FUNCTION (claim_event_key|delete_deliveries_of_events|delete_attempts_of_deliveries|find_finished_delivery)\(\)$/

const ALLOWED = [COUNTS_ONLY, FILLS_ONLY, KEEPS_A_RULE]

function tablesOf(schema: Schema): Set<string> {
  return new Set(Object.keys(schema.columns).map(tableOf))
}

function tableOf(name: string): string {
  return name.slice(0, name.indexOf('.'))
}

function isAboutNewColumns(table: string, definition: string, before: Schema, after: Schema): boolean {
  const fresh = Object.keys(after.columns).filter((name) => tableOf(name) === table && !(name in before.columns))
  return fresh.some((name) => new RegExp(`\\b${name.slice(table.length + 1)}\\b`).test(definition.replace(/REFERENCES.*/, '')))
}

/** Whether the same columns have a unique index under another name: `on conflict (columns)` still matches it. */
function hasUniqueRule(definition: string, table: string, schema: Schema): boolean {
  const wanted = definition.replace(/^(PRIMARY KEY|UNIQUE)/, '')
  return Object.entries(schema.constraints).some(
    ([name, other]) => tableOf(name) === table && other.replace(/^(PRIMARY KEY|UNIQUE)/, '') === wanted,
  )
}
