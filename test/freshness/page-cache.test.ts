import { gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { type FreshPage, PageCache } from '../../src/api/page-cache.ts'

/** A question on its way to the database, which the test answers. */
interface Question {
  keys: string[]
  answer(versions: Record<string, string>): void
  fail(error: Error): void
}

let questions: Question[]
let asked: (() => void) | null
let pages: PageCache

function openCache(): PageCache {
  return new PageCache({
    maxBytes: 1_000_000,
    findVersions: (keys) =>
      new Promise((resolve, reject) => {
        questions.push({ keys, answer: (versions) => resolve(new Map(Object.entries(versions))), fail: reject })
        asked?.()
      }),
  })
}

/** The question with this number, as soon as it is asked. */
async function question(number: number): Promise<Question> {
  for (let found = questions[number]; ; found = questions[number]) {
    if (found) return found
    await new Promise<void>((resolve) => {
      asked = resolve
    })
  }
}

/** All that could happen without an answer has happened. */
const settled = async () => await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

const page = (version: string, text = `text ${version}`): FreshPage => ({ version, body: Buffer.from(text), total: 1 })
const reading =
  (version: string, text?: string): (() => Promise<FreshPage>) =>
  async () =>
    page(version, text)
const refusing = async (): Promise<FreshPage> => {
  throw new Error('the page was read although it is kept')
}

/** One page through an idle cache, with the version that the database tells. */
async function get(key: string, version: string | null, read: () => Promise<FreshPage | null>): Promise<string | null> {
  const next = questions.length
  const got = pages.get(key, key, read)
  const { answer } = await question(next)
  answer(version === null ? {} : { [key]: version })
  return (await got)?.plain.toString() ?? null
}

beforeEach(() => {
  questions = []
  asked = null
  pages = openCache()
})

describe('the question for the version', () => {
  it('is one for all who come at the same time', async () => {
    const got = ['a', 'b', 'a'].map((key) => pages.get(key, key, reading('1', key)))
    const { keys, answer } = await question(0)
    answer({ a: '1', b: '1' })
    expect((await Promise.all(got)).map((one) => one?.plain.toString())).toEqual(['a', 'b', 'a'])
    expect(keys).toEqual(['a', 'b'])
    expect(questions).toHaveLength(1)
  })

  it('is never one that was under way when a reader came', async () => {
    const early = pages.get('a', 'a', reading('1'))
    const first = await question(0)
    const late = pages.get('a', 'a', reading('2'))
    await settled()
    expect(questions).toHaveLength(1)
    first.answer({ a: '1' })
    ;(await question(1)).answer({ a: '2' })
    expect((await early)?.version).toBe('1')
    expect((await late)?.version).toBe('2')
  })

  it('brings its error to all who waited for it, and the next reader asks anew', async () => {
    const waiting = ['a', 'b', 'a'].map((key) => pages.get(key, key, refusing))
    ;(await question(0)).fail(new Error('the database is away'))
    const outcomes = await Promise.allSettled(waiting)
    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : 'answered'))).toEqual(
      Array(3).fill('the database is away'),
    )
    expect(await get('a', '1', reading('1'))).toBe('text 1')
  })

  it('is asked for those who came while one failed', async () => {
    const early = pages.get('a', 'a', refusing)
    const first = await question(0)
    const late = pages.get('b', 'b', reading('1'))
    first.fail(new Error('the database is away'))
    await expect(early).rejects.toThrow('the database is away')
    ;(await question(1)).answer({ b: '1' })
    expect((await late)?.version).toBe('1')
  })
})

describe('a page', () => {
  it('is read once while its publication stays the same', async () => {
    expect(await get('a', '1', reading('1'))).toBe('text 1')
    expect(await get('a', '1', refusing)).toBe('text 1')
  })

  it('is read anew when the publication has changed', async () => {
    await get('a', '1', reading('1'))
    expect(await get('a', '2', reading('2'))).toBe('text 2')
    expect(await get('a', '2', refusing)).toBe('text 2')
  })

  it('is read once for all who want it at the same time', async () => {
    let reads = 0
    const read = async () => {
      reads += 1
      await settled()
      return page('1')
    }
    const got = [1, 2, 3].map(() => pages.get('a', 'a', read))
    ;(await question(0)).answer({ a: '1' })
    expect((await Promise.all(got)).map((one) => one?.version)).toEqual(['1', '1', '1'])
    expect(reads).toBe(1)
  })

  it('that could not be read is read again for the next who wants it', async () => {
    const broken = get('a', '1', async () => {
      throw new Error('the read failed')
    })
    await expect(broken).rejects.toThrow('the read failed')
    expect(await get('a', '1', reading('1'))).toBe('text 1')
  })

  it('that was read slowly never replaces a newer one', async () => {
    let finishSlowRead = (_page: FreshPage) => {}
    const slow = pages.get('a', 'a', () => new Promise((resolve) => (finishSlowRead = resolve)))
    ;(await question(0)).answer({ a: '9' })
    await settled()
    expect(await get('a', '10', reading('10'))).toBe('text 10')
    finishSlowRead(page('9'))
    expect((await slow)?.version).toBe('9')
    expect(await get('a', '10', refusing)).toBe('text 10')
  })

  it('is gone when nothing is published any more, and never shown again when something else is', async () => {
    await get('a', '1', reading('1', 'before'))
    expect(await get('a', null, refusing)).toBeNull()
    expect(await get('a', '2', reading('2', 'after'))).toBe('after')
    expect(await get('a', '2', refusing)).toBe('after')
  })

  it('read before a disconnect does not come back after a reconnect, however late its read ends', async () => {
    let finishOldRead = (_page: FreshPage) => {}
    const old = pages.get('a', 'a', () => new Promise((resolve) => (finishOldRead = resolve)))
    ;(await question(0)).answer({ a: '1' })
    await settled()
    expect(await get('a', null, refusing)).toBeNull()
    finishOldRead(page('1', 'before'))
    await old
    expect(await get('a', '2', reading('2', 'after'))).toBe('after')
    expect(await get('a', '2', refusing)).toBe('after')
  })

  it('has a tag that changes with the publication', async () => {
    const tagAt = async (version: string) => {
      const next = questions.length
      const got = pages.get('a', 'a', reading(version))
      ;(await question(next)).answer({ a: version })
      return (await got)?.etag
    }
    const first = await tagAt('1')
    expect(first).toMatch(/^"[\w-]+"$/)
    expect(await tagAt('1')).toBe(first)
    expect(await tagAt('2')).not.toBe(first)
  })
})

describe('compression', () => {
  it('happens once, for whoever asks at the same time or later', async () => {
    const got = pages.get('a', 'a', reading('1', 'y'.repeat(5_000)))
    ;(await question(0)).answer({ a: '1' })
    const kept = await got
    if (!kept) throw new Error('there is no page')
    const [one, other] = await Promise.all([pages.gzip('a', kept), pages.gzip('a', kept)])
    expect(one).toBe(other)
    expect(await pages.gzip('a', kept)).toBe(one)
    expect(gunzipSync(one).equals(kept.plain)).toBe(true)
  })
})
