import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bankFiles } from '../../../src/connectors/bank-files/index.ts'
import { simplefin } from '../../../src/connectors/simplefin/index.ts'
import { toServiceId } from '../../../src/model/catalogue.ts'
import { addCompany } from '../../harness/app/tenants.ts'
import { browserNote, lacksBrowser } from '../../harness/browser.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { openInProcessHarness } from '../harness/in-process-harness.ts'
import { pretendTooLarge } from '../harness/too-large.ts'

const BANK = 'Caisse de la Rive'

describe.skipIf(lacksBrowser)(`the palette of an instance with very many connections${browserNote}`, () => {
  const harness = openForTests(() => openInProcessHarness([simplefin, bankFiles]))
  let page: Page

  beforeAll(async () => {
    const { deps, instanceId } = harness.api
    const bankId = crypto.randomUUID()
    await deps.database.query(
      `insert into child_services (instance_id, id, connector_key, institution_id, name) values ($1, $2, 'simplefin', 'rive', $3)`,
      [instanceId, bankId, BANK],
    )
    for (const [company, key, serviceId] of [
      ['Ferme Ouellet', 'simplefin', toServiceId('simplefin')],
      ['Garage Ouellet', 'simplefin', bankId],
      ['Atelier Roy', 'bank-files', toServiceId('bank-files')],
    ] as const) {
      const companyId = await addCompany(deps.database, instanceId)
      await deps.database.query('update companies set name = $3 where instance_id = $1 and id = $2', [instanceId, companyId, company])
      await deps.database.query(
        `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, entity_id, refresh_hours, update_scheduled_at)
         values ($1, gen_random_uuid(), $2, $3, $4, 'Banking', '', 19, 'login', 24, clock_timestamp())`,
        [instanceId, companyId, serviceId, key],
      )
    }
    pretendTooLarge(deps.database)
  })
  afterEach(async () => await page?.context().close())

  const options = () => page.locator('[role=dialog] [role=option]').filter({ hasText: ' · ' }).allInnerTexts()

  it.each([
    ['en-CA', 'simplefin', ['SimpleFIN · Ferme Ouellet Connection']],
    ['en-CA', 'rive', [`${BANK} · Garage Ouellet Connection`]],
    ['fr-CA', 'relevés', ['Relevés bancaires · Atelier Roy Connexion']],
    ['en-CA', 'roy', ['Bank files · Atelier Roy Connection']],
    ['en-CA', 'absent', []],
  ])('finds in %s what “%s” names: %j', async (locale, words, found) => {
    page = await harness.visit({ locale })
    await page.context().clock.resume()
    await harness.go(page, '/usage')
    await page.keyboard.press('Control+k')
    const answered = page.waitForResponse((response) => response.url().includes('/normalized-data/services'))
    await page.locator('[role=dialog]').getByRole('combobox').pressSequentially(words)
    await answered
    await expect.poll(async () => (await options()).map((option) => option.replaceAll(/\s+/g, ' '))).toEqual(found)
    await page.waitForLoadState('networkidle')
    expect([(await options()).length, await page.locator('[role=dialog] .problem').count()]).toEqual([found.length, 0])
  })
})
