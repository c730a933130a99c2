import { type IncomingMessage, request as openRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openForTests } from '../../harness/for-tests.ts'
import { until } from '../../process/deadline.ts'
import { openConnectHarness } from '../kit/harness.ts'
import { type LoadedPage, Owner } from '../kit/owner.ts'

const BOUNDARY = 'boundary-of-the-test'
const [SILENT_MS, TOTAL_MS, LOOK_MS] = [3_000, 10_000, 1_000]
const admitted: IncomingMessage[] = []

const harness = openForTests(() =>
  openConnectHarness({
    limits: { uploads: { silentMs: SILENT_MS, totalMs: TOTAL_MS, onAdmitted: (request) => void admitted.push(request) } },
  }),
)

beforeEach(() => {
  admitted.length = 0
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => vi.useRealTimers())

/** An upload of which a part was received. */
interface Begun {
  /** Sends a piece, which the server has received then. */
  more(): Promise<void>
  end(): void
  answer: Promise<{ status: number; connection: string | undefined; body: string }>
}

function send(owner: Owner, path: string, beginning: string): Omit<Begun, 'more'> & { write(piece: string): void } {
  const sending = openRequest(`${harness.origin}${path}`, {
    method: 'POST',
    headers: {
      cookie: [...owner.cookies].map(([name, { value }]) => `${name}=${value}`).join('; '),
      'sec-fetch-site': 'same-origin',
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    },
  })
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sending.on('response', resolve)
    sending.on('error', reject)
  }).then(async (response) => ({
    status: response.statusCode ?? 0,
    connection: response.headers.connection,
    body: await text(response),
  }))
  sending.write(beginning)
  return { answer, write: (piece) => void sending.write(piece), end: () => void sending.end(`\r\n--${BOUNDARY}--\r\n`) }
}

const field = (name: string, value: string) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

async function begin(): Promise<Begun> {
  const owner = new Owner(harness.origin)
  const page: LoadedPage = await owner.agree(await harness.link('bank-files'))
  const file = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="files"; filename="a.ofx"\r\n\r\nx`
  const { write, ...begun } = send(owner, page.formAction(), field('form', page.hiddenFields().form ?? '') + file)
  const request = await until('the upload', async () => admitted[0] ?? null)
  const more = async () => {
    const before = request.socket.bytesRead
    write('x')
    await until('the next piece', async () => request.socket.bytesRead > before || null)
  }
  return { ...begun, more }
}

describe('an upload', () => {
  it('may be silent for as long as is set, and is stopped after that', async () => {
    const patient = await begin()
    await patient.more()
    // Looked at once a second: heard after one.
    vi.advanceTimersByTime(LOOK_MS + SILENT_MS)
    patient.end()
    expect((await patient.answer).status).toBe(422)
    admitted.length = 0
    const silent = await begin()
    await silent.more()
    vi.advanceTimersByTime(LOOK_MS + SILENT_MS + LOOK_MS)
    expect(await silent.answer).toMatchObject({ status: 408, connection: 'close', body: expect.stringContaining('took too long') })
  })

  it('that goes on is not silent, and may last for as long as is set', async () => {
    const slow = await begin()
    for (let ms = 0; ms < TOTAL_MS; ms += LOOK_MS) {
      await slow.more()
      vi.advanceTimersByTime(LOOK_MS)
    }
    slow.end()
    expect((await slow.answer).status).toBe(422)
    admitted.length = 0
    const slower = await begin()
    for (let ms = 0; ms <= TOTAL_MS; ms += LOOK_MS) {
      await slower.more()
      vi.advanceTimersByTime(LOOK_MS)
    }
    expect((await slower.answer).status).toBe(408)
  })

  it('that stalls before its sender is known is unreadable', async () => {
    const owner = new Owner(harness.origin)
    const page = await owner.agree(await harness.link('bank-files'))
    const { answer } = send(owner, page.formAction(), field('before', 'x'))
    await until('the timer', async () => vi.getTimerCount() > 0 || null)
    vi.advanceTimersByTime(LOOK_MS + SILENT_MS + LOOK_MS)
    expect(await answer).toMatchObject({ status: 400, body: expect.stringContaining('We could not read this request') })
  })

  it('that has ended is watched no longer', async () => {
    const begun = await begin()
    begun.end()
    await begun.answer
    expect(vi.getTimerCount()).toBe(0)
  })
})
