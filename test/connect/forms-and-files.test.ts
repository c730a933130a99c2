import { readFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { openConnectHarness, type SourceKey } from './kit/harness.ts'
import { Owner } from './kit/owner.ts'

const harness = openForTests(openConnectHarness)
let owner: Owner
const statement = await readFile(new URL('../../simulators/statements/caisse-du-plateau.ofx', import.meta.url))
beforeEach(() => {
  owner = new Owner(harness.origin)
})

const agree = async (source: SourceKey, companyId?: string) => await owner.agree(await harness.link(source, companyId))

describe('a form', () => {
  it('masks what is typed as a password, and forbids no password manager', async () => {
    const { markup } = await agree('form-source')
    const [field = ''] = /<input[^>]*name="password"[^>]*>/.exec(markup) ?? []
    expect([field.includes('type="password"'), /onpaste|readonly/.test(field)]).toEqual([true, false])
  })

  it('connects with the typed values, keeping spaces in a password', async () => {
    const page = await owner.submit(await agree('form-source'), { address: 'here', password: 'secret ' })
    expect(page.title).toBe('You are connected')
    expect(page.text).toContain('Books <b>1</b>')
    const { searchParams } = new URL(page.address, harness.origin)
    const { rows } = await harness.deps.database.query<{ id: string }>(
      `select id from connections where connector_key = 'form-source' order by created_at desc limit 1`,
    )
    expect([searchParams.get('connections'), searchParams.get('again')]).toEqual([rows[0]?.id, null])
  })

  it('takes a field that was not sent for an empty one', async () => {
    const page = await agree('form-source')
    const { form = '' } = page.hiddenFields()
    const bare = await owner.ask(page.formAction(), {
      ...{ method: 'POST', body: new URLSearchParams({ form, address: 'here' }) },
      headers: { origin: 'null', 'sec-fetch-site': 'same-origin' },
    })
    const markup = await bare.text()
    expect([bare.status, markup.match(/class="error"/g)?.length]).toEqual([422, 1])
    expect(markup).toMatch(/<input id="field-note" name="note" type="text" value=""/)
  })

  it.each([
    ['down', 'secret ', true],
    ['here', 'wrong', false],
  ])('whose source is %s with %s counts as a failure of the source: %s', async (address, password, isCounted) => {
    await harness.deps.database.query('delete from link_progress')
    await owner.submit(await agree('form-source'), { address, password })
    const { rows } = await harness.deps.database.query<{ steps: string[] }>('select steps from link_progress')
    expect(rows.map(({ steps }) => steps.includes('failed'))).toEqual([isCounted])
  })

  it('names every missing field at once', async () => {
    const page = await owner.submit(await agree('form-source'), { address: '', password: '' })
    expect([page.status, page.markup.match(/class="error"/g)?.length]).toEqual([422, 2])
  })

  it('shows what the source refuses beside the field, and keeps the typed values but the password', async () => {
    const page = await owner.submit(await agree('form-source'), { address: '"><script>', note: 'n', password: 'wrong-one' })
    expect(page.markup).toContain('<p class="error" id="error-password"><span>This password was not accepted.</span>')
    expect(page.markup).toContain('value="&quot;&gt;&lt;script&gt;"')
    expect(page.markup).not.toContain('wrong-one')
  })

  it.each([
    ['down', 'is not responding'],
    ['odd', 'did not complete the sign-in'],
  ])('whose source is %s keeps the typed values', async (address, words) => {
    const page = await owner.submit(await agree('form-source'), { address, password: 'secret ' })
    expect([page.status, page.text, page.markup]).toEqual([
      502,
      expect.stringContaining(words),
      expect.stringContaining(`value="${address}"`),
    ])
  })

  it('sent twice at once makes one connection, and both responses show it', async () => {
    const companyId = await harness.addCompany('Deux fois')
    const form = await agree('form-source', companyId)
    const typed = { address: 'here', password: 'secret ' }
    const pages = await Promise.all([owner.submit(form, typed), owner.submit(form, typed)])
    expect(pages.map(({ address }) => address.split('?')[0])).toEqual(['/connect/done', '/connect/done'])
    const { rows } = await harness.deps.database.query('select 1 from connections where company_id = $1', [companyId])
    expect(rows).toHaveLength(1)
  })
})

describe('an upload', () => {
  it('connects with a statement file', async () => {
    const page = await owner.upload(await agree('bank-files'), [{ name: 'relevé.ofx', bytes: statement }])
    expect(page.title).toBe('You are connected')
  })

  it('accepts several files at once', async () => {
    const before = Number((await harness.countRows()).files)
    const other = Buffer.from(statement.toString('latin1').replaceAll('30012-44719', '30012-55519'), 'latin1')
    await owner.upload(await agree('bank-files'), [
      { name: 'a.ofx', bytes: statement },
      { name: 'b.ofx', bytes: other },
    ])
    expect(Number((await harness.countRows()).files)).toBe(before + 2)
  })

  it('with one good and one bad file accepts the good one and explains the other’s problem, in the owner’s language', async () => {
    const before = Number((await harness.countRows()).files)
    const page = await owner.upload(await agree('bank-files'), [
      { name: 'good.ofx', bytes: statement },
      { name: 'holiday<1>.jpg', bytes: 'no statement at all' },
    ])
    expect([page.title, page.text]).toEqual([
      'You are connected',
      expect.stringContaining('holiday<1>.jpg was not accepted. This file is in none of the formats that we read.'),
    ])
    expect(page.text).toContain('You can upload a corrected file with another link.')
    expect(Number((await harness.countRows()).files)).toBe(before + 1)
    const french = await owner.get(`${page.address}${page.address.includes('?') ? '&' : '?'}lang=fr-CA`)
    expect(french.text).toContain('holiday<1>.jpg n’a pas été accepté. Ce fichier n’est dans aucun des formats que nous lisons.')
  })

  it('of only bad files stores nothing and names each', async () => {
    const before = await harness.countRows()
    const page = await owner.upload(await agree('bank-files'), [
      { name: 'a.jpg', bytes: 'no statement at all' },
      { name: 'b.pdf', bytes: '%PDF-1.7' },
    ])
    expect([page.status, page.text]).toEqual([422, expect.stringMatching(/a\.jpg: .*b\.pdf: /s)])
    expect((await harness.countRows()).files).toBe(before.files)
  })

  it('of a file with one bad statement accepts the others and names the bad one', async () => {
    const file = await readFile(new URL('../../src/connectors/bank-files/fixtures/loan.bai2', import.meta.url), 'utf8')
    const page = await owner.upload(await agree('bank-files'), [
      { name: 'march.bai2', bytes: file.replace('16,475,1000,Z', '16,475,1001,Z') },
      { name: 'april.bai2', bytes: file.replace('49,5000500,2/', '49,5000500,3/') },
    ])
    expect(page.title).toBe('You are connected')
    expect(page.text).toContain(
      'march.bai2 was accepted, except for this: ••••5123: Line 11: the control total in record 49 is 2436567, but the records above give 2436568. 2 transactions of this statement are left out with it.',
    )
    expect(page.text).toContain('april.bai2 was accepted, except for this: ••••5777: Line 13:')
    expect(page.text).toContain('You can upload corrected files with another link.')
  })

  it.each([
    ['no file', [], 'Choose at least one file.'],
    ['an empty file', [{ name: 'empty.ofx', bytes: '' }], 'This file is empty.'],
    ['more than 25 MB', [{ name: 'huge.ofx', bytes: new Uint8Array(26 * 1024 * 1024) }], 'larger than 25\u00a0MB'],
    [
      'more than 25 MB in parts',
      Array.from({ length: 3 }, () => ({ name: 'x', bytes: new Uint8Array(9 * 1024 * 1024) })),
      'larger than 25\u00a0MB',
    ],
    ['too many files', Array.from({ length: 21 }, (_, n) => ({ name: `${n}.ofx`, bytes: 'x' })), 'Choose up to 20\u00a0files'],
  ])('of %s is explained on the page', async (_what, files, words) => {
    const page = await owner.upload(await agree('bank-files'), files)
    expect([page.status >= 400 && page.status < 500, page.text]).toEqual([true, expect.stringContaining(words)])
  })
})

describe('the last page', () => {
  it('shows nothing of another company', async () => {
    const other = await owner.submit(await agree('form-source'), { address: 'private', note: 'Private books', password: 'secret ' })
    const stranger = new Owner(harness.origin)
    owner = stranger
    await owner.submit(await agree('form-source'), { address: 'mine', password: 'secret ' })
    expect((await owner.get(other.address)).text).not.toContain('Private books')
  })

  it('polls the first sync only while it is running', async () => {
    const page = await owner.submit(await agree('form-source'), { address: 'here', password: 'secret ' })
    expect(page.markup).toContain('data-news')
    await harness.deps.database.query(`update connections set status = 15, published_at = clock_timestamp() where status = 9`)
    const later = await owner.get(page.address)
    expect(later.text).toContain('Ready')
    expect(later.markup).not.toContain('<script')
  })

  it('of a link used a day ago names nobody connected', async () => {
    const page = await owner.submit(await agree('form-source'), { address: 'here', note: 'Old books', password: 'secret ' })
    await harness.deps.database.query(`update links set completed_at = completed_at - interval '25 hours' where completed_at is not null`)
    const later = await owner.get(page.address)
    expect([later.status, later.title, later.text.includes('Old books')]).toEqual([410, 'This link has already been used', false])
  })

  it('opens again from the link itself, in the browser that used it', async () => {
    const link = await harness.link('form-source')
    const form = await owner.submit(await owner.get(link), { choice: 'agree' })
    await owner.submit(form, { address: 'here', password: 'secret ' })
    const page = await owner.get(link)
    expect([page.status, page.title]).toEqual([200, 'This link has already been used'])
    expect((await new Owner(harness.origin).get(link)).title).toBe('This link cannot be opened')
  })
})
