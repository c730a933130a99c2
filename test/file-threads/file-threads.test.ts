import { execFile } from 'node:child_process'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import type { InputRefused } from '../../src/connectors/contract/authorization.ts'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { FileThreads } from '../../src/connectors/toolkit/uploads/file-threads.ts'
import { outcomeOf, refusalOf as refused } from '../harness/connector-calls.ts'
import { folderForTests } from '../harness/for-tests.ts'

const run = promisify(execFile)
const folder = folderForTests()

const authorize = { reader: new URL('./reader.ts', import.meta.url) }
const bytesOf = (text: string) => new TextEncoder().encode(text)

async function refusalOf(work: Promise<unknown>): Promise<InputRefused['text']> {
  return (await refused(work)).text
}

describe('a file', () => {
  it('is read in another thread, which has no setting of this process', async () => {
    const { leftOut } = await new FileThreads().examine(authorize, bytesOf('good'))
    const told = JSON.parse(leftOut[0]?.en ?? '')
    expect(told).toEqual({ isMainThread: false, threadId: expect.any(Number), settings: 0 })
    expect(told.threadId).toBeGreaterThan(0)
  })

  it('leaves what was compiled for it to the next thread, where the process keeps it', async () => {
    const examine = `
      import { readdirSync } from 'node:fs'
      import { enableCompileCache, getCompileCacheDir } from 'node:module'
      import { FileThreads } from ${JSON.stringify(new URL('../../src/connectors/toolkit/uploads/file-threads.ts', import.meta.url).href)}
      enableCompileCache(process.argv[1])
      const reader = new URL(process.argv[2])
      await new FileThreads().examine({ reader }, new TextEncoder().encode('good'))
      // This process writes its own when it ends.
      console.log(readdirSync(getCompileCacheDir()).length)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', examine, folder.path, authorize.reader.href])
    expect(Number(stdout)).toBeGreaterThan(0)
  })

  it('that takes too long is refused in both languages, and others are served in the meantime', async () => {
    let served = 0
    let isDone = false
    const reading = refusalOf(new FileThreads({ workMs: 300 }).examine(authorize, bytesOf('endless'))).finally(() => {
      isDone = true
    })
    while (!isDone) {
      await setImmediate()
      served += 1
    }
    expect(await reading).toEqual({
      en: 'The file takes too long to read. Export a shorter period and upload the parts.',
      'fr-CA': 'Le fichier est trop long à lire. Exportez une période plus courte et téléversez les parties.',
    })
    expect(served).toBeGreaterThan(100)
  })

  it('that takes too much memory is refused in both languages, and this process survives', async () => {
    const text = await refusalOf(new FileThreads({ megabytes: 24 }).examine(authorize, bytesOf('greedy')))
    expect([text.en, text['fr-CA']]).toEqual([
      'The file takes too much memory to read. Export a shorter period and upload the parts.',
      expect.stringContaining('trop de mémoire'),
    ])
  })

  it('is refused with the reader’s own message and field', async () => {
    const failure = await outcomeOf(new FileThreads().examine(authorize, bytesOf('refused')))
    expect(failure).toMatchObject({ text: { en: 'No.', 'fr-CA': 'Non.' }, field: 'files' })
  })

  it('on which the reader fails is an internal error that quotes nothing of it', async () => {
    const failure = await outcomeOf(new FileThreads().examine(authorize, bytesOf('failing')))
    expect(failure).toBeInstanceOf(Error)
    expect([String(failure), String(failure).includes('4500123412341111')]).toEqual([expect.stringContaining('TypeError'), false])
  })

  it('stays with its uploader', async () => {
    const bytes = bytesOf('good')
    await new FileThreads().examine(authorize, bytes)
    expect(bytes).toHaveLength(4)
  })

  it('waits while the maximum number is being read, and gets its turn whatever their result', async () => {
    const threads = new FileThreads({ threads: 1, workMs: 3_000 })
    const words = ['endless', 'refused', 'failing', 'good']
    const failures = await Promise.all(words.map((word) => outcomeOf(threads.examine(authorize, bytesOf(word)))))
    expect(failures.map((failure) => failure === null)).toEqual([false, false, false, true])
  })
})

describe('the records of a file', () => {
  const BATCHES = Array.from({ length: 12 }, () => 100)

  async function read(word: string, threads = new FileThreads({ workMs: 3_000, threads: 1 })): Promise<number[]> {
    const counts: number[] = []
    for await (const items of threads.read(authorize, { file: bytesOf(word) })) counts.push(items.length)
    return counts
  }

  it('are delivered in batches, all of them', async () => {
    expect(await read('good')).toEqual(BATCHES)
  })

  it.each([
    ['broken', 'Line 700.'],
    ['endless', 'The file takes too long to read. Export a shorter period and upload the parts.'],
  ])('of a %s file end as bad data', async (word, message) => {
    const failure = await outcomeOf(read(word))
    expect(failure).toBeInstanceOf(SourceError)
    expect(failure).toMatchObject({ kind: 'badData', message })
  })

  it('may be abandoned before their end, which frees the slot', async () => {
    const threads = new FileThreads({ threads: 1 })
    for await (const items of threads.read(authorize, { file: bytesOf('good') })) if (items.length > 0) break
    expect(await read('good', threads)).toEqual(BATCHES)
  })

  it('that are never requested are released', async () => {
    const threads = new FileThreads({ threads: 1, idleMs: 50 })
    const left = threads.read(authorize, { file: bytesOf('good') })
    await left.next()
    expect(await read('good', threads)).toEqual(BATCHES)
    expect(await outcomeOf(left.next())).toBeInstanceOf(Error)
  })
})

describe('a page', () => {
  const whereOf = async (threads: FileThreads, input: unknown, text = 'where'): Promise<string | null | undefined> => {
    const ids: (string | null)[] = []
    for await (const items of threads.read({ ...authorize, input }, { file: bytesOf(text) })) ids.push(...items.map(({ origId }) => origId))
    return ids[0]
  }

  it('is read by the thread of the page before it, if that is of the same pull; a file has a thread of its own', async () => {
    const threads = new FileThreads()
    const first = await whereOf(threads, { pull: 'a' })
    expect([await whereOf(threads, { pull: 'a' }), await whereOf(threads, { pull: 'a' })]).toEqual([first, first])
    expect([first, undefined]).not.toContain(await whereOf(threads, { pull: 'b' }))
    expect(await whereOf(threads, { pull: 'a' })).toBe(first)
    const file = await whereOf(threads, undefined)
    expect([first, file]).not.toContain(await whereOf(threads, undefined))
  })

  it('has a thread of its own after one that was broken, large or abandoned', async () => {
    const threads = new FileThreads({ threads: 1, workMs: 1_000 })
    const input = { pull: 'a' }
    const seen = [await whereOf(threads, input)]
    const isNew = async () => {
      const where = await whereOf(threads, input)
      return seen.push(where) === new Set(seen).size
    }
    expect(await isNew()).toBe(false)
    seen.pop()
    for (const word of ['broken', 'endless']) {
      expect(await outcomeOf(whereOf(threads, input, word))).toBeInstanceOf(SourceError)
      expect(await isNew()).toBe(true)
    }
    await whereOf(threads, input, `where ${'x'.repeat(8 * 1024 * 1024)}`)
    expect(await isNew()).toBe(true)
    for await (const items of threads.read({ ...authorize, input }, { file: bytesOf('good') })) if (items.length > 0) break
    expect(await isNew()).toBe(true)
  })

  it('is read by one of as many threads as may run, whatever pulls there were before', async () => {
    const threads = new FileThreads({ threads: 1 })
    const first = await whereOf(threads, { pull: 'a' })
    await whereOf(threads, { pull: 'b' })
    expect(await whereOf(threads, { pull: 'a' })).not.toBe(first)
  })

  it('leaves a thread that ends after a while, and does not keep the process alive', async () => {
    const threads = new FileThreads({ pooledMs: 1 })
    const first = await whereOf(threads, { pull: 'a' })
    await vi.waitUntil(async () => (await whereOf(threads, { pull: 'a' })) !== first)
    const read = `
      import { FileThreads } from ${JSON.stringify(new URL('../../src/connectors/toolkit/uploads/file-threads.ts', import.meta.url).href)}
      const threads = new FileThreads({ pooledMs: 3_600_000 })
      const request = { reader: new URL(process.argv[1]), input: {} }
      for await (const items of threads.read(request, { file: new TextEncoder().encode('where') })) console.log(items.length)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', read, authorize.reader.href])
    expect(stdout).toBe('1\n')
  })
})
