import { beforeEach, describe, expect, it } from 'vitest'
import { toServiceId } from '../../../src/model/catalogue.ts'
import { setQuotas } from '../../../src/store/operators/quotas.ts'
import { issueLink } from '../../../src/sync/links/link.ts'
import { ISSUER } from '../../harness/app/tenants.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { until } from '../../process/deadline.ts'
import { openConnectHarness } from '../kit/harness.ts'
import { LoadedPage, Owner } from '../kit/owner.ts'
import { SMALL_BYTES, smallFiles } from '../kit/picky-sources.ts'

const BOUNDARY = 'boundary-of-the-test'
const admitted: unknown[] = []

const harness = openForTests(() =>
  openConnectHarness({
    more: [{ description: smallFiles, app: {}, hosts: {} }],
    limits: { uploads: { onAdmitted: (request) => admitted.push(request.url) } },
  }),
)
let owner: Owner
beforeEach(() => {
  owner = new Owner(harness.origin)
  admitted.length = 0
})

/** A part of a form: a field, or a file with its name. */
type Part = readonly [name: string, value: string] | readonly [name: 'files', file: string, bytes: string]

function toBody(parts: readonly Part[]): string {
  const written = parts.map(([name, first, bytes]) => {
    const file = bytes === undefined ? '' : `; filename="${first}"\r\ncontent-type: application/octet-stream`
    return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${bytes ?? first}\r\n`
  })
  return `${written.join('')}--${BOUNDARY}--\r\n`
}

async function post(body: string, address = '/connect/source'): Promise<LoadedPage> {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'sec-fetch-site': 'same-origin' }
  const response = await owner.ask(address, { method: 'POST', body, headers })
  return new LoadedPage(address, response, await response.text())
}

/** The token of the form for files, and a link that was agreed to. */
async function toForm(): Promise<string> {
  const companyId = await harness.addCompany('Café du Coin')
  const request = { instanceId: harness.instanceId, companyId, serviceId: toServiceId('small-files'), issuedBy: ISSUER }
  return (await owner.agree(await issueLink(harness.deps, request))).hiddenFields().form ?? ''
}

const files = (...sizes: number[]): Part[] => sizes.map((size, at): Part => ['files', `${at}.ofx`, 'x'.repeat(size)])
/** What an upload leaves behind; waits for the end of its count, which comes after its answer. */
async function left(): Promise<unknown> {
  const countIn = async (table: string) => (await harness.deps.database.query(`select 1 from ${table}`)).rows.length
  await until('the end of the upload', async () => (await countIn('uploads_in_flight')) === 0 || null)
  return { files: await countIn('source_files'), active: harness.limits.uploads.activeCount }
}
const NOTHING = { files: 0, active: 0 }
const UNREAD = 'This file is in none of the formats that we read.'

describe('an upload', () => {
  it.each<[string, Part[], number, string]>([
    ['of the most bytes that the source takes', files(SMALL_BYTES), 422, UNREAD],
    ['of a byte more', files(SMALL_BYTES + 1), 413, 'larger than 1\u00a0MB'],
    ['of the most bytes in several files', files(1, SMALL_BYTES - 1), 422, `1.ofx: ${UNREAD}`],
    ['of a byte more in several files', files(1, SMALL_BYTES), 413, 'larger than 1\u00a0MB'],
    ['of twenty files', files(...Array<number>(20).fill(0)), 422, '19.ofx: This file is empty.'],
    ['of one file more', files(...Array<number>(21).fill(0)), 413, 'Choose up to 20\u00a0files'],
    ['of no file', [], 422, 'Choose at least one file.'],
    ['of a file that was not chosen', [['files', '', '']], 422, 'Choose at least one file.'],
    ['of an empty file beside another', [...files(3), ['files', 'b.ofx', ''], ['files', 'c.ofx', '']], 422, 'b.ofx: This file is empty.'],
  ])('%s is answered beside the field, and leaves nothing behind', async (_what, parts, status, words) => {
    const page = await post(toBody([['form', await toForm()], ...parts]))
    expect([page.status, page.text, page.response.headers.get('retry-after')]).toEqual([status, expect.stringContaining(words), null])
    expect(page.markup).toContain('aria-describedby="hint-files error-files"')
    expect([await left(), harness.faults]).toEqual([NOTHING, []])
  })

  it('names each file that is empty, and no other', async () => {
    const page = await post(toBody([['form', await toForm()], ...files(3, 0, 0)]))
    expect(['0.ofx', '1.ofx', '2.ofx'].map((name) => page.text.includes(`${name}: This file is empty.`))).toEqual([false, true, true])
  })

  it.each<[string, (form: string) => Part[]]>([
    ['before the token of the form', (form) => [...files(3), ['form', form]]],
    ['without a token', () => files(3)],
    ['with the token in a field of another name', (form) => [['other', form], ...files(3)]],
    ['with an empty form', () => []],
    ['with the token in a file', (form) => [['files', 'form', form], ...files(3)]],
  ])('%s is refused, and counted as none', async (_what, toParts) => {
    const page = await post(toBody(toParts(await toForm())))
    expect([page.status, page.title, admitted, await left()]).toEqual([403, 'This form cannot be accepted', [], NOTHING])
  })

  it('may have other fields, and its token twice: it is admitted once, and its place is free again', async () => {
    const form = await toForm()
    const page = await post(toBody([['before', 'x'], ['form', form], ['after', 'y'], ['form', form], ...files(3), ['last', 'z']]))
    expect([page.status, page.text, admitted, await left()]).toEqual([422, expect.stringContaining(UNREAD), ['/connect/source'], NOTHING])
  })

  it.each([
    ['that ends in a file', (body: string) => body.slice(0, -10)],
    ['that ends in a header', (body: string) => body.slice(0, body.indexOf('filename'))],
    ['with another boundary', (body: string) => body.replaceAll(BOUNDARY, 'another')],
  ])('%s is unreadable, and no fault of ours', async (_what, cut) => {
    const page = await post(cut(toBody([['form', await toForm()], ...files(3)])))
    expect([page.status >= 400 && page.status < 500, harness.faults, await left()]).toEqual([true, [], NOTHING])
  })

  it('before the owner has agreed leads to the consent', async () => {
    const consent = await owner.get(await harness.link('bank-files'))
    const page = await post(toBody([['form', consent.hiddenFields().form ?? ''], ...files(3)]))
    expect([page.status, page.response.headers.get('location'), await left()]).toEqual([303, '/connect/consent', NOTHING])
  })

  it('above the quota of its instance is refused for now, and its place is free again', async () => {
    const form = await toForm()
    await setQuotas(harness.deps.database, harness.instanceId, { uploads: 0 })
    try {
      const page = await post(toBody([['form', form], ...files(3)]))
      expect([page.status, page.title, await left()]).toEqual([429, 'Too many attempts', NOTHING])
    } finally {
      await setQuotas(harness.deps.database, harness.instanceId, { uploads: null })
    }
    expect((await post(toBody([['form', form], ...files(3)]))).status).toBe(422)
  })
})
