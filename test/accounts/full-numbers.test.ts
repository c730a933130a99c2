import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import type { Connector, Pull } from '../../src/connectors/contract/contract.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { runJob, takeJobs } from '../harness/app/jobs.ts'
import { dumpRows, spellingsOf } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { StatementSource } from './statement-source.ts'

/** Has two more pages, which are empty: when the last is fetched, the records of the first are staged. */
class PagedSource extends StatementSource {
  whileStaged: (() => Promise<void>) | null = null

  override get connector(): Connector {
    const connector = super.connector
    const [pull] = connector.pulls
    if (!pull) throw new Error('the source has no pull')
    const empty = { answers: {}, listing: this.listing }
    const fetchPage: Pull['fetch'] = async (session, cursor) => {
      if (cursor === null) return { ...(await pull.fetch(session, null)), next: 'second' }
      if (cursor === 'second') return { ...empty, next: 'third' }
      await this.whileStaged?.()
      return { ...empty, next: null }
    }
    return { ...connector, pulls: [{ ...pull, fetch: fetchPage }] }
  }
}

const [north, south] = [new PagedSource('north'), new PagedSource('south')]
const NUMBER = '97531864204410'
const account = { id: 'one', bank: 'Maple Trust Bank', ending: '4410', number: `003-12345-${NUMBER}` }

const harness = openForTests(() => openSyncHarness([north, south]))

it('full numbers link accounts, and are in no log line and no column except sealed, in none of the steps', async () => {
  const { deps } = harness
  const logged: unknown[][] = []
  for (const level of ['info', 'warn', 'error'] as const) deps.log[level] = (...line: unknown[]) => logged.push(line)
  const seen: Record<string, string> = {}
  const see = async (step: string) => {
    seen[step] = await dumpRows(deps.database)
  }
  north.statements = [account, { ...account, id: 'refused', balance: 'unknown' }]
  south.statements = [{ ...account, id: 'S-1', number: `00312345 ${NUMBER}` }]
  north.whileStaged = () => see('first')
  const connections = [await harness.connect(north), await harness.connect(south)]
  for (const connection of connections) await harness.sync(connection, { reason: 'first' })
  north.statements = [{ ...account, balance: '5.25' }]
  north.whileStaged = () => see('staged')
  await harness.sync(connections[0] ?? '', { reason: 'schedule' })
  for (const job of await takeJobs(deps.database, 'accountMatches')) await runJob(syncHandlers(deps).accountMatches, job)
  await see('matched')

  const includes = (step: string, text: string) => seen[step]?.includes(text) === true
  const expected = Object.entries({ first: 'not a decimal number', staged: '5.25', matched: 'sameNumber' })
  expect(expected.filter(([step, text]) => !includes(step, text))).toEqual([])
  const found = Object.keys(seen).flatMap((step) => spellingsOf(NUMBER).flatMap((spelling) => (includes(step, spelling) ? [step] : [])))
  expect(found).toEqual([])
  expect(inspect(logged, { depth: null })).not.toContain(NUMBER)
})
