import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openBrowserHarness } from '../connect/kit/browser-harness.ts'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'

const SAID = {
  'en-CA': {
    title: 'This is not the same one as before',
    names: 'Connected until now: Boulangerie du Plateau. You just chose: Café du Nord. Nothing was changed.',
    next: 'Try again and choose the same one as before. To change it, contact Érable Lending first.',
    button: 'Try again',
  },
  'fr-CA': {
    title: 'Ce n’est pas le même choix que la dernière fois',
    names: 'Connecté jusqu’ici : Boulangerie du Plateau. Vous venez de choisir : Café du Nord. Nous n’avons rien changé.',
    next: 'Réessayez en faisant le même choix que la dernière fois. Pour en changer, adressez-vous d’abord à Érable Lending.',
    button: 'Réessayer',
  },
}

describe.skipIf(lacksBrowser)(`an owner who reconnects with another organisation${browserNote}`, () => {
  const tour = openForTests(openBrowserHarness)

  async function fill(page: Page, books: string, name: string): Promise<void> {
    await page.fill('#field-address', books)
    await page.fill('#field-note', name)
    await page.fill('#field-password', 'secret ')
    await tour.submit(page)
  }

  async function findBooks(companyId: string): Promise<unknown[]> {
    const { rows } = await tour.connectHarness.deps.database.query(
      `select entity_id, status, credentials_generation, fault from connections where company_id = $1 and entity_id is not null`,
      [companyId],
    )
    return rows
  }

  it.each(['en-CA', 'fr-CA'] as const)(
    'is told which one is connected, which was selected and what to do, and may select again (%s)',
    async (locale) => {
      const { page, context, complaints } = await tour.visit({ locale, bypassCSP: true })
      const said = SAID[locale]
      const companyId = await tour.connectHarness.addCompany('Client')
      await page.goto(await tour.connectHarness.link('form-source', companyId))
      await tour.agree(page)
      await fill(page, 'books-1', 'Boulangerie du Plateau')
      await page.waitForURL(/connect\/done/)
      const before = await findBooks(companyId)
      await page.goto(await tour.connectHarness.link('form-source', companyId))
      await tour.agree(page)
      await fill(page, 'books-2', 'Café du Nord')
      await page.waitForSelector('a.button')
      const words = (await page.locator('main').innerText()).replace(/[\u00a0\u202f]/g, ' ')
      for (const text of Object.values(said)) expect(words).toContain(text)
      expect(await findBooks(companyId), 'nothing has changed').toEqual(before)
      expect([...(await listViolations(page)), ...complaints]).toEqual([])
      await page.click('a.button')
      await fill(page, 'books-1', 'Boulangerie du Plateau')
      await page.waitForURL(/connect\/done/)
      expect(await findBooks(companyId)).toMatchObject([{ entity_id: 'books-1', credentials_generation: 2 }])
      await context.close()
    },
  )
})
