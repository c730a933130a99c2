import { AUDIT_ACTIONS, type AuditAction } from '../../src/audit/actions.ts'

export const AUDIT_GUIDE = 'docs/audit.md'

const START = '<!-- npm run docs writes what follows -->\n'

/** The guide with a row for every action and its fields. */
export function describeAudit(text: string): string {
  const at = text.indexOf(START)
  if (at < 0) throw new Error(`${AUDIT_GUIDE} does not say where its actions begin`)
  const rows = Object.entries<AuditAction>(AUDIT_ACTIONS).map(
    ([name, { en, shows = [], withholds = [] }]) => `| \`${name}\` | ${en} | ${list(shows)} | ${list(withholds)} |`,
  )
  const table = ['| action | meaning | fields with values | fields without |', '| --- | --- | --- | --- |', ...rows.toSorted()]
  return `${text.slice(0, at + START.length)}\n${table.join('\n')}\n`
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
