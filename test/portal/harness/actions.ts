import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { uploadStatement } from '../../journey/http-walks.ts'
import { until } from '../../process/deadline.ts'
import type { PortalHarness } from './portal-harness.ts'

/** Tests every action that has its own button on a page; runs on the caller's harness. */
export function describeActions(stageOf: () => PortalHarness, visit: () => Promise<Page>): void {
  describe('by a button', () => {
    let harness: PortalHarness
    let page: Page

    beforeEach(async () => {
      harness = stageOf()
      page = await visit()
    })

    const press = (name: string, within = 'main') => page.locator(within).getByRole('button', { name, exact: true }).click()
    const confirm = (name: string) => press(name, '.mantine-Modal-content')

    async function published(companyId: string, serviceId: string, count: number): Promise<void> {
      const path = `/normalized-data/company/${companyId}/data-connection/${serviceId}/runs`
      await until(`${count} publications`, async () => {
        const { body } = await harness.client.ask(path)
        return body.split('"published"').length > count ? true : null
      })
    }

    it('syncs a connection now, suspends it, resumes it, and disconnects it permanently', async () => {
      const companyId = await harness.client.addCompany('Laiterie du Port')
      const serviceId = await harness.connectBooks(companyId)
      await harness.go(page, `/companies/${companyId}/connections/${serviceId}`)
      const readings = page.locator('.timeline li', { hasText: 'Sync' })
      const before = await readings.count()
      await press('Sync now')
      await until('a second reading', async () => ((await readings.count()) > before ? true : null))
      await press('Suspend')
      await confirm('Suspend')
      await press('Resume')
      await page.getByRole('button', { name: 'Sync now' }).waitFor()
      await press('Disconnect')
      await confirm('Disconnect')
      await page.locator('.mantine-Modal-content').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Disconnect' }).waitFor({ state: 'detached' })
      expect(await harness.client.connections(companyId)).toMatchObject([{ statusCode: 26 }])
    })

    it('goes back in time with the slider, by keyboard, and the address leads there again', async () => {
      const companyId = await harness.client.addCompany('Fromagerie des Caps')
      const { id } = await harness.client.service('Bank files')
      const link = () => harness.client.link(companyId, id)
      await uploadStatement(harness.service.baseUrl, await link())
      await published(companyId, id, 1)
      await uploadStatement(harness.service.baseUrl, await link(), (text) =>
        text.replaceAll('20260930', '20261031').replace('5120.44', '6120.44'),
      )
      await published(companyId, id, 2)
      await harness.go(page, `/companies/${companyId}/connections/${id}?view=accounts`)
      const slider = page.getByRole('slider')
      const now = await page.locator('table').innerText()
      await slider.press('Home')
      await page.waitForURL(/asOf=/)
      await until('what was there first', async () => ((await page.locator('table').innerText()) === now ? null : true))
      const [then, moment] = [await page.locator('table').innerText(), await slider.getAttribute('aria-valuetext')]
      await page.reload()
      await page.locator('table').waitFor()
      expect([await page.locator('table').innerText(), await page.getByRole('slider').getAttribute('aria-valuetext')]).toEqual([
        then,
        moment,
      ])
      await press('Now')
      await until('what is there now', async () => ((await page.locator('table').innerText()) === now ? true : null))
    })

    it('rotates the secret of an endpoint without a gap: announced, promoted, the old one retired', async () => {
      const made = await harness.client.ask('/webhooks/receivers', { method: 'POST', body: { event: 'NormalizedData' } })
      const { subscriptionId }: { subscriptionId: string } = JSON.parse(made.body)
      await harness.go(page, `/webhooks/${subscriptionId}`)
      const secrets = page.getByRole('table', { name: 'Secrets' }).locator('tbody tr')
      await press('Rotate secret')
      await confirm('Rotate secret')
      expect(await page.locator('.mantine-Modal-content pre').innerText()).toMatch(/^whsec_/)
      await press('I have saved it', '.mantine-Modal-content')
      await until('two secrets', async () => ((await secrets.count()) === 2 ? true : null))
      await press('Promote new secret')
      await confirm('Promote new secret')
      await press('Retire old secrets')
      await confirm('Retire old secrets')
      await until('one secret', async () => ((await secrets.count()) === 1 ? true : null))
    })

    it('invites a member, who sets a password by the mailed link and has verified the address', async () => {
      const email = 'noor@example.com'
      const row = page.getByRole('row', { name: email })
      await harness.go(page, '/members?do=add')
      await page.getByRole('textbox', { name: 'Name' }).fill('Noor Haddad')
      await page.getByLabel('E-mail address').fill(email)
      await press('Save', '.mantine-Modal-content')
      await row.getByText('Unconfirmed').waitFor()
      const link = await until('the invitation', async () => {
        const mails: { to: string; text: string }[] = JSON.parse((await harness.client.ask('/sandbox/mails')).body)
        return (
          mails.flatMap(({ to, text }) => (to.includes(email) ? (/\S+\/portal\/new-password#\S+/.exec(text)?.[0] ?? []) : []))[0] ?? null
        )
      })
      const { page: theirs } = await harness.visit({ isSignedIn: false })
      await theirs.goto(link)
      await theirs.fill('input[name=password]', 'quiet-orchard-lantern-58')
      await theirs.click('button[type=submit]')
      await theirs.waitForSelector('h1:has-text("Your new password is set")')
      await theirs.click('button:has-text("Back to sign in")')
      await theirs.fill('input[name=email]', email)
      await theirs.fill('input[name=password]', 'quiet-orchard-lantern-58')
      await theirs.click('button[type=submit]')
      await theirs.waitForSelector('h1:has-text("Companies")')
      await theirs.context().close()
      await page.reload()
      await row.waitFor()
      expect(await row.innerText()).not.toContain('Unconfirmed')
    })

    it('requests a missing bank, and answers the requester', async () => {
      await harness.go(page, '/catalogue')
      await press('Request an institution')
      await page.fill('input[name=name]', 'Caisse des Îles')
      await press('Request an institution', '.mantine-Modal-content')
      const row = page.getByRole('row', { name: /Caisse des Îles/ })
      await row.getByRole('button').click()
      await page.fill('textarea[name=answer]', 'It is there from Monday.')
      await press('Save', '.mantine-Modal-content')
      await row.getByText('It is there from Monday.').waitFor()
    })

    it('announces each new page from its heading, and dialogs from their first field', async () => {
      await harness.go(page, '/companies')
      await page.getByRole('link', { name: 'Members' }).click()
      await page.waitForSelector('h1:has-text("Members"):focus')
      await page.getByRole('button', { name: 'Add a member' }).press('Enter')
      await page.waitForSelector('[role=dialog] input[name=name]:focus')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.waitForSelector('button:has-text("Add a member"):focus')
    })
  })
}
