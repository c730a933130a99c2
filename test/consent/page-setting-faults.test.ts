import { expect, it } from 'vitest'
import { getOwnerPages } from '../../src/store/owners/owner-pages.ts'
import { changeOwnerPages, type OwnerPagesInput, SettingsRefused } from '../../src/sync/branding/owner-pages.ts'
import { EMPTY_OWNER_PAGES } from '../harness/app/owner-pages.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { testDatabase } from '../harness/database.ts'
import { openForTests } from '../harness/for-tests.ts'

const opened = openForTests(async () => {
  const { database, drop } = await testDatabase()
  return { database, instanceId: await addInstance(database), close: drop }
})

const LOAN = { key: 'loan', texts: { en: 'A loan', 'fr-CA': 'Un prêt' }, durationDays: 90 }

const change = (input: Partial<OwnerPagesInput>, allowsLoopback = false) =>
  changeOwnerPages(opened.database, opened.instanceId, { ...EMPTY_OWNER_PAGES, publicName: 'Érable Lending', ...input }, { allowsLoopback })
const pages = () => getOwnerPages(opened.database, opened.instanceId)

async function faultsOf(input: Partial<OwnerPagesInput>): Promise<unknown> {
  const before = await pages()
  const error = await change({ publicName: 'Another name', ...input }).catch((thrown: unknown) => thrown)
  expect(await pages(), 'nothing is changed').toEqual(before)
  return error instanceof SettingsRefused ? error.faults.map(({ field, message }) => `${field} ${message}`) : error
}

it.each<[Partial<OwnerPagesInput>, RegExp]>([
  [{ contact: 'no address' }, /^contact has to be an e-mail address or begin with https:\/\/$/],
  [{ contact: 'https://user@example.com' }, /^contact has to be/],
  [{ contact: 'javascript:alert(1)' }, /^contact has to be/],
  [{ timeZone: 'Mars/Olympus' }, /^timeZone is no time zone of the IANA database$/],
  [{ accentLight: '#ffff00' }, /^accentLight has a contrast of 1\.\d\d:1 where 4\.5:1 is needed; the nearest that passes is #[0-9a-f]{6}$/],
  [{ accentDark: '#000033' }, /^accentDark has a contrast of /],
  [{ purposes: [LOAN, { ...LOAN, key: 'rent' }, LOAN] }, /^purposes\.2\.key is given twice$/],
  [{ defaultPurpose: 'rent', purposes: [LOAN] }, /^defaultPurpose is none of the purposes$/],
  [{ returnAddresses: ['https://example.com/ok', 'http://127.0.0.1/'] }, /^returnAddresses\.1 has to begin with https:\/\/$/],
  [{ returnAddresses: ['https://example.com/?a=1'] }, /^returnAddresses\.0 must not hold a query or a fragment$/],
  [{ returnAddresses: ['https://example.com/#a'] }, /^returnAddresses\.0 must not hold a query or a fragment$/],
  [{ frameOrigins: ['https://example.com', 'https://example.com/path'] }, /^frameOrigins\.1 has to be written as https:\/\/example\.com$/],
  [{ frameOrigins: ['http://localhost:3000'] }, /^frameOrigins\.0 has to begin with https:\/\/$/],
])('settings with one fault are refused with the field and its fault, and change nothing: %j', async (input, words) => {
  expect(await faultsOf(input)).toEqual([expect.stringMatching(words)])
})

it('all faults are told at once', async () => {
  expect(await faultsOf({ contact: 'x', timeZone: 'x', defaultPurpose: 'x', frameOrigins: ['x'] })).toHaveLength(4)
})

it('a purpose keeps its version until its text or its duration changes', async () => {
  const versions = async () => {
    const { rows } = await opened.database.query<{ key: string; version: number }>(
      'select key, version from purpose_versions where instance_id = $1 order by key, version',
      [opened.instanceId],
    )
    return rows.map(({ key, version }) => `${key}/${version}`)
  }
  await change({ purposes: [LOAN] })
  await change({ purposes: [LOAN, { ...LOAN, key: 'rent' }] })
  expect(await versions()).toEqual(['loan/1', 'rent/1'])
  for (const changed of [{ durationDays: 91 }, { texts: { ...LOAN.texts, en: 'Loan' } }, { texts: { ...LOAN.texts, 'fr-CA': 'Prêt' } }])
    await change({ purposes: [{ ...LOAN, ...changed }] })
  expect([await versions(), (await pages()).purposeKeys]).toEqual([['loan/1', 'loan/2', 'loan/3', 'loan/4', 'rent/1'], ['loan']])
})

it('what is left out of the time zone and the origins stays; null is no time zone', async () => {
  await change({ timeZone: 'America/Toronto', frameOrigins: ['https://a.example', 'https://a.example'] })
  await change({ contact: 'help@example.com' })
  expect(await pages()).toMatchObject({ timeZone: 'America/Toronto', frameOrigins: ['https://a.example'], contact: 'help@example.com' })
  await change({ timeZone: null, frameOrigins: [] })
  expect(await pages()).toMatchObject({ timeZone: null, frameOrigins: [], contact: '' })
})

it('addresses of this machine are for deployments on this machine', async () => {
  await change({ returnAddresses: ['http://127.0.0.1/'], frameOrigins: ['http://localhost:3000'] }, true)
  expect(await pages()).toMatchObject({ returnAddresses: ['http://127.0.0.1/'], frameOrigins: ['http://localhost:3000'] })
})
