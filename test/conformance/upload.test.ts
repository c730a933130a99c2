import { describe, expect, test } from 'vitest'
import { InputRefused } from '../../src/connectors/contract/authorization.ts'
import { type Session, SourceError, type SourceFile } from '../../src/connectors/contract/contract.ts'
import { FileThreads } from '../../src/connectors/toolkit/uploads/file-threads.ts'
import { contentsOf, type FetchedPage, failureOf, kindOf, normalize, resumeOf, runPull, schemaProblem } from './run.ts'
import { uploadSubjects } from './subjects.ts'

const text = (content: string) => new TextEncoder().encode(content)

describe.each(uploadSubjects.map((each) => [each.description.key, each] as const))('%s', (_key, source) => {
  const { connector, subject } = source
  const files = subject.files.map(({ name, bytes }, index): SourceFile => ({ id: `file-${index}`, name, bytes }))

  async function examine(file: SourceFile) {
    if (connector.authorize.step !== 'upload') throw new Error('files are uploaded')
    return await new FileThreads().examine(connector.authorize, file.bytes)
  }

  function sessionOf(handed: readonly SourceFile[]): Session {
    const http = async () => await Promise.reject(new Error('a file source makes no calls'))
    return {
      kit: { app: {}, hosts: {}, now: () => new Date(0), http },
      credentials: { secret: null, expiresAt: null },
      entityId: 'files',
      nextFile: async (after) => handed[after === null ? 0 : handed.findIndex(({ id }) => id === after) + 1] ?? null,
    }
  }

  async function readAll(handed: readonly SourceFile[]): Promise<FetchedPage[]> {
    const [pull] = connector.pulls
    return pull ? await runPull(sessionOf(handed), pull) : []
  }

  test('every record matches the schema that the API publishes, and none is lost', async () => {
    const outcome = normalize(source, await readAll(files))
    expect([...outcome.delivered.values()].flatMap((record) => schemaProblem(source, record) ?? [])).toEqual([])
    for (const entity of ['Accounts', 'Transactions'] as const) {
      const shown = subject.files.reduce((sum, file) => sum + file.shows[entity], 0)
      const all = [...[...outcome.delivered.values()], ...outcome.setAside].filter((each) => each.entity === entity)
      expect(all.length, entity).toBe(shown)
    }
  })

  test('a file uploaded twice changes nothing', async () => {
    const once = normalize(source, await readAll(files))
    const twice = normalize(source, await readAll([...files, ...files.map((file) => ({ ...file, id: `${file.id} again` }))]))
    expect(contentsOf(twice)).toEqual(contentsOf(once))
  })

  test('a second run reads no file again', async () => {
    const [pull] = connector.pulls
    const pages = await readAll(files)
    const again = pull ? await runPull(sessionOf(files), pull, resumeOf(pages)) : []
    expect(normalize(source, again).delivered.size).toBe(0)
    expect(again.every(({ page }) => page.listing === 'changes')).toBe(true)
  })

  test.each(subject.files.map((file) => [file.name, file] as const))(
    '%s truncated is refused, and is bad data when read',
    async (name, { bytes }) => {
      for (const share of [0.2, 0.6, 0.95]) {
        const file = { id: 'cut', name, bytes: bytes.subarray(0, Math.floor(bytes.length * share)) }
        expect(await failureOf(() => examine(file))).toBeInstanceOf(InputRefused)
        expect(kindOf(await failureOf(async () => normalize(source, await readAll([file]))))).toBe('badData')
      }
    },
  )

  test.each([
    ['nothing', text('')],
    ['HTML', text('<!doctype html><html><body>Sign in</body></html>')],
    ['bytes that are no text', Uint8Array.from([0, 255, 254, 0x1f, 0x8b, 3])],
    ['JSON', text('{"accounts":[]}')],
  ])('%s is refused in both languages, and is bad data when read', async (_what, bytes) => {
    const file = { id: 'wrong', name: 'statement.ofx', bytes }
    const refusal = await failureOf(() => examine(file))
    expect(refusal).toBeInstanceOf(InputRefused)
    expect(refusal instanceof InputRefused && refusal.text['fr-CA'] !== refusal.text.en).toBe(true)
    const failure = await failureOf(async () => normalize(source, await readAll([file])))
    expect(failure).toBeInstanceOf(SourceError)
    expect(kindOf(failure)).toBe('badData')
  })

  const spoilable = subject.files.flatMap(({ name, bytes, corrupt: spoil }) => (spoil ? [[name, bytes, spoil] as const] : []))
  test.each(spoilable)('one wrong record of %s is set aside and the others are delivered', async (name, bytes, [from, to]) => {
    const whole = normalize(source, await readAll([{ id: 'whole', name, bytes }]))
    const content = new TextDecoder('latin1').decode(bytes)
    const spoiled = normalize(source, await readAll([{ id: 'spoiled', name, bytes: text(content.replace(from, to)) }]))
    expect(content).toContain(from)
    expect(spoiled.setAside.length).toBe(whole.setAside.length + 1)
    expect(spoiled.delivered.size).toBe(whole.delivered.size - 1)
  })
})
