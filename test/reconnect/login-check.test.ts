import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Connector, type Grant, type Page, type Session, SourceError } from '../../src/connectors/contract/contract.ts'
import { hledger } from '../../src/connectors/hledger/index.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { EntityMismatch } from '../../src/sync/authorize/grant.ts'
import { assertSameLogins } from '../../src/sync/authorize/reconnect-check.ts'
import { createOwnerLink, type OpenLink, openLink } from '../../src/sync/links/link.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { authorize } from './owner.ts'
import { ReaderThreads } from './reader-threads.ts'
import { type ListedAccount, RelinkedBank } from './relinked-bank.ts'

/** Answers a page of accounts at the check. */
type Answer = (cursor: unknown) => Partial<Page> & { accounts?: ListedAccount[] }

class CheckedBank extends RelinkedBank {
  hasFingerprints = true
  /** Null: as the login lists them. */
  answer: Answer | null = null
  asked: { session: Session; cursor: unknown }[] = []

  override get connector(): Connector {
    const { reidentify, pulls, ...rest } = super.connector
    const fetch = async (session: Session, cursor: unknown): Promise<Page> => {
      this.asked.push({ session, cursor })
      const { accounts = [], ...more } = this.answer?.(cursor) ?? {}
      return { answers: { list: Buffer.from(JSON.stringify(accounts)) }, next: null, listing: 'complete', ...more }
    }
    return {
      ...rest,
      ...(this.hasFingerprints && reidentify ? { reidentify } : {}),
      pulls: pulls.map((pull) => (this.answer && pull.delivers.includes('Accounts') ? { ...pull, fetch } : pull)),
    }
  }
}

const bank = new CheckedBank()
const harness = openForTests(() => openSyncHarness([], [bank.description]))
const query = async (text: string, values: unknown[] = []) => (await harness.deps.database.query(text, values)).rows

const account = (id: string, mask: string | null, more: Partial<ListedAccount> = {}): ListedAccount => ({
  ...{ id, persistentId: null, mask, kind: 'checking', name: 'Operations', officialName: null, currency: 'CAD', balance: '10.50' },
  ...more,
})
const GRANT: Grant = { credentials: { secret: { token: 'new' }, expiresAt: null }, entity: { id: 'caisse', name: 'Caisse' } }

let connectionId: string
let open: OpenLink
beforeEach(async () => {
  const { deps, instanceId } = harness
  Object.assign(bank, { hasFingerprints: true, answer: null, asked: [], chosen: 'login' })
  const scope = { instanceId, companyId: await addCompany(deps.database, instanceId), serviceId: toServiceId('relinked-bank') }
  bank.logins.set('login', {
    ...{ entity: GRANT.entity, reference: 'login', changes: [] },
    accounts: ['1111', '2222', '3333', '4444'].map((mask) => account(`old-${mask}`, mask)),
  })
  connectionId = await authorize(deps, scope)
  await harness.sync(connectionId)
  const token = randomUUID().padEnd(43, '0')
  await createOwnerLink(deps.database, deps, { ...scope, issuedBy: 'dev@example.com' }, { token })
  const opened = await openLink(deps, token)
  if (!opened) throw new Error('the link cannot be opened')
  open = opened
})

const check = (accounts: ListedAccount[] | Answer, grants: Grant[] = [GRANT]) => {
  bank.answer = typeof accounts === 'function' ? accounts : () => ({ accounts })
  return assertSameLogins(harness.deps, open, grants)
}
const STRANGE = [account('new-9999', '9999')]

describe('a login of a bank', () => {
  it('that shows none of the accounts is refused, and both are named by the ends of their accounts', async () => {
    const error = await check([...STRANGE, account('new-8888', '8888')]).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(EntityMismatch)
    expect(error).toMatchObject({ now: 'Caisse (••••9999, ••••8888)', before: expect.stringMatching(/^Caisse \((••••\d{4}, ){3}…\)$/) })
  })

  it('with three accounts is named by all of them', async () => {
    const three = ['7777', '8888', '9999'].map((mask) => account(`new-${mask}`, mask))
    await expect(check(three)).rejects.toMatchObject({ now: 'Caisse (••••7777, ••••8888, ••••9999)' })
  })

  it.each([
    ['lists an account under its id', [...STRANGE, account('old-2222', '2222')]],
    ['lists an account under another id', [...STRANGE, account('new-2222', '2222')]],
    ['may list one of the accounts', [...STRANGE, account('new-x', null)]],
    ['lists none', []],
  ])('is accepted that %s', async (_what, accounts) => {
    await expect(check(accounts)).resolves.toBeUndefined()
    expect(bank.asked).toHaveLength(1)
  })

  it('is accepted that lists an account again which had ended', async () => {
    await query(`update record_versions set deleted = true where connection_id = $1 and orig_id = 'old-1111' and valid_to is null`, [
      connectionId,
    ])
    await expect(check([account('new-1111', '1111')])).resolves.toBeUndefined()
    await expect(check(STRANGE)).rejects.toBeInstanceOf(EntityMismatch)
  })

  it('is asked with the new credentials, for the books and without files', async () => {
    await check(STRANGE).catch(() => undefined)
    const [asked] = bank.asked
    expect(asked).toMatchObject({ cursor: null, session: { credentials: GRANT.credentials, entityId: 'caisse' } })
    expect(await asked?.session.nextFile(null)).toBeNull()
  })
})

describe('a list of accounts', () => {
  const pages =
    (count: number, last: ListedAccount[] = []): Answer =>
    (cursor) => {
      const page = typeof cursor === 'number' ? cursor : 1
      return {
        accounts: page === count ? last : STRANGE.map((one) => ({ ...one, id: `new-${page}` })),
        next: page < count ? page + 1 : null,
      }
    }

  it('is read to its end, five pages at most', async () => {
    await expect(check(pages(5, STRANGE))).rejects.toBeInstanceOf(EntityMismatch)
    expect(bank.asked.map(({ cursor }) => cursor)).toEqual([null, 2, 3, 4, 5])
    await expect(check(pages(5, [account('old-1111', '1111')]))).resolves.toBeUndefined()
  })

  it('is read by a thread where it is large', async () => {
    const { source } = open.service
    const files = new ReaderThreads([{ entity: 'Accounts', origId: 'old-1111', wire: account('old-1111', '1111') }])
    const large = Array.from({ length: 20_000 }, (_, index) => account(`new-${index}`, '9999'))
    await expect(check(large)).rejects.toBeInstanceOf(EntityMismatch)
    open.service = { ...open.service, source: { ...source, description: { ...source.description, key: hledger.key }, files } }
    await expect(check(large)).resolves.toBeUndefined()
  })

  it('that is longer refuses nobody: the first run compares it', async () => {
    await expect(check(pages(6, STRANGE))).resolves.toBeUndefined()
    expect(bank.asked).toHaveLength(5)
  })

  it('that is not complete refuses nobody', async () => {
    await expect(check(() => ({ accounts: STRANGE, listing: 'changes' }))).resolves.toBeUndefined()
  })

  it.each([
    ['because the source fails', new SourceError('unavailable', 'down'), null],
    ['because of a fault of ours', new TypeError('a fault'), 'a fault'],
  ])('that cannot be read %s', async (_what, fault, thrown) => {
    const checked = check(() => {
      throw fault
    })
    if (thrown === null) await expect(checked).resolves.toBeUndefined()
    else await expect(checked).rejects.toThrow(thrown)
  })

  it('is not asked for again where accounts are not recognized by anything but their ids', async () => {
    bank.hasFingerprints = false
    await check(STRANGE)
    expect(bank.asked).toEqual([])
  })

  it.each([
    ['that was never published', 'update connections set published_at = null where id = $1'],
    ['of other books, which are refused anyway', `update connections set entity_id = 'other' where id = $1`],
  ])('is not asked for where there is a connection %s', async (_what, change) => {
    await query(change, [connectionId])
    await check(STRANGE)
    expect(bank.asked).toEqual([])
  })

  it('is not asked for where another company is connected', async () => {
    open = { ...open, link: { ...open.link, companyId: randomUUID() } }
    await check(STRANGE)
    expect(bank.asked).toEqual([])
  })

  it('is compared with that of the same bank of a directory, for each grant', async () => {
    const elsewhere: Grant = { ...GRANT, institution: { id: 'b-1', name: 'Bank One' } }
    await check(STRANGE, [elsewhere])
    expect(bank.asked).toEqual([])
    await expect(check(STRANGE, [elsewhere, GRANT])).rejects.toBeInstanceOf(EntityMismatch)
  })
})
