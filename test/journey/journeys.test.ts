import { Webhook } from 'standardwebhooks'
import type { Static } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TEXTS } from '../../src/connect/texts/locale.ts'
import { verifyBody, verifyWebhook } from '../../src/webhooks/verify.ts'
import { browserNote, lacksBrowser, openBrowser } from '../harness/browser.ts'
import { databaseOfService } from '../harness/database.ts'
import { folderForTests, openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { type Service, startService } from '../process/service.ts'
import { type Answer, Client, checked, type ListedConnection } from './client.ts'
import { type OwnerBrowser, openOwnerBrowser } from './owner-browser.ts'
import { type Arrival, openReceiver, type Receiver } from './receiver.ts'
import { AccountingAccounts, BankAccounts, NormalizedDataEvent } from './specification.ts'
import { plaidWalk, quickbooksWalk, STATEMENT_ACCOUNT, uploadWalk, type Walk } from './walks.ts'

type Locale = 'en' | 'fr-CA'

interface Journey {
  source: string
  segment: 'accountancy' | 'banking'
  walk(locale: Locale): Walk
}

const JOURNEYS: Journey[] = [
  { source: 'QuickBooks Online', segment: 'accountancy', walk: () => quickbooksWalk },
  { source: 'Plaid', segment: 'banking', walk: (locale) => plaidWalk(locale === 'en' ? 'credit union' : 'caisse') },
  { source: 'Bank files', segment: 'banking', walk: () => uploadWalk },
]
const LOCALES: Locale[] = ['en', 'fr-CA']
const MAX_CLICKS = 5

describe.skipIf(lacksBrowser)(`the whole journey, from login to data${browserNote}`, () => {
  const folder = folderForTests()
  const database = openForTests(databaseOfService, (database) => database.drop())
  let service: Service
  let client: Client
  let receiver: Receiver
  let secret: string
  let chromium: Awaited<ReturnType<typeof openBrowser>>
  /** What could be read when an event arrived, by company. */
  const readAtEvent = new Map<string, Answer>()

  beforeAll(async () => {
    const starting = startService({ dataDir: folder.path, environment: { LOG_LEVEL: 'trace', ...database.environment } })
    chromium = await openBrowser()
    service = await starting
    client = await Client.logIn(service)
    receiver = await openReceiver(async ({ event }) => {
      const { CompanyId, ServiceId, CategoryName } = event.Data
      readAtEvent.set(
        CompanyId,
        await client.ask(accountsPath(CompanyId, CategoryName === 'Banking' ? 'banking' : 'accountancy', ServiceId)),
      )
    })
    secret = await client.subscribe('NormalizedData', receiver.url)
    await untilDirectoryIsRead()
  })
  afterAll(async () => {
    await chromium?.close()
    await service?.stop()
    await receiver?.close()
  })

  async function untilDirectoryIsRead(): Promise<void> {
    const { id } = await client.service('Plaid')
    await until('the directory of banks', async () => {
      const { body } = await client.ask(`/normalized-data/services/${id}/institutions?search=caisse`)
      return body.includes('aisse') ? true : null
    })
  }

  describe.each(JOURNEYS.flatMap((journey) => LOCALES.map((locale) => ({ ...journey, locale }))))('$source, in $locale', (journey) => {
    let companyId: string
    let owner: OwnerBrowser
    let clicksToLogin: number
    let heading: string | null
    let sourceLanguage: string | null
    let connection: ListedConnection
    let arrival: Arrival

    beforeAll(async () => {
      const name = journey.locale === 'en' ? 'Buckeye Bakery' : 'Boulangerie de l’Île'
      companyId = await client.addCompany(`${name}, ${journey.source}`)
      const link = await client.link(companyId, (await client.service(journey.source)).id)
      const walk = journey.walk(journey.locale)
      owner = await openOwnerBrowser(chromium.browser, { origin: service.baseUrl, locale: journey.locale === 'en' ? 'en-CA' : 'fr-CA' })
      await walk.toLogin(owner, link)
      clicksToLogin = owner.clicks()
      sourceLanguage = await owner.page.getAttribute('html', 'lang')
      await walk.throughSource(owner)
      heading = await owner.page.textContent('h1')
      connection = await client.connectionInStatus(companyId, [15, 18, 19])
      arrival = await receiver.first('NormalizedData', ({ Data }) => Data.CompanyId === companyId)
      await owner.page.waitForSelector('.state.ready')
    })
    afterAll(async () => await owner?.close())

    it(`leads the owner to the source’s own step in ${MAX_CLICKS} clicks at most`, () => {
      expect(clicksToLogin).toBeLessThanOrEqual(MAX_CLICKS)
    })

    it('uses the owner’s language on every page, and passes it to the source', () => {
      expect([...new Set(owner.languages)], `languages of ${owner.languages.length} pages`).toEqual([journey.locale])
      expect(sourceLanguage?.slice(0, 2)).toBe(journey.locale.slice(0, 2))
    })

    it('tells the owner that it is done', () => {
      expect(heading).toBe(TEXTS[journey.locale].done.title)
    })

    it('prints nothing on the browser’s console', () => {
      expect(owner.complaints).toEqual([])
    })

    it('ends in the status of its category', () => {
      const { statusCode, statusName } = connection
      const expected = journey.segment === 'accountancy' ? [15, 'Structured'] : [19, 'Synced']
      expect([statusCode, statusName]).toEqual(expected)
    })

    it('returns accounts with exactly the fields of the specification', async () => {
      const { data, pagination } = await readAccounts()
      expect([pagination.pageNumber, pagination.pageSize, pagination.count]).toEqual([1, 100, data.length])
      expect(data.length).toBeGreaterThan(0)
      expect(data.every(({ serviceId }) => serviceId === connection.serviceId)).toBe(true)
    })

    it('returns transactions', async () => {
      const { status, body } = await client.ask(`/normalized-data/${companyId}/${journey.segment}/transactions/${connection.serviceId}`)
      expect([status, JSON.parse(body).data.length > 0]).toEqual([200, true])
    })

    it('sends the event of the specification, field by field', () => {
      const event: Static<typeof NormalizedDataEvent> = checked(NormalizedDataEvent, 200, arrival.body)
      expect(event.Data).toEqual({
        SessionShareId: connection.sessionId,
        CompanyId: companyId,
        AccountExternalId: null,
        ApplicationId: null,
        ServiceId: connection.serviceId,
        ServiceName: connection.serviceName,
        CategoryName: connection.category,
        CategoryId: connection.categoryId,
        Email: 'developer@example.com',
        IssuedAs: 'Manual',
        ModifiedOn: event.Data.ModifiedOn,
      })
    })

    it('signs it in the body and in the headers, verified by our check and by Standard Webhooks', () => {
      const { body, headers } = arrival
      expect([verifyBody(body, secret), verifyWebhook(headers, body, secret)]).toEqual([true, true])
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
      const forged = body.replace('"Manual"', '"Guided"')
      expect([verifyBody(forged, secret), verifyWebhook(headers, forged, secret)]).toEqual([false, false])
      expect(() => new Webhook(secret).verify(forged, headers)).toThrow('No matching signature')
    })

    it('could be read when the event arrived', async () => {
      const later = await client.ask(accountsPath(companyId, journey.segment, connection.serviceId))
      expect(readAtEvent.get(companyId)).toEqual(later)
      expect(later.status).toBe(200)
    })

    async function readAccounts(): Promise<Static<typeof AccountingAccounts> | Static<typeof BankAccounts>> {
      const path = accountsPath(companyId, journey.segment, connection.serviceId)
      return journey.segment === 'accountancy' ? await client.read(AccountingAccounts, path) : await client.read(BankAccounts, path)
    }
  })

  it.each(['en-CA', 'fr-CA'] as const)('needs no scripts in the browser: Plaid, %s', async (locale) => {
    const companyId = await client.addCompany('Boulangerie sans scripts')
    const link = await client.link(companyId, (await client.service('Plaid')).id)
    const owner = await openOwnerBrowser(chromium.browser, { origin: service.baseUrl, locale, hasScripts: false })
    const walk = plaidWalk(locale === 'en-CA' ? 'bank' : 'caisse')
    await walk.toLogin(owner, link)
    await walk.throughSource(owner)
    await client.connectionInStatus(companyId, [19])
    await owner.page.reload()
    expect(await owner.page.locator('.state.ready').count()).toBe(1)
    await owner.close()
  })

  // Last, so that the log contains all of the above.
  it('leaves no secret and no full account number in the log', () => {
    const log = service.output().split('Countinghouse is ready.')
    const afterGreeting = log.at(-1)?.slice(log.at(-1)?.indexOf('{"level"')) ?? ''
    const text = `${log[0]}${afterGreeting}`
    expect(text.split('\n').length).toBeGreaterThan(100)
    const secrets = [...client.secrets, STATEMENT_ACCOUNT, 'whsec_', 'access-sandbox-', 'link-sandbox-', 'RT1-', 'eyJ', 'pass_good']
    expect(secrets.filter((one) => text.includes(one))).toEqual([])
  })
})

function accountsPath(companyId: string, segment: 'accountancy' | 'banking', serviceId: string): string {
  return `/normalized-data/${companyId}/${segment}/accounts/${serviceId}`
}
