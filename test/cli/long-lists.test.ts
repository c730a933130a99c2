import { describe, expect, it } from 'vitest'
import { watch } from '../../src/cli/client/connections.ts'
import { table } from '../../src/cli/client/table.ts'
import { listingApi } from './listing-api.ts'

/** More rows than a call can have arguments. */
const ROWS = 200_000

it('prints a table of 200,000 rows, each column as wide as its longest cell', () => {
  const rows = Array.from({ length: ROWS }, (_, index) => [`${index}`, 'name'])
  const lines = table(rows).split('\n')
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([ROWS, '0       name', '199999  name'])
})

describe('the wait for a company of many connections', () => {
  const [BOOKS, BANK] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b']
  const PAST = 12_000
  const connection = (name: string, serviceId: string, status: 'Structuring' | 'Structured', isCurrent = true) => ({
    sessionId: name,
    companyId: 'company',
    serviceId,
    serviceName: name,
    parentServiceName: null,
    category: 'Accounting',
    statusCode: status === 'Structured' ? 15 : 13,
    statusName: status,
    lastUpdatedOn: '',
    isCurrent,
    fault: null,
  })
  const past = Array.from({ length: PAST }, (_, index) => connection(`Past ${index}`, BOOKS, 'Structured', false))

  /** A wait, during which the first connection changes from one status to the other. */
  async function waitFor(names: readonly string[], clauses: readonly string[]) {
    let now: 'Structuring' | 'Structured' = 'Structuring'
    const { api, answered } = listingApi({
      '/company/company/data-connection/statuses': {
        items: () => [
          ...names.map((name, index) => connection(name, index === 0 ? BOOKS : BANK, index === 0 ? now : 'Structured')),
          ...past,
        ],
        filter: { isCurrent: 'boolean', serviceId: 'uuid' },
      },
    })
    const printed: { said: string[]; progress: string[] } = { said: [], progress: [] }
    const progress = {
      signal: new AbortController().signal,
      say: (line: string) => printed.said.push(line),
      progress: (line: string) => {
        printed.progress.push(line)
        now = 'Structured'
      },
    }
    await watch(api, 'company', progress, { clauses, isWanted: () => true })
    return { ...printed, answered }
  }

  it('reads at each look those that the company has now, and of one service where it is known', async () => {
    const { answered } = await waitFor(['Books', 'Bank'], [])
    expect(answered).toEqual({ requests: 2, items: 4 })
    const ofBooks = await waitFor(['Books', 'Bank'], [`serviceId=${BOOKS}`])
    expect([ofBooks.answered, ofBooks.said]).toEqual([{ requests: 2, items: 2 }, ['Books: Structuring', 'Books: Structured']])
  })

  it('names up to five connections, and counts more by their status', async () => {
    const five = ['Books', 'B', 'C', 'D', 'E']
    expect((await waitFor(five, [])).progress[0]).toBe('Books: Structuring, B: Structured, C: Structured, D: Structured, E: Structured')
    const { said, progress } = await waitFor([...five, 'F'], [])
    expect([said, progress]).toEqual([
      ['1 connection: Structuring', '5 connections: Structured', 'Books: Structured'],
      ['1 connection: Structuring, 5 connections: Structured', '6 connections: Structured'],
    ])
  })
})
