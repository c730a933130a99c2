import type { Browser, Page } from 'playwright-core'
import { findConnection } from '../../../src/store/connections/connections.ts'
import { findPublication } from '../../../src/store/records/publications.ts'
import { issueLink } from '../../../src/sync/links/link.ts'
import { runSyncJob } from '../../harness/app/jobs.ts'
import type { ConnectHarness, MoreKey } from './harness.ts'

/** A visitor with a separate browser window; `complaints` collects messages of its console and errors of its scripts. */
export async function visitProvider(
  browser: Browser,
  locale: string,
): Promise<{ page: Page; complaints: string[]; close(): Promise<void> }> {
  const context = await browser.newContext({ locale })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return { page, complaints, close: () => context.close() }
}

/**
 * Leads from a new link to our page with the provider's frame open. `bank` is found in the directory, linked before, or
 * chosen at the provider (null).
 */
export async function walkToFrame(
  { deps, instanceId, link }: ConnectHarness,
  page: Page,
  provider: MoreKey,
  companyId: string,
  bank: { search: string } | { serviceId: string } | null,
): Promise<void> {
  const isRepair = bank !== null && 'serviceId' in bank
  await page.goto(
    isRepair
      ? await issueLink(deps, { instanceId, companyId, serviceId: bank.serviceId, issuedBy: 'dev@example.com' })
      : await link(provider, companyId),
  )
  await page.click('button[value=agree]')
  if (bank !== null && !isRepair) {
    await page.waitForURL(/institutions/)
    await page.fill('#search', bank.search)
    await page.press('#search', 'Enter')
    await page.click('.banks a')
  }
  await page.waitForURL(/connect\/source/)
  await page.click('form[method=post] button')
  await page.waitForSelector('iframe')
}

/** Runs a sync of the company's connection; returns what readers would get. */
export async function syncCompany({ deps, instanceId }: ConnectHarness, companyId: string) {
  const { rows } = await deps.database.query<{ id: string }>('select id from connections where company_id = $1', [companyId])
  const [connection] = rows
  if (!connection) throw new Error('nothing was connected')
  await runSyncJob(deps, { instanceId, connectionId: connection.id }, { reason: 'first' })
  const after = await findConnection(deps.database, instanceId, connection.id)
  const { serviceId = '', entityName, status, reference } = after ?? {}
  const publication = await findPublication(deps.database, { instanceId, companyId, serviceId })
  return { entityName, serviceId, status, reference, accounts: publication?.accounts, transactions: publication?.transactions }
}
