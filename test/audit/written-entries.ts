import { expect } from 'vitest'
import type { Database } from '../../src/store/db/database.ts'

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const KEY_PREFIX = /\bch_(live|test)_[A-Za-z0-9]+/g
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?/g

interface Written {
  action: string
  subject: string | null
  actor?: string
}

/**
 * Compares all entries of a database with the ones that are written down in `results`: action, actor, subject, values
 * and details, in their order, with a number for each id. After an intended change run the tests with `-u`.
 */
export async function expectWrittenEntries(database: Database, name: string): Promise<void> {
  const { rows } = await database.query<{ entry: string }>(
    'select entry from audit_entries order by instance_id = (select max(instance_id::text)::uuid from audit_entries), position',
  )
  const numbers = new Map<string, number>()
  const numberOf = (id: string): string => {
    if (!numbers.has(id)) numbers.set(id, numbers.size + 1)
    return `id-${numbers.get(id)}`
  }
  const lines = rows.map(({ entry }) =>
    toLine(JSON.parse(entry)).replace(UUID, numberOf).replace(INSTANT, 'instant').replace(KEY_PREFIX, 'prefix'),
  )
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`results/${name}.txt`)
}

function toLine({ action, subject, actor, ...rest }: Written): string {
  const told = Object.entries(rest).filter(([name]) => ['before', 'after', 'withheld', 'details'].includes(name))
  const values = told.map(([name, value]) => `\n  ${name} ${JSON.stringify(value)}`)
  return `${action} by ${actor ?? 'nobody'} of ${subject ?? 'all'}${values.join('')}`
}
