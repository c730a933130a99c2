import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listViolationsInBothThemes } from '../../harness/axe.ts'
import { browserNote, lacksBrowser } from '../../harness/browser.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { listWidthFlaws } from '../../harness/widths.ts'
import { openInProcessHarness } from '../harness/in-process-harness.ts'

const LOOKS = [
  {
    locale: 'en-CA',
    members: { field: 'Search by name or e-mail', nothing: 'No matching members' },
    keys: { field: 'Search by name or start of key', nothing: 'No matching keys' },
  },
  {
    locale: 'fr-CA',
    members: { field: 'Rechercher par nom ou courriel', nothing: 'Aucun membre ne correspond' },
    keys: { field: 'Rechercher par nom ou début de clé', nothing: 'Aucune clé ne correspond' },
  },
]
/** More than a page. */
const COUNT = 120
const [PREFIX, SECRET] = ['ch_live_4TqYw0ab', `${'c0ffeeSecret'.repeat(3)}xyz`]

describe.skipIf(lacksBrowser)(`one of many members and keys is found${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)
  let page: Page

  beforeAll(async () => {
    const query = (text: string) => harness.api.deps.database.query(text, [harness.api.instanceId])
    await query(
      `insert into users (instance_id, id, email, name, role, password_hash, created_at, updated_at)
       select $1, gen_random_uuid(), 'zoe' || n || '@bureau.example', 'Zoé Tremblay ' || n, 'viewer', '', clock_timestamp(), clock_timestamp()
       from generate_series(1, ${COUNT}) n`,
    )
    await query(
      `insert into api_keys (instance_id, id, application_id, name, prefix, token_hash, scopes, created_by, created_at)
       select $1, gen_random_uuid(), gen_random_uuid(), 'Import ' || n, case n when 7 then '${PREFIX}' else 'ch_live_' || lpad(n::text, 8, '0') end,
         sha256(n::text::bytea), '{data:read}', gen_random_uuid(), clock_timestamp() from generate_series(1, ${COUNT}) n`,
    )
  })
  afterEach(async () => await page?.context().close())

  async function open(path: string, locale: string): Promise<void> {
    page = await harness.visit({ locale, bypassCSP: true })
    await page.context().clock.resume()
    await harness.go(page, path)
  }
  const rows = () => page.locator('table.grid').first().locator('tbody tr')
  async function find(field: string, words: string, found: string): Promise<void> {
    await page.getByRole('searchbox', { name: field }).fill(words)
    await expect.poll(() => rows().allInnerTexts()).toEqual([expect.stringContaining(found)])
  }

  describe.each(LOOKS)('in $locale', ({ locale, members, keys }) => {
    it('members by name and by address, from any page, and again after a reload', async () => {
      await open('/members?page=2', locale)
      await find(members.field, 'tremblay 77', 'zoe77@')
      expect(new URL(page.url()).search).toBe('?search=tremblay+77')
      await page.reload()
      await expect.poll(() => rows().count()).toBe(1)
      await find(members.field, 'ZOE101@', 'Zoé Tremblay 101')
    })

    it('keys by name, and by a whole key, of which neither the address nor a request has more than the prefix', async () => {
      await open('/api-keys?page=2', locale)
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      await find(keys.field, 'import 77', 'Import 77')
      await find(keys.field, PREFIX + SECRET, PREFIX)
      expect(new URL(page.url()).search).toBe(`?search=${PREFIX}`)
      expect(asked.filter((url) => url.includes(SECRET.slice(0, 6)))).toEqual([])
    })

    it('a search has pages of its own, and says when it finds nothing', async () => {
      for (const [path, words, { field, nothing }] of [
        ['/members', 'tremblay', members],
        ['/api-keys', 'import', keys],
      ] as const) {
        await open(`${path}?search=${words}&page=2`, locale)
        await expect.poll(() => page.getByText(/^Page 2 (of|de) 3$/).count()).toBe(1)
        expect(await page.getByRole('searchbox', { name: field }).inputValue()).toBe(words)
        const flaws = [...(await listViolationsInBothThemes(page)), ...(await listWidthFlaws(page, path))]
        await page.getByRole('searchbox', { name: field }).fill('"absent && \\')
        await page.getByText(nothing).waitFor()
        expect([...flaws, ...(await listViolationsInBothThemes(page))]).toEqual([])
        await page.context().close()
      }
    })
  })
})
