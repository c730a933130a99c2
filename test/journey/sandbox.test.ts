import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectors, exampleConnectors } from '../../src/connectors/registry.ts'
import { browserNote, lacksBrowser, openBrowser } from '../harness/browser.ts'
import { databaseOfService } from '../harness/database.ts'
import { folderForTests, openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { type Service, startService } from '../process/service.ts'
import { effort } from '../prove/effort.ts'
import { Client } from './client.ts'
import { crawlAsOwner } from './owner-crawler.ts'

/** Sources of uploaded files (journeys.test.ts). */
const ELSEWHERE = ['bank-files']
/** Clicks from opening the link to the source's own login. */
const MAX_CLICKS = 5
const LOCALES = ['en-CA', 'fr-CA'] as const

const sources = [...connectors, ...exampleConnectors].filter(({ key }) => !ELSEWHERE.includes(key))
/** In CI each source in one of the languages, alternating; all in both by `npm run prove`. */
const walks = sources.flatMap((source, index) =>
  LOCALES.filter((_locale, of) => effort.everySourceInBothLanguages || of === index % LOCALES.length).map((locale) => ({ source, locale })),
)

describe.skipIf(lacksBrowser)(`every source of the sandbox${browserNote}`, { timeout: 150_000 }, () => {
  const folder = folderForTests()
  const database = openForTests(databaseOfService, (database) => database.drop())
  let service: Service
  let client: Client
  let chromium: Awaited<ReturnType<typeof openBrowser>>

  beforeAll(async () => {
    const starting = startService({ dataDir: folder.path, environment: database.environment })
    chromium = await openBrowser()
    service = await starting
    client = await Client.logIn(service)
  })
  afterAll(async () => {
    await chromium?.close()
    await service?.stop()
  })

  it.each(walks)('is connected in the browser by a first-time user, and can be read: $source.key, $locale', async ({ source, locale }) => {
    const { id } = await client.service(source.name)
    if (source.hasInstitutions) {
      await until('its directory', async () => {
        const { body } = await client.ask(`/normalized-data/services/${id}/institutions?PageSize=10`)
        return body.includes('"name"') ? true : null
      })
    }
    const companyId = await client.addCompany('Boulangerie du Plateau', '')
    const context = await chromium.browser.newContext({ locale })
    const complaints: string[] = []
    try {
      const page = await context.newPage()
      page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error}`))
      const { clicksToSource } = await crawlAsOwner(page, await client.link(companyId, id), service.baseUrl)
      expect(clicksToSource, 'clicks from the link to the source itself').toBeLessThanOrEqual(MAX_CLICKS)
      expect(await page.getAttribute('html', 'lang')).toBe(locale === 'fr-CA' ? 'fr-CA' : 'en')
    } finally {
      await context.close()
    }
    expect(complaints).toEqual([])
    // The second walk of a source waits until the minute of the first is over, since both may share one company and
    // its limit (Zoho: 100 calls).
    const { serviceId } = await client.connectionInStatus(companyId, [15, 19], effort.everySourceInBothLanguages ? 100_000 : undefined)
    const segment = source.category === 'Banking' ? 'banking' : 'accountancy'
    const { total } = await client.ask(`/normalized-data/${companyId}/${segment}/accounts/${serviceId}`)
    expect(total).toBeGreaterThan(0)
  })
})
