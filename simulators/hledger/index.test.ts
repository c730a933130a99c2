import { afterEach, describe, expect, it } from 'vitest'
import { openForTests } from '../../test/harness/for-tests.ts'
import { serveSimulator } from '../simulator.ts'
import { accountNames } from './data/chart.ts'
import { listEntries, type Posting } from './data/journal.ts'
import { createHledgerSimulator } from './index.ts'

const authorization = `Basic ${Buffer.from('noemie:sandbox-password-noemie').toString('base64')}`
const run = openForTests(() => serveSimulator(createHledgerSimulator))

afterEach(() => run.simulator.clearFaults())
const get = (path: string, headers: Record<string, string> = { authorization }) => fetch(`${run.url}${path}`, { headers })

/** In cents. */
function atCost({ amount, cost }: Posting): number {
  if (!cost) return amount.mantissa
  return cost.kind === 'TotalPrice' ? cost.amount.mantissa : (amount.mantissa * cost.amount.mantissa) / 10 ** cost.amount.places
}

describe('the hledger simulator', () => {
  it.each([
    ['no login', {}],
    ['a wrong password', { authorization: `Basic ${Buffer.from('noemie:wrong').toString('base64')}` }],
  ])('refuses %s', async (_title, headers) => {
    const answer = await get('/accountnames', headers)
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="livres"'])
  })

  it.each(listEntries().map((entry) => [`${entry.date} ${entry.description}`, entry] as const))(
    'every entry balances: %s',
    (_title, { postings }) => {
      const sums = new Map<string, number>()
      for (const posting of postings.filter(({ isVirtual }) => !isVirtual)) {
        const commodity = posting.cost?.amount.commodity ?? posting.amount.commodity
        sums.set(commodity, (sums.get(commodity) ?? 0) + atCost(posting))
      }
      expect([...sums.values()].filter((sum) => sum !== 0)).toEqual([])
    },
  )

  it('posts only to accounts that it lists', () => {
    const used = listEntries().flatMap(({ postings }) => postings.map(({ account }) => account))
    expect(used.filter((account) => !accountNames.includes(account))).toEqual([])
  })

  it('carries the declared types of an account and of its parents in the tags of a posting, the nearest first', async () => {
    const conversion = expect.objectContaining({
      paccount: 'capitaux:conversion',
      ptags: [
        ['type', 'V'],
        ['type', 'Equity'],
      ],
    })
    const entry = expect.objectContaining({ tpostings: expect.arrayContaining([conversion]) })
    expect(await (await get('/transactions')).json()).toContainEqual(entry)
  })

  it.each([
    ['unauthorized', 401],
    ['forbidden', 403],
    ['throttle', 429],
    ['outage', 503],
  ])('fails once with %s: status %i', async (fault, status) => {
    run.simulator.fault(fault)
    expect([(await get('/accounts')).status, (await get('/accounts')).status]).toEqual([status, 200])
  })

  it.each(['html', 'truncated'])('fails with %s: 200 with a body that is not JSON', async (fault) => {
    run.simulator.fault(fault)
    const answer = await get('/transactions')
    expect(answer.status).toBe(200)
    await expect(answer.json()).rejects.toThrow(SyntaxError)
  })

  it('refuses a revoked login permanently', async () => {
    const own = await serveSimulator(createHledgerSimulator)
    own.simulator.fault('revoked')
    const ask = async () => (await fetch(`${own.url}/version`, { headers: { authorization } })).status
    expect([await ask(), await ask()]).toEqual([401, 401])
    await own.close()
  })
})
