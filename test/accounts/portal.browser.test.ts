import { beforeAll, describe, expect, it } from 'vitest'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { runJob, takeJobs } from '../harness/app/jobs.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { listWidthFlaws } from '../harness/widths.ts'
import { openInProcessHarness } from '../portal/harness/in-process-harness.ts'
import { companyActions } from '../sync/harness.ts'
import { StatementSource } from './statement-source.ts'

const [north, south] = [new StatementSource('north'), new StatementSource('south')]
const ROWS = [
  ['2026-10-01', '-41.27'],
  ['2026-10-09', '-118.02'],
  ['2026-10-14', '2500.13'],
  ['2026-11-02', '-63.4'],
] as const

const LOOKS = [
  {
    locale: 'en-CA',
    colorScheme: 'light',
    title: 'Bank accounts',
    same: 'Same account as in Scripted Books',
    reasons: '4 matching transactions · same last digits · same bank',
    total: 'each account counted once (2 accounts)',
    twice: 'Maple Trust Bank is connected more than once',
  },
  {
    locale: 'fr-CA',
    colorScheme: 'dark',
    title: 'Comptes bancaires',
    same: 'Même compte que dans Scripted Books',
    reasons: '4 opérations concordantes · même fin de numéro · même institution',
    total: 'chaque compte compté une seule fois (2 comptes)',
    twice: 'Plusieurs connexions mènent à Maple Trust Bank',
  },
] as const

describe.skipIf(lacksBrowser)(`a company’s bank accounts at the portal${browserNote}`, () => {
  const harness = openForTests(() => openInProcessHarness([north.description, south.description]))
  let companyId = ''

  beforeAll(async () => {
    const { api } = harness
    companyId = await addCompany(api.deps.database, api.instanceId)
    const shared = { bank: 'Maple Trust Bank', ending: '4410', balance: '1200.55', balanceAt: '2026-11-20T08:00:00Z', rows: ROWS }
    north.statements = [
      { ...shared, id: 'one', name: 'Chequing' },
      { id: 'two', bank: 'Maple Trust Bank', name: 'Savings', kind: 'Savings', ending: '9921', balance: '99.99' },
    ]
    south.statements = [{ ...shared, id: 'S-1', name: 'Business chequing' }]
    const actions = companyActions(api.deps.sync, api.instanceId, companyId)
    for (const source of [north, south]) await actions.sync(await actions.connect(source), { reason: 'first' })
    for (const job of await takeJobs(api.deps.database, 'accountMatches')) await runJob(syncHandlers(api.deps.sync).accountMatches, job)
  }, 60_000)

  it.each(LOOKS)('are one list with what is the same, by keyboard at 320 px, in $locale', async (look) => {
    const { locale, colorScheme } = look
    const page = await harness.visit({ locale, colorScheme, bypassCSP: true, viewport: { width: 320, height: 800 } })
    await harness.go(page, `/companies/${companyId}`)
    await page.getByRole('heading', { name: look.title }).waitFor()
    await page.getByText(look.same).first().waitFor()
    const text = (await page.locator('main').innerText()).replace(/\u00a0/g, ' ')
    for (const words of [look.reasons, look.total, look.twice, '••••9921']) expect(text).toContain(words)
    expect(await page.getByText(look.same).count()).toBe(2)
    expect(await listViolations(page)).toEqual([])
    expect(await listWidthFlaws(page, 'company', [320, 1280])).toEqual([])
    const link = page.getByRole('table', { name: look.title }).getByRole('link').first()
    await link.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/connections\//)
    await page.context().close()
  })

  it('a company without any has no such list', async () => {
    const id = await addCompany(harness.api.deps.database, harness.api.instanceId)
    const page = await harness.visit({ locale: 'en-CA', bypassCSP: true })
    await harness.go(page, `/companies/${id}`)
    await page.getByText('No connections yet').waitFor()
    expect(await page.getByRole('heading', { name: 'Bank accounts' }).count()).toBe(0)
    await page.context().close()
  })
})
