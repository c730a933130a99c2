import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Kit } from '../../../src/connectors/contract/contract.ts'
import { mambuConnector } from '../../../src/connectors/mambu/client.ts'
import { mambu } from '../../../src/connectors/mambu/index.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, refusalOf, sessionOf } from '../../harness/connector-calls.ts'
import { refusalOfServer, submit } from '../../harness/form.ts'
import { docsOf, openStrictKit, pagesOf, readPull } from '../core-bank/reading.ts'
import { CANARY, openHarness, READ_ONLY } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const newStrictKit = closedAfterEach(openStrictKit)
const BANK = { description: mambu, connector: mambuConnector }

async function connected(holder = 'MTL-0042', options: Parameters<typeof openHarness>[0] = {}) {
  const at = await newHarness(options)
  return { at, session: sessionOf(at, await submit(at, { holder })) }
}

describe('connecting', () => {
  test.each([
    ['MTL-0042', 'Atelier mécanique Côté inc.', 'clients'],
    ['GRP-7', 'Rocky Ridge Outfitters LLC', 'groups'],
  ])('%s returns a grant for %s', async (holder, name, kind) => {
    const { entity, credentials } = await submit(await newHarness(), { holder })
    expect(entity).toEqual({ id: expect.stringMatching(/^8a8e[0-9a-f]{28}$/), name })
    expect(credentials).toEqual({ secret: expect.objectContaining({ holder: kind, holderId: holder }), expiresAt: null })
  })

  test('accepts the address of a Mambu page', async () => {
    const at = await newHarness()
    expect((await submit(at, { address: `${at.url}/#client.id=42` })).credentials.secret).toMatchObject({ address: at.url })
  })

  test('accepts a tenant’s name as its address', async () => {
    const asked: string[] = []
    const at = await newHarness()
    const http: Kit['http'] = async (request) => {
      asked.push(request.url)
      return await at.kit.http({ ...request, url: `${at.url}/nowhere` })
    }
    const kit = { ...at.kit, http }
    await refusalOf(submit({ ...at, kit }, { address: 'banque.sandbox' }))
    expect(asked[0]).toBe('https://banque.sandbox.mambu.com/api/clients/MTL-0042')
  })
})

describe('the form reports', () => {
  test.each<[string, Record<string, string>, string]>([
    ['a wrong key', { apiKey: 'sandbox-apikey-guessed' }, 'apiKey'],
    ['a key without rights', { apiKey: 'sandbox-apikey-comptoir' }, 'apiKey'],
    ['an unknown ID', { holder: 'NOBODY' }, 'holder'],
    ['an ID that leads elsewhere', { holder: '../loans' }, 'holder'],
    ['an empty address', { address: '' }, 'address'],
  ])('%s, and reveals no secret', async (_case, typed, field) => {
    const refusal = await refusalOf(submit(await newHarness(), typed))
    expect(refusal.field).toBe(field)
    expect(inspect(refusal, { depth: 10 })).not.toMatch(CANARY)
  })

  test.each<[number, string]>([
    [200, '<!doctype html><title>Bienvenue</title>'],
    [404, 'nothing'],
    [503, 'later'],
  ])('the address for an answer of %i', async (status, body) => {
    expect(await refusalOfServer(await newHarness(), status, body)).toMatchObject({ field: 'address' })
  })

  test('a private address', async () => {
    const strict = await newStrictKit()
    expect(await refusalOf(submit({ ...(await newHarness()), kit: strict.kit, url: 'https://192.168.1.4' }, READ_ONLY))).toMatchObject({
      field: 'address',
    })
  })
})

describe('accounts', () => {
  test('of every kind and state are listed', async () => {
    const { session } = await connected()
    const docs = Object.values(docsOf(await readPull(BANK, session, 'accounts')))
    expect(docs.map((doc) => [doc.accountName, doc.subTypeSystem, doc.accountStatusSystem])).toEqual([
      ['Compte d’exploitation', 'Checking', 'ACTIVE'],
      ['Épargne à intérêt élevé', 'Savings', 'ACTIVE'],
      ['Dépôt à terme 1 an', 'Cd', 'ACTIVE'],
      ['Plan d’épargne', 'Savings', 'ACTIVE'],
      ['Compte d’investisseur', 'OtherInvestment', 'ACTIVE'],
      ['Compte en yens', 'Checking', 'ACTIVE'],
      ['Ancien compte', 'Checking', 'CLOSED'],
      ['Compte dormant', 'Savings', 'INACTIVE'],
      ['Compte bloqué', 'Savings', 'ACTIVE'],
      ['Prêt d’équipement', 'OtherLoan', 'ACTIVE'],
      ['Prêt de camion', 'OtherLoan', 'ACTIVE'],
      ['Marge de crédit', 'LineOfCredit', 'ACTIVE'],
      ['Prêt remboursé', 'OtherLoan', 'CLOSED'],
      ['Demande de prêt', 'OtherLoan', 'INACTIVE'],
    ])
    expect(
      docs.filter(({ dueDate }) => dueDate !== null).map(({ accountName, dueDate, maturityDate }) => [accountName, dueDate, maturityDate]),
    ).toEqual([
      ['Prêt d’équipement', '2026-07-28T00:00:00+00:00', '2027-01-28T00:00:00+00:00'],
      ['Prêt de camion', '2026-05-28T00:00:00+00:00', '2027-01-28T00:00:00+00:00'],
    ])
  })

  test('of a large client are paged without a gap', async () => {
    const { at, session } = await connected('GIANT', { giantDeposits: 1001 })
    const outcome = await readPull(BANK, session, 'accounts')
    expect(outcome.delivered.size).toBe(1001)
    const lists = at.simulator.listRequests().filter(({ path, query }) => path === '/api/deposits' && query.includes('FULL'))
    expect(lists.map(({ query }) => new URLSearchParams(query).get('offset'))).toEqual(['0', '500', '1000'])
  })

  test('are listed again if their number changes between two pages', async () => {
    const { at, session } = await connected('GIANT', { giantDeposits: 1001 })
    at.simulator.fault('shrunk')
    const pages = await pagesOf(BANK, session, 'accounts')
    expect(
      pages.map(({ exchanges }) =>
        new URL(exchanges.find(({ request }) => /offset/.test(request.url))?.request.url ?? '').searchParams.get('offset'),
      ),
    ).toEqual(['0', '500', '0', '500', '1000', '0'])
    at.simulator.fault('shrunk', 100)
    expect(await failureOf(pagesOf(BANK, session, 'accounts'))).toMatchObject({ kind: 'badData' })
  })

  test('with unknown enum values and broken shapes do not affect the others', async () => {
    const { at, session } = await connected()
    at.simulator.fault('schemaDrift')
    const outcome = await readPull(BANK, session, 'accounts')
    expect(outcome.unmapped.map(({ word }) => word).sort()).toEqual(['FROZEN_BY_COURT', 'GREEN_ACCOUNT'])
    expect([outcome.setAside.length, outcome.delivered.size]).toEqual([1, 13])
  })

  test('require a reconnect if the ID leads to another holder', async () => {
    const { at, session } = await connected()
    at.simulator.fault('wrongHolder')
    expect(await failureOf(pagesOf(BANK, session, 'accounts'))).toMatchObject({ kind: 'reconnect' })
  })
})

describe('transactions', () => {
  test('use one sign convention and their account’s currency; notes are omitted', async () => {
    const { session } = await connected()
    const docs = Object.values(docsOf(await readPull(BANK, session, 'transactions')))
    const signs = Object.entries(Object.groupBy(docs, ({ category }) => String(category))).map(([word, rows = []]) => [
      word,
      [...new Set(rows.map(({ amount }) => Math.sign(Number(amount))))],
    ])
    expect(Object.fromEntries(signs)).toEqual({
      DEPOSIT: [1],
      WITHDRAWAL: [-1],
      FEE_APPLIED: [-1],
      TRANSFER: [-1],
      INTEREST_APPLIED: expect.arrayContaining([1, -1]),
      REPAYMENT: [1],
      DISBURSEMENT: [-1],
    })
    expect([...new Set(docs.map(({ currency }) => currency))].sort()).toEqual(['CAD', 'JPY'])
  })

  test('of a loan without a currency use that of the organization; if the key may not read it, they are counted', async () => {
    const { at, session } = await connected()
    const currenciesOf = async (kit: Kit) => {
      const outcome = await readPull(BANK, { ...session, kit }, 'transactions')
      const words = outcome.unmapped.filter(({ field }) => field === 'currency').map(({ word }) => word)
      return { empty: Object.values(docsOf(outcome)).filter(({ currency }) => currency === '').length, words: [...new Set(words)] }
    }
    expect(await currenciesOf(at.kit)).toEqual({ empty: 0, words: [] })
    const http: Kit['http'] = async (request) =>
      request.url.endsWith('/setup/organization') ? { status: 403, headers: {}, body: new Uint8Array() } : await at.kit.http(request)
    expect(await currenciesOf({ ...at.kit, http })).toEqual({ empty: 66, words: ['none told'] })
  })

  test('of a large account are paged without a gap', async () => {
    const { session } = await connected('GIANT')
    const outcome = await readPull(BANK, session, 'transactions')
    expect(outcome.delivered.size).toBe(1200 - notes(1200))
  })
})

/** Number of the simulator's transactions without an amount. */
function notes(count: number): number {
  return Array.from({ length: count }, (_, index) => index + 1).filter((n) => n % 13 === 0 && n % 29 !== 0 && n % 17 !== 0).length
}
