import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { type Grant, type Pull, type Session, SourceError } from '../../../src/connectors/contract/contract.ts'
import { trytonConnector } from '../../../src/connectors/tryton/client.ts'
import { changedSince, countEach, openEngine } from '../../harness/app/live-engine.ts'
import { listItems, mapperOf, runPull, sessionOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { submitForm } from '../../harness/form.ts'
import { openLoopbackKit } from '../../harness/loopback-kit.ts'
import { type Books, createBooks, createEntry } from './books.ts'
import { DATABASE, hasTrytond, PASSWORD, startTrytond } from './trytond.ts'

const { kit, close } = openLoopbackKit()
const [pullAccounts, pullEntries] = trytonConnector.pulls as [Pull, Pull]
const mapItem = mapperOf(trytonConnector)
const START_MS = 240_000

it.runIf(process.env.CI === 'true')('trytond with the modules account, account_de_skr03 and account_es is installed if CI is true', () => {
  expect(hasTrytond).toBe(true)
})

describe.skipIf(!hasTrytond)(
  'a real Tryton (skipped without tryton-server, tryton-modules-account, tryton-modules-account-de-skr03, tryton-modules-account-es)',
  () => {
    const server = openForTests(startTrytond, (server) => server.stop())
    let books: Books

    beforeAll(async () => {
      books = await createBooks(server, PASSWORD)
    }, START_MS)
    afterAll(async () => {
      await close()
    })

    const submit = (values: Record<string, string>): Promise<Grant> => {
      return submitForm(trytonConnector, kit, { address: server.url, database: DATABASE, user: 'admin', password: PASSWORD, ...values })
    }
    const openSession = async (values: Record<string, string> = {}): Promise<Session> => {
      return sessionOf({ kit }, await submit(values))
    }

    it('connects the company that the user works for', async () => {
      const grant = await submit({})
      expect(grant.entity.name).toBe('Boulangerie Ébène inc.')
      expect(grant.entity.id).toMatch(new RegExp(`^${DATABASE}/${books.companyId}/\\d{4}-\\d{2}-\\d{2}T`))
      expect(grant.email).toBe('admin@example.org')
    })

    it('names the same company at each authorization', async () => {
      expect((await submit({})).entity).toEqual((await submit({})).entity)
    })

    it('lists the whole German chart of 1,162 accounts, each with a class', async () => {
      const items = await listItems(await openSession(), pullAccounts)
      expect(items).toHaveLength(1162)
      expect(new Set(items.map((item) => item.origId)).size).toBe(1162)
      const accounts = items.map(mapItem)
      expect(countEach(accounts.map((account) => String(account.classSystem)))).toMatchInlineSnapshot(`
      {
        "ASSET": 269,
        "EQUITY": 28,
        "EXPENSE": 369,
        "INCOME": 198,
        "LIABILITY": 179,
        "NON_POSTING": 119,
      }
    `)
      expect(accounts.find((account) => account.number === '1200')).toMatchInlineSnapshot(`
      {
        "classApp": "balance",
        "classSystem": "ASSET",
        "currency": "CAD",
        "description": "",
        "name": "Bank",
        "number": "1200",
        "origId": "126",
        "statusApp": "active",
        "statusSystem": "ACTIVE",
        "subTypeApp": "assets",
        "subTypeSystem": "",
        "typeApp": "Kassenbestand, Bundesbankguthaben, Guthaben bei Kreditinstituten und Schecks",
        "typeSystem": "BANK",
        "unmapped": [],
      }
    `)
      expect(countEach(accounts.flatMap((account) => account.unmapped))).toMatchInlineSnapshot(`{}`)
    })

    it('gives a user of two companies the current one only', async () => {
      const items = await listItems(await openSession({ user: books.clerk }), pullAccounts)
      expect(items.map(mapItem).map(({ name, classSystem, typeSystem }) => [name, classSystem, typeSystem])).toMatchInlineSnapshot(`
      [
        [
          "Minimal Account Chart",
          "NON_POSTING",
          "OTHER",
        ],
        [
          "Main Cash",
          "ASSET",
          "BANK",
        ],
        [
          "Main Expense",
          "EXPENSE",
          "EXPENSE",
        ],
        [
          "Main Payable",
          "LIABILITY",
          "ACCOUNTS_PAYABLE",
        ],
        [
          "Main Receivable",
          "ASSET",
          "ACCOUNTS_RECEIVABLE",
        ],
        [
          "Main Revenue",
          "INCOME",
          "INCOME",
        ],
        [
          "Main Tax",
          "LIABILITY",
          "TAX_LIABILITY",
        ],
      ]
    `)
    })

    it('takes the side of an account from its group in the chart if its type covers both revenue and expense', async () => {
      const items = await listItems(await openSession({ user: books.accountant }), pullAccounts)
      const accounts = items.map(mapItem).filter((account) => String(account.subTypeApp).includes('revenue, expense'))
      expect(new Set(accounts.map(({ number, classSystem }) => `${String(number).slice(0, 1)} ${classSystem}`))).toEqual(
        new Set(['6 EXPENSE', '7 INCOME']),
      )
      expect(accounts.flatMap(({ unmapped }) => unmapped)).toEqual([])
    })

    it('shows an account that was renamed, then one that was deactivated, at the next sync', async () => {
      const session = await openSession()
      const find = async (id: number) =>
        (await listItems(session, pullAccounts)).filter((item) => item.origId === String(id)).map(mapItem)[0]
      expect(await find(books.bankId)).toMatchObject({ name: 'Bank', statusSystem: 'ACTIVE' })
      await server.call('model.account.account.write', [books.bankId], { name: 'Caisse Desjardins', template_override: true }, {})
      expect(await find(books.bankId)).toMatchObject({ name: 'Caisse Desjardins', statusSystem: 'ACTIVE' })
      const idle = (await listItems(session, pullAccounts)).map(mapItem).find((account) => account.number === '4970')
      const idleId = Number(idle?.origId)
      const ended = { __class__: 'date', year: 2020, month: 12, day: 31 }
      await server.call('model.account.account.write', [idleId], { end_date: ended, template_override: true }, {})
      expect(await find(idleId)).toMatchObject({ number: '4970', statusApp: 'inactive', statusSystem: 'ARCHIVED' })
    })

    it('delivers posted entries as balanced lines, and nothing of a draft', async () => {
      const moveId = await createEntry(server, books, '1234567890.12', 'Meunerie Saint-Laurent')
      const draftId = await createEntry(server, books, '5.00', 'Brouillon', false)
      const lines = (await listItems(await openSession(), pullEntries)).map(mapItem)
      expect(lines.filter((line) => line.entryId === String(moveId))).toMatchObject([
        {
          accountOrigId: String(books.goodsId),
          debit: '1234567890.12',
          credit: null,
          currency: 'CAD',
          postedOn: '2026-01-31',
          description: 'Farine',
        },
        {
          accountOrigId: String(books.bankId),
          debit: null,
          credit: '1234567890.12',
          description: 'Meunerie Saint-Laurent',
          sourceType: 'cash',
        },
      ])
      expect(lines.filter((line) => line.entryId === String(draftId))).toEqual([])
    })

    it('converts a cancelled entry, which Tryton writes with negative amounts, to the opposite sides', async () => {
      const moveId = await createEntry(server, books, '-19.99', 'Annulation')
      const lines = (await listItems(await openSession(), pullEntries)).map(mapItem).filter((line) => line.entryId === String(moveId))
      expect(lines).toMatchObject([
        { debit: null, credit: '19.99' },
        { debit: '19.99', credit: null },
      ])
    })

    it('requests only changes in the second run and finds the entry posted in between', async () => {
      const session = await openSession()
      const first = await runPull(session, pullEntries)
      const moveId = await createEntry(server, books, '42.00', 'Levure')
      const second = await runPull(session, pullEntries, first.resume)
      expect(first.listing).toBe('complete')
      expect(second.listing).toBe('changes')
      expect(second.items.map(mapItem).map((line) => line.entryId)).toContain(String(moveId))
    })

    it(
      'makes a new version only of the edited account',
      async () => {
        const engine = await openEngine('tryton', kit, await submit({}))
        await engine.sync()
        const before = await engine.countVersions()
        await server.call('model.account.account.write', [books.goodsId], { name: 'Farine et levure', template_override: true }, {})
        expect(await engine.sync()).toBe('published')
        const after = await engine.countVersions()
        expect(changedSince(before, after)).toEqual([`Accounts ${books.goodsId}`])
        expect(await engine.sync()).toBe('unchanged')
        expect(changedSince(after, await engine.countVersions())).toEqual([])
        await engine.close()
      },
      START_MS,
    )

    it(
      'publishes the whole chart, each account once, after the server was killed during the first run',
      async () => {
        const engine = await openEngine('tryton', kit, await submit({}))
        let killedAt = 0
        engine.onRequest = async (number) => {
          if (number !== 4 || killedAt > 0) return
          killedAt = number
          await server.kill()
        }
        await expect(engine.sync()).rejects.toMatchObject({ name: 'SourceError', kind: 'unavailable' })
        expect([killedAt, (await engine.countVersions()).size]).toEqual([4, 0])
        await server.restart()
        await engine.sync()
        const accounts = [...(await engine.countVersions())].filter(([record]) => record.startsWith('Accounts '))
        expect([accounts.length, new Set(accounts.map(([, versions]) => versions))]).toEqual([1162, new Set([1])])
        await engine.close()
      },
      START_MS,
    )

    it('loses nothing if the server is killed during a listing', async () => {
      const session = await openSession()
      const first = await pullAccounts.fetch(session, null)
      const pending = pullAccounts.fetch(session, first.next)
      await Promise.all([server.kill(), expect(pending).rejects.toMatchObject({ name: 'SourceError', kind: 'unavailable' })])
      await expect(pullAccounts.fetch(session, first.next)).rejects.toMatchObject({ kind: 'unavailable' })
      await server.restart()
      const rest = await runPull(session, pullAccounts, first.next)
      expect([...pullAccounts.read(first.answers), ...rest.items]).toHaveLength(1162)
    })

    it('opens a new session when the stored one has expired', async () => {
      const session = await openSession()
      await trytonConnector.disconnect?.(kit, session.credentials)
      expect(await listItems(session, pullAccounts)).toHaveLength(1162)
      const renewed = await trytonConnector.refreshCredentials?.(kit, session.credentials)
      expect(renewed).not.toEqual(session.credentials)
    })

    it('requires a reconnect when the password was changed at the source', async () => {
      const session = await openSession({ user: books.clerk })
      const [userId] = (await server.call('model.res.user.search', [['login', '=', books.clerk]], 0, 1, null, {})) as number[]
      await server.call('model.res.user.write', [userId ?? 0], { password: 'Vk7-boeuf_qXz' }, {})
      await trytonConnector.disconnect?.(kit, session.credentials)
      await expect(pullAccounts.fetch(session, null)).rejects.toMatchObject({ kind: 'reconnect' })
    })

    it.each([
      ['a wrong password', { password: 'Zt9-croute_wLm' }, 'password'],
      ['an unknown user', { user: 'personne' }, 'password'],
      ['an unknown database', { database: 'inconnue' }, 'database'],
      ['a port where nothing listens', { address: 'http://127.0.0.1:9' }, 'address'],
      ['text that is no address', { address: 'http://' }, 'address'],
    ])('reports %s beside the right field', async (_case, values, field) => {
      const refusal = await submit(values).catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(InputRefused)
      expect(refusal).toMatchObject({ field })
    })

    it('distinguishes too many failed logins from a wrong password', async () => {
      const outcomes = new Set<string>()
      for (let attempt = 0; attempt < 4; attempt++) {
        const error = await submit({ user: 'devin', password: `essai-${attempt}` }).catch((reason: unknown) => reason)
        outcomes.add(error instanceof SourceError ? error.kind : error instanceof InputRefused ? `field ${error.field}` : 'other')
      }
      expect([...outcomes].sort()).toEqual(['field password', 'rateLimited'])
    })
  },
)
