import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { promisify } from 'node:util'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EntityMapping, Grant, Pull, Session, SourceItem } from '../../../src/connectors/contract/contract.ts'
import { hledgerConnector } from '../../../src/connectors/hledger/client.ts'
import { type LoopbackServer, serveHttp } from '../../../src/egress/loopback-server.ts'
import { add, type Decimal, negate } from '../../../src/model/values/decimal.ts'
import { changedSince, countEach, openEngine } from '../../harness/app/live-engine.ts'
import { mapperOf, sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { submitForm } from '../../harness/form.ts'
import { openLoopbackKit } from '../../harness/loopback-kit.ts'
import { hasHledger, hasHledgerWeb, startHledgerWeb } from './hledger-web.ts'

const { kit, close } = openLoopbackKit()
const [pullBooks] = hledgerConnector.pulls as [Pull]
const mapItem = mapperOf(hledgerConnector)

it.runIf(process.env.CI === 'true')('hledger-web and hledger are installed if CI is true', () => {
  expect({ hasHledgerWeb, hasHledger }).toEqual({ hasHledgerWeb: true, hasHledger: true })
})

describe.skipIf(!hasHledgerWeb)('a real hledger-web (skipped without hledger-web)', () => {
  const server = openForTests(startHledgerWeb, (server) => server.stop())
  let proxy: LoopbackServer
  let original: string

  beforeAll(async () => {
    original = await readFile(server.journal, 'utf8')
    proxy = await serveHttp((request, response) => {
      if (request.headers.authorization !== `Basic ${Buffer.from('zoé:farine').toString('base64')}`) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="livres"' }).end()
        return
      }
      httpRequest(`${server.url}${request.url}`, (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 502))).end()
    })
  })
  beforeEach(() => writeFile(server.journal, original))
  afterAll(async () => {
    await proxy?.close()
    await close()
  })

  const openSession = async (values: Record<string, string> = {}): Promise<Session> => {
    return sessionOf({ kit }, await submit({ address: server.url, ...values }))
  }

  it('lists every account that hledger knows, each with the class that the journal declares', async () => {
    const accounts = (await sync(await openSession())).filter((item) => item.entity === 'Accounts').map(mapItem)
    expect(countEach(accounts.map((account) => String(account.classSystem)))).toMatchInlineSnapshot(`
      {
        "ASSET": 20,
        "EQUITY": 5,
        "EXPENSE": 22,
        "INCOME": 9,
        "LIABILITY": 10,
        "UNKNOWN": 4,
      }
    `)
    expect(accounts.flatMap((account) => account.unmapped)).toMatchInlineSnapshot(`
      [
        "classSystem=budget",
        "classSystem=budget",
        "classSystem=suspens",
        "classSystem=suspens",
      ]
    `)
    expect(accounts.find((account) => account.origId === 'actifs:banque:compte chèques Desjardins')).toMatchInlineSnapshot(`
      {
        "classApp": "actifs",
        "classSystem": "ASSET",
        "currency": "CAD",
        "description": "",
        "name": "actifs:banque:compte chèques Desjardins",
        "number": "",
        "origId": "actifs:banque:compte chèques Desjardins",
        "statusApp": "",
        "statusSystem": "ACTIVE",
        "subTypeApp": "",
        "subTypeSystem": "CHECKING",
        "typeApp": "C",
        "typeSystem": "BANK",
        "unmapped": [],
      }
    `)
  })

  it('gives an account that was declared but never used the class of its siblings', async () => {
    const accounts = (await sync(await openSession())).filter((item) => item.entity === 'Accounts').map(mapItem)
    expect(accounts.find((account) => account.origId === 'dépenses:Hydro-Québec')).toMatchObject({ classSystem: 'EXPENSE' })
  })

  it('delivers records that match their schemas, under unique ids', async () => {
    const items = await sync(await openSession())
    for (const item of items) expect('wire' in item && Value.Errors(entityOf(item).wire, item.wire)).toEqual([])
    expect(new Set(items.map((item) => `${item.entity} ${item.origId}`)).size).toBe(items.length)
  })

  it('sets postings in parentheses aside with the reason', async () => {
    const reasons = (await readAll(await openSession())).flatMap((item) => ('unreadable' in item ? [item.unreadable] : []))
    expect(reasons).toEqual(['a posting in parentheses, which balances with nothing'])
  })

  it('gives $ the currency that the owner named', async () => {
    await writeFile(server.journal, original.replaceAll('640,00 CAD', '$640,00'))
    const currencies = async (dollar: string) =>
      (await sync(await openSession({ dollar }))).map(mapItem).flatMap(({ document, currency }) => (document === 'C-88' ? [currency] : []))
    expect([await currencies('usd'), await currencies('')]).toEqual([
      ['USD', 'USD'],
      ['', ''],
    ])
  })

  it('delivers entries that balance exactly in each currency', async () => {
    const lines = (await sync(await openSession())).filter((item) => item.entity === 'Transactions').map(mapItem)
    const sums = Map.groupBy(lines, (line) => `${line.entryId} ${line.currency}`)
    expect([...sums.values()].map((group) => add(...group.map(amountOf))).filter((sum) => sum !== '0')).toEqual([])
  })

  it.skipIf(!hasHledger)('matches the balances at cost that hledger itself prints (skipped without hledger)', async () => {
    const lines = (await sync(await openSession())).filter((item) => item.entity === 'Transactions').map(mapItem)
    const ours = new Map<string, string>()
    for (const [key, group] of Map.groupBy(lines, (line) => `${line.accountOrigId} ${line.currency}`)) {
      ours.set(key, add(...group.map(amountOf)))
    }
    expect([...ours].filter(([, sum]) => sum !== '0').sort()).toEqual(await askHledger(server.journal))
  })

  it('shows an edit at the next sync and keeps all other ids', async () => {
    const session = await openSession()
    const before = await sync(session)
    const added =
      '2026-01-02 * Levure Lallemand | levure\n    dépenses:matières premières:levure  38,50 CAD\n    passifs:carte Visa\n\n2026-01-05 *'
    await writeFile(server.journal, original.replace('2026-01-05 *', added).replace('640,00 CAD', '655,00 CAD'))
    const after = await sync(session)
    const known = new Set(before.map((item) => item.origId))
    const fresh = after.filter((item) => !known.has(item.origId)).map(mapItem)
    expect(fresh).toMatchObject([
      { accountOrigId: 'dépenses:matières premières:levure', debit: '38.5', counterparty: 'Levure Lallemand' },
      { accountOrigId: 'passifs:carte Visa', credit: '38.5' },
    ])
    const hotel = after.map(mapItem).find((record) => record.document === 'C-88')
    expect(hotel).toMatchObject({ debit: '655', accountOrigId: 'actifs:clients:Hôtel Gault' })
    expect([...known].filter((id) => !after.some((item) => item.origId === id))).toEqual([])
  })

  it('makes a new version only of what was edited', async () => {
    const engine = await openEngine('hledger', kit, await submit({ address: server.url }))
    await engine.sync()
    const before = await engine.countVersions()
    expect(await engine.sync()).toBe('unchanged')
    expect(changedSince(before, await engine.countVersions())).toEqual([])
    await writeFile(server.journal, original.replaceAll('640,00 CAD', '655,00 CAD'))
    expect(await engine.sync()).toBe('published')
    const changed = changedSince(before, await engine.countVersions())
    expect(changed.length).toBeGreaterThan(0)
    expect(changed.filter((record) => !record.startsWith('Transactions '))).toEqual([])
    expect(changed.length).toBeLessThan(3)
    await engine.close()
  })

  it('publishes everything, each record once, after the server was killed during the first run', async () => {
    const engine = await openEngine('hledger', kit, await submit({ address: server.url }))
    let isKilled = false
    engine.onRequest = async (number) => {
      if (number !== 2 || isKilled) return
      isKilled = true
      await server.kill()
    }
    await expect(engine.sync()).rejects.toMatchObject({ name: 'SourceError', kind: 'unavailable' })
    expect([isKilled, (await engine.countVersions()).size]).toEqual([true, 0])
    await server.restart()
    await engine.sync()
    const versions = await engine.countVersions()
    expect([versions.size, new Set(versions.values())]).toEqual([(await sync(await openSession())).length, new Set([1])])
    await engine.close()
  })

  it('is unavailable while the server is down and complete again afterwards', async () => {
    const session = await openSession()
    const before = await sync(session)
    const pending = pullBooks.fetch(session, null)
    await Promise.all([server.kill(), expect(pending).rejects.toMatchObject({ name: 'SourceError', kind: 'unavailable' })])
    await server.restart()
    expect(await sync(session)).toEqual(before)
  })

  it('authenticates at a server that requires a password', async () => {
    const items = await sync(await openSession({ address: proxy.url, user: 'zoé', password: 'farine' }))
    expect(items.length).toBeGreaterThan(61)
  })

  it.each([
    ['a wrong password', () => ({ address: proxy.url, user: 'zoé', password: 'beurre' }), 'password'],
    ['no password where one is asked for', () => ({ address: proxy.url }), 'password'],
    ['a port where nothing listens', () => ({ address: 'http://127.0.0.1:9' }), 'address'],
    ['a path without hledger-web', () => ({ address: `${server.url}/static` }), 'address'],
  ])('reports %s beside the right field', async (_case, values, field) => {
    await expect(submit(values())).rejects.toMatchObject({ name: 'InputRefused', field })
  })
})

function submit(values: Record<string, string>): Promise<Grant> {
  return submitForm(hledgerConnector, kit, values)
}

/** The records of a run. */
async function sync(session: Session): Promise<SourceItem[]> {
  return (await readAll(session)).filter((item) => 'wire' in item)
}

async function readAll(session: Session): Promise<SourceItem[]> {
  return [...pullBooks.read((await pullBooks.fetch(session, null)).answers)]
}

function entityOf(item: SourceItem): EntityMapping {
  const entity = hledgerConnector.entities[item.entity]
  if (!entity) throw new Error('unknown entity')
  return entity
}

function amountOf(line: Record<string, unknown>): Decimal {
  return line.debit === null ? negate(line.credit as Decimal) : (line.debit as Decimal)
}

/** Runs hledger for `account currency` and balance at cost, real postings only, in plain decimals. */
async function askHledger(journal: string): Promise<[string, string][]> {
  const styles = ['-c', '1000.00 CAD', '-c', '1000.00 USD']
  const { stdout } = await promisify(execFile)(
    '/usr/bin/hledger',
    ['-f', journal, 'bal', '--flat', '-B', '-R', '-N', '-O', 'csv', ...styles],
    {
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    },
  )
  const rows = [...stdout.matchAll(/^"([^"]*)","([^"]*)"$/gm)].slice(1)
  const balances = rows.flatMap(([, account, cell]) =>
    (cell ?? '').split(', ').map((part): [string, string] => {
      const [amount = '', commodity] = part.split(' ')
      return [`${account} ${commodity}`, add(amount as Decimal)]
    }),
  )
  return balances.sort()
}
