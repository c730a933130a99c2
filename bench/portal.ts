import { once } from 'node:events'
import { createServer } from 'node:http'
import type { BrowserContext } from 'playwright-core'
import { lacksBrowser } from '../test/harness/browser.ts'
import { openTestPostgres } from '../test/harness/global-setup.ts'
import { openPortalHarness, type PortalHarness } from '../test/portal/harness/portal-harness.ts'
import { until } from '../test/process/deadline.ts'
import { atMost, type Figure, untargeted } from './figures.ts'
import type { Effort } from './options.ts'
import { printProgress } from './progress.ts'
import { median, spread } from './statistics.ts'

const MAX_SECONDS = 2
const MAX_KILOBYTES = 200

/**
 * Baseline: a minimal page with a heading in this browser on this machine, which signals readiness as the portal does.
 */
const BARE_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bare</title></head><body><h1>Bare</h1>
<script>performance.mark('portal-interactive')</script></body></html>`

/** Time from the start of the navigation until the page accepts clicks, and bytes of the bodies transferred for it. */
interface PageLoad {
  ms: number
  /** Bytes of the portal's files, compressed, as sent. */
  fileBytes: number
  /** The same plus the API's answers. */
  allBytes: number
}

const READ_VISIT = `(() => {
  const [mark] = performance.getEntriesByName('portal-interactive')
  if (!mark) return null
  const [page] = performance.getEntriesByType('navigation')
  const came = [page, ...performance.getEntriesByType('resource').filter(({ startTime }) => startTime <= mark.startTime)]
  const sum = (entries) => entries.reduce((bytes, one) => bytes + (one.transferSize > 0 ? one.encodedBodySize : 0), 0)
  return { ms: mark.startTime, fileBytes: sum(came.filter(({ name }) => !name.includes('/admin/api/'))), allBytes: sum(came) }
})()`

/**
 * First page of the portal on a PostgreSQL of its own, in a browser without a cache (cold) and with one (warm),
 * alternating with a bare page in the same browser.
 */
export async function benchPortal({ pageLoads: visits }: Effort): Promise<Figure[]> {
  if (lacksBrowser) return [untargeted('portal: not measured, there is no browser', '')]
  printProgress(`portal: ${visits} visits, cold and warm, beside a bare page`)
  const postgres = await openTestPostgres()
  process.env.TEST_POSTGRES_URL = postgres.url
  const bare = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(BARE_PAGE)).listen(0, '127.0.0.1')
  try {
    await once(bare, 'listening')
    const address = bare.address()
    const bareUrl = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}/`
    const setup = await openPortalHarness()
    try {
      // The first load includes the compilation of the server's own code.
      await loadBoth(setup, bareUrl)
      const seen: Round[] = []
      for (let visit = 0; visit < visits; visit += 1) seen.push(await loadBoth(setup, bareUrl))
      return toFigures(seen)
    } finally {
      await setup.close()
    }
  } finally {
    bare.close()
    await postgres.close()
  }
}

type Round = Awaited<ReturnType<typeof loadBoth>>

async function loadBoth(setup: PortalHarness, bareUrl: string) {
  const { context, page } = await setup.visit()
  await page.close()
  const portalUrl = `${setup.service.baseUrl}/portal/companies`
  const cold = await loadPage(context, portalUrl)
  const warm = await loadPage(context, portalUrl)
  const bare = await loadPage(context, bareUrl)
  await context.close()
  return { cold, warm, bare }
}

async function loadPage(context: BrowserContext, url: string): Promise<PageLoad> {
  const page = await context.newPage()
  await page.goto(url)
  await page.waitForSelector('h1')
  const seen = await until('the page', async () => await page.evaluate<PageLoad | null>(READ_VISIT))
  await page.close()
  return seen
}

function toFigures(rounds: readonly Round[]): Figure[] {
  const secondsOf = (which: keyof Round) => rounds.map((round) => round[which].ms / 1_000)
  const timesBare = (which: 'cold' | 'warm') => rounds.map((round) => round[which].ms / round.bare.ms)
  const kilobytes = (of: 'fileBytes' | 'allBytes', which: 'cold' | 'warm') => median(rounds.map((round) => round[which][of] / 1_000))
  return [
    atMost('portal: interactive in a browser that was never there, s', median(secondsOf('cold')), MAX_SECONDS),
    untargeted('  of a bare page’s time', `${median(timesBare('cold')).toFixed(1)} (${spread(timesBare('cold'), 1)})`),
    atMost('portal: interactive in a browser that was there, s', median(secondsOf('warm')), MAX_SECONDS),
    untargeted('  of a bare page’s time', `${median(timesBare('warm')).toFixed(1)} (${spread(timesBare('warm'), 1)})`),
    untargeted('  a bare page, s', median(secondsOf('bare')).toFixed(3)),
    atMost('portal: files of the first load, compressed, kB', kilobytes('fileBytes', 'cold'), MAX_KILOBYTES, 0),
    untargeted('  with the answers of the API, kB', kilobytes('allBytes', 'cold').toFixed(0)),
    untargeted('  files of a second load, kB', kilobytes('fileBytes', 'warm').toFixed(0)),
  ]
}
