import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { listViolations } from '../harness/axe.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { listWidthFlaws } from '../harness/widths.ts'
import { openInProcessHarness } from '../portal/harness/in-process-harness.ts'

const LOOKS = [
  {
    locale: 'en-CA',
    colorScheme: 'light',
    said: {
      add: 'Add a group',
      save: 'Save',
      saved: 'Saved. The new roles are in effect.',
      twice: 'is given twice',
      without: 'Users without a role cannot sign in.',
      remove: 'Remove Finance',
    },
  },
  {
    locale: 'fr-CA',
    colorScheme: 'dark',
    said: {
      add: 'Ajouter un groupe',
      save: 'Enregistrer',
      saved: 'Enregistré. Les nouveaux rôles sont en vigueur.',
      twice: 'figure deux fois',
      without: 'Un utilisateur sans rôle ne peut pas ouvrir de session.',
      remove: 'Retirer Finance',
    },
  },
] as const

describe.skipIf(lacksBrowser)(`users from a directory at the portal${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)
  let key = ''
  beforeAll(async () => {
    key = await addKey()
    const { id } = await scim('Users', { userName: 'ann@example.com' })
    await scim('Groups', { displayName: 'Finance', externalId: 'f-1', members: [{ value: id }] })
  })

  async function addKey(): Promise<string> {
    const { api } = harness
    const login = { email: (await api.addUser()).email, password: 'violet-harbour-teapot-91' }
    const { access_token } = (await api.app.inject({ method: 'POST', url: '/admin/api/v1/auth/login', payload: login })).json<{
      access_token: string
    }>()
    const headers = { authorization: `Bearer ${access_token}` }
    const made = await api.app.inject({
      method: 'POST',
      url: '/admin/api/v1/api-keys',
      headers,
      payload: { name: 'IdP', scopes: ['scim'] },
    })
    return made.json<{ key: string }>().key
  }

  async function scim(type: 'Users' | 'Groups', body: object): Promise<{ id: string }> {
    const schemas = [`urn:ietf:params:scim:schemas:core:2.0:${type.slice(0, -1)}`]
    const headers = { authorization: `Bearer ${key}` }
    const made = await harness.api.app.inject({ method: 'POST', url: `/scim/v2/${type}`, headers, payload: { schemas, ...body } })
    expect(made.statusCode).toBe(201)
    return made.json<{ id: string }>()
  }

  async function rolesOfGroups(): Promise<unknown[]> {
    const { rows } = await harness.api.deps.database.query('select group_name as "group", role from group_roles order by 1')
    return rows
  }

  it.each(LOOKS)(
    'are shown, and roles of groups are set and removed by keyboard at 320 px, in $locale',
    async ({ locale, colorScheme, said }) => {
      const page: Page = await harness.visit({ locale, colorScheme, bypassCSP: true, viewport: { width: 320, height: 800 } })
      const flaws: string[] = []
      const check = async (what: string) =>
        flaws.push(...(await listViolations(page)).map((flaw) => `${what}: ${flaw}`), ...(await listWidthFlaws(page, what, [320])))
      const add = async (name: string, role: string) => {
        await page.getByRole('button', { name: said.add }).press('Enter')
        const group = page.locator('fieldset').last()
        await group.locator('input').fill(name)
        await group.locator('select').selectOption(role)
      }
      const save = () => page.getByRole('button', { name: said.save, exact: true }).press('Enter')

      await harness.go(page, '/provisioning')
      await page.getByText(said.without).waitFor()
      await page.getByText('http://127.0.0.1:8080/scim/v2').waitFor()
      await check('no roles yet')
      await add('Finance', 'viewer')
      await add('Finance', 'admin')
      await save()
      await page.locator('.problem', { hasText: said.twice }).waitFor()
      await check('a refusal')
      expect(await rolesOfGroups()).toEqual([])
      await page.locator('fieldset').last().locator('input').fill('IT')
      await save()
      await page.getByText(said.saved).waitFor()
      expect(await rolesOfGroups()).toEqual([
        { group: 'Finance', role: 'viewer' },
        { group: 'IT', role: 'admin' },
      ])
      await page.getByText(said.without).waitFor({ state: 'detached' })
      await check('roles')
      await page.getByRole('button', { name: said.remove }).press('Enter')
      await page.locator('fieldset').nth(1).waitFor({ state: 'detached' })
      expect(await page.evaluate('document.activeElement.textContent')).toBe(said.add)
      await save()
      await page.getByText(said.saved).waitFor()
      expect(await rolesOfGroups()).toEqual([{ group: 'IT', role: 'admin' }])
      await harness.api.deps.database.query('delete from group_roles')
      await harness.api.deps.database.query('update scim_users set role_of_groups = null')
      expect(flaws).toEqual([])
      await page.context().close()
    },
  )
})
