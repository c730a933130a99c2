import { beforeEach, describe, expect, it } from 'vitest'
import { openForTests } from '../../test/harness/for-tests.ts'
import { serveSimulator } from '../simulator.ts'
import { createTrytonSimulator } from './index.ts'

type Row = Record<string, unknown>
interface Answer {
  status: number
  text: string
}

const POSTED = [
  ['company', '=', 1],
  ['state', '=', 'posted'],
]
const CONTEXT = { company: 1, active_test: false }

describe('the simulated Tryton', () => {
  const running = openForTests(() => serveSimulator(createTrytonSimulator))
  let session = ''
  beforeEach(async () => {
    running.simulator.clearFaults()
    session = await logIn('mireille')
  })

  async function ask(method: string, params: unknown[], authorization = session): Promise<Answer> {
    const body = JSON.stringify({ id: 1, method, params })
    const response = await fetch(`${running.url}/sandbox/`, { method: 'POST', headers: { authorization }, body })
    return { status: response.status, text: await response.text() }
  }

  async function list(method: string, params: unknown[]): Promise<Row[]> {
    return JSON.parse((await ask(method, params)).text).result
  }

  async function logIn(user: string): Promise<string> {
    const { text } = await ask('common.db.login', [user, { password: `sandbox-password-${user}` }], '')
    const [id, key] = JSON.parse(text).result
    return `Session ${Buffer.from(`${user}:${id}:${key}`).toString('base64')}`
  }

  const readAccount = () => ask('model.account.account.search', [[], 0, 1, null, CONTEXT])

  it('refuses a wrong password', async () => {
    expect((await ask('common.db.login', ['mireille', { password: 'wrong' }], '')).status).toBe(401)
  })

  it('answers nothing without a session', async () => {
    expect((await ask('model.account.account.search', [[], 0, 1, null, {}], '')).status).toBe(401)
  })

  it('ends a session after 30 days', async () => {
    running.simulator.moveClock(30 * 24 * 3_600_000)
    expect((await readAccount()).status).toBe(401)
  })

  it('lists no company for a user without one', async () => {
    session = await logIn('temp')
    expect(await list('model.company.company.search', [[], 0, 2, null, {}])).toEqual([])
  })

  it('has balanced entries on postable accounts of the chart', async () => {
    const moves = await list('model.account.move.search_read', [POSTED, 0, null, null, ['number'], CONTEXT])
    const domain = [['move', 'in', moves.map(({ id }) => id)]]
    const lines = await list('model.account.move.line.search_read', [
      domain,
      0,
      null,
      null,
      ['move', 'account.type', 'debit', 'credit'],
      CONTEXT,
    ])
    const byMove = Map.groupBy(lines, ({ move }) => move)
    const sums = [...byMove.values()].map((own) => own.reduce((sum, line) => sum + cents(line.debit) - cents(line.credit), 0))
    expect({ moves: moves.length, sums: new Set(sums) }).toEqual({ moves: 82, sums: new Set([0]) })
    expect(lines.filter((line) => JSON.stringify(line['account.']).includes('"type":null'))).toEqual([])
  })

  it('lists the whole chart page by page', async () => {
    const seen: unknown[] = []
    for (let after = 0, rows: Row[] = [{}]; rows.length > 0; after = Number(seen.at(-1))) {
      rows = await list('model.account.account.search_read', [[['id', '>', after]], 0, 20, [['id', 'ASC']], ['code'], CONTEXT])
      seen.push(...rows.map(({ id }) => id))
    }
    const all = await list('model.account.account.search', [[], 0, null, null, CONTEXT])
    expect(seen).toEqual(all)
    expect(all.length).toBeGreaterThan(60)
  })

  it('hides closed accounts unless they are requested', async () => {
    const active = await list('model.account.account.search', [[], 0, null, null, { company: 1 }])
    const all = await list('model.account.account.search', [[], 0, null, null, CONTEXT])
    expect(all.length - active.length).toBe(4)
  })

  it.each([
    ['unauthorized', 401, 'Unauthorized'],
    ['forbidden', 200, '"UserError"'],
    ['throttle', 200, '"RateLimitException"'],
    ['unavailable', 404, 'Not Found'],
    ['internalError', 200, '"error"'],
    ['html', 200, '<!doctype html>'],
    ['truncated', 200, '{"id":1,'],
  ])('answers as specified under the fault %s', async (name, status, text) => {
    running.simulator.fault(name)
    const answer = await readAccount()
    expect(answer).toEqual({ status, text: expect.stringContaining(text) })
  })
})

function cents(amount: unknown): number {
  const text = JSON.stringify(amount)
  return Math.round(Number(/"decimal":"(-?[\d.]+)"/.exec(text)?.[1]) * 100)
}
