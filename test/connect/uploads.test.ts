import { readdir } from 'node:fs/promises'
import { type IncomingMessage, request as openRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { openConnectHarness } from './kit/harness.ts'
import { type LoadedPage, Owner } from './kit/owner.ts'

/** Longer than this, a test's upload may be idle. */
const SILENT_MS = 4_000
const statement = 'OFXHEADER:100\n\n'

const harness = openForTests(() => openConnectHarness({ limits: { uploads: { all: 3, perLink: 2, silentMs: SILENT_MS } } }))

interface Begun {
  answer: Promise<{ status: number; body: string; response: IncomingMessage }>
  end(): void
}

/** An owner at the upload form. */
async function atTheForm(language = 'en-CA'): Promise<{ owner: Owner; page: LoadedPage }> {
  const owner = new Owner(harness.origin, { language })
  return { owner, page: await owner.agree(await harness.link('bank-files')) }
}

/** Sends the start of a file only. */
async function begin({ owner, page }: Awaited<ReturnType<typeof atTheForm>>): Promise<Begun> {
  const boundary = 'upload-of-the-test'
  const fields = Object.entries(page.hiddenFields()).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const file = `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="a.ofx"\r\n\r\n${statement.repeat(100)}`
  const sending = openRequest(`${harness.origin}${page.formAction()}`, {
    method: 'POST',
    headers: {
      cookie: [...owner.cookies].map(([name, { value }]) => `${name}=${value}`).join('; '),
      'accept-language': 'en-CA',
      'sec-fetch-site': 'same-origin',
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
  })
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sending.on('response', resolve)
    sending.on('error', reject)
  }).then(async (response) => ({ status: response.statusCode ?? 0, body: await text(response), response }))
  answer.catch(() => undefined)
  await new Promise<void>((resolve) => {
    sending.write(fields.join('') + file, () => resolve())
  })
  return { answer, end: () => sending.destroy() }
}

/** Waits until a number of uploads are in progress. */
async function untilUnderWay(count: number): Promise<void> {
  while (harness.limits.uploads.activeCount !== count) await setTimeout(10)
}

const send = async ({ owner, page }: Awaited<ReturnType<typeof atTheForm>>) => await owner.upload(page, [{ name: 'a.ofx', bytes: 'x' }])

it('an upload whose end cannot be counted is answered like any other, and its files are gone', async () => {
  const query = harness.deps.database.query.bind(harness.deps.database)
  await query(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$`)
  await query('create trigger refuse before delete on uploads_in_flight for each row execute function refuse()')
  const openFiles = async () => (await readdir('/proc/self/fd')).length
  try {
    const form = await atTheForm()
    const before = await openFiles()
    const large = await form.owner.upload(form.page, [{ name: 'a.ofx', bytes: 'x'.repeat(1_000_000) }])
    expect([large.status, await openFiles()]).toEqual([422, before])
  } finally {
    await query('drop trigger refuse on uploads_in_flight')
  }
})

describe('unfinished uploads', () => {
  it('are limited to two per link; a third is refused at once, in both languages', async () => {
    const one = await atTheForm()
    const begun = [await begin(one), await begin(one)]
    await untilUnderWay(2)
    const third = await send(one)
    expect([third.status, third.response.headers.get('retry-after'), third.text]).toEqual([
      429,
      '30',
      expect.stringContaining('Files are already being uploaded with this link.'),
    ])
    const french = await one.owner.get('/connect/source?lang=fr-CA')
    expect((await one.owner.upload(french, [{ name: 'a.ofx', bytes: 'x' }])).text).toContain('déjà en cours de téléversement avec ce lien')
    for (const each of begun) each.end()
    await untilUnderWay(0)
    expect((await send(one)).status).toBe(422)
  })

  it('are limited over all links; one more is refused at once', async () => {
    const [one, other, third] = [await atTheForm(), await atTheForm(), await atTheForm()]
    const begun = [await begin(one), await begin(one), await begin(other)]
    await untilUnderWay(3)
    const refused = await send(third)
    expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('Many people are uploading files right now.')])
    for (const each of begun) each.end()
    await untilUnderWay(0)
  })

  it('are stopped when no more data arrives, and the owner is told', async () => {
    const { answer } = await begin(await atTheForm())
    const { status, body, response } = await answer
    expect([status, response.headers.connection]).toEqual([408, 'close'])
    expect(body).toContain('The upload took too long and was stopped.')
  })

  it('and aborted by the browser are not logged as our errors', async () => {
    const faults = harness.faults.length
    const one = await atTheForm()
    for (let round = 0; round < 3; round += 1) {
      const begun = await begin(one)
      await untilUnderWay(1)
      begun.end()
      await untilUnderWay(0)
    }
    expect(harness.faults.slice(faults)).toEqual([])
  })
})
