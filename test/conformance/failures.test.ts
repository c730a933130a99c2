import { beforeAll, describe, expect, test } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { openForTests } from '../harness/for-tests.ts'
import { BROKEN, OUTAGES, REFUSALS, THROTTLES, unexpectedOutcomes } from './corruptions.ts'
import { type FetchedPage, failureOf, kindOf, normalize, replayKit, runPull } from './run.ts'
import { leaks, secretsOf } from './secrets.ts'
import { httpSubjects } from './subjects.ts'

/** Number of pages of a run to damage in turn; later pages have no other kinds of calls. */
const DAMAGED_PAGES = 3

describe.each(httpSubjects.map((each) => [each.description.key, each] as const))('%s', (_key, source) => {
  const { connector, subject } = source
  const opened = openForTests(() => subject.open('small'))
  let pages: FetchedPage[]
  let secrets: string[]
  beforeAll(async () => {
    pages = []
    for (const pull of connector.pulls) {
      const run = await runPull(opened.session, pull)
      pages.push(...run.slice(0, DAMAGED_PAGES - 1), ...run.slice(DAMAGED_PAGES - 1).slice(-1))
    }
    secrets = secretsOf(source, opened, pages)
  })

  test('there are secrets to search for', () => {
    expect(secrets.length).toBeGreaterThan(0)
  })

  test.each(REFUSALS.map((damage) => [damage.what, damage] as const))(
    '%s requires a reconnect or fails, and reveals no secret',
    async (_what, damage) => {
      expect(await unexpectedOutcomes(source, opened.session, pages, damage, secrets)).toEqual([])
    },
  )

  test.each(THROTTLES.map((damage) => [damage.what, damage] as const))(
    '%s is retried after the time that the answer states',
    async (_what, damage) => {
      expect(await unexpectedOutcomes(source, opened.session, pages, damage, secrets)).toEqual([])
    },
  )

  test.each(OUTAGES.map((damage) => [damage.what, damage] as const))('%s is an outage', async (_what, damage) => {
    expect(await unexpectedOutcomes(source, opened.session, pages, damage, secrets)).toEqual([])
  })

  test.each(BROKEN.map((damage) => [damage.what, damage] as const))('%s is bad data and never an empty list', async (_what, damage) => {
    expect(await unexpectedOutcomes(source, opened.session, pages, damage, secrets)).toEqual([])
  })

  /** The failure of a run of each pull, fetched and read, that meets the fault once; null for a run without one. */
  async function failuresAt(fault: string): Promise<(Error | null)[]> {
    const at = await subject.open('small')
    try {
      const known = secretsOf(source, at)
      const failures: (Error | null)[] = []
      for (const pull of connector.pulls) {
        at.fault(fault, 1)
        failures.push(await failureOf(async () => normalize(source, await runPull(at.session, pull))))
      }
      expect(failures.flatMap((failure) => (failure ? leaks(failure, known) : []))).toEqual([])
      return failures
    } finally {
      await at.close()
    }
  }

  test.each(Object.entries(subject.readFaults ?? {}))(
    '%s at a read is %s, for every kind of record, and reveals no secret',
    async (fault, kind) => {
      expect((await failuresAt(fault)).map(kindOf)).toEqual(connector.pulls.map(() => kind))
    },
  )

  test.each(subject.secretFaults ?? [])('%s at a read reveals no secret', async (fault) => {
    expect((await failuresAt(fault)).some((failure) => failure !== null)).toBe(true)
  })

  test('403 removes nothing: it fails, or the page is empty and makes no claim', async () => {
    const wrong: string[] = []
    for (const { pull, cursor, exchanges } of pages) {
      for (const first of exchanges.keys()) {
        const kit = replayKit(opened.session.kit, exchanges, (answer, place) =>
          place < first ? answer : { status: 403, headers: {}, body: new TextEncoder().encode('{"message":"forbidden"}') },
        )
        const failure = await failureOf(async () => {
          const page = await pull.fetch({ ...opened.session, kit }, cursor)
          const isEmpty = Object.keys(page.answers).length === 0 || [...pull.read(page.answers)].length === 0
          if (isEmpty && page.listing === 'complete') throw new Error('an empty list that claims to be complete')
        })
        if (failure !== null && !(failure instanceof SourceError)) wrong.push(`${pull.name}, answer ${first + 1}: ${failure.message}`)
      }
    }
    expect(wrong).toEqual([])
  })
})
