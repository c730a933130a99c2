import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import type { Pull, Session } from '../../src/connectors/contract/contract.ts'
import { closedAfterEach } from '../harness/connector.ts'
import { type FetchedPage, failureOf, fetchPage, kindOf, normalize, readAllPulls, runPull } from './run.ts'
import type { Size } from './subject.ts'
import { httpSubjects } from './subjects.ts'

/** More calls than any run here makes. */
const ALWAYS = 10_000

/** Lists that do not advance, repeat themselves or change their shape while they are read. */
describe.each(httpSubjects.map((each) => [each.description.key, each] as const))('%s', (_key, source) => {
  const { connector, subject } = source
  const open = closedAfterEach((size: Size) => subject.open(size))
  const readAll = (session: Session) => readAllPulls(session, connector.pulls)

  /** A page without answers is not stored, as in the engine. */
  const itemsOf = (pages: readonly FetchedPage[]) =>
    pages.flatMap(({ pull, page }) => (Object.keys(page.answers).length > 0 ? [...pull.read(page.answers)] : []))
  const validators = new Map(Object.entries(connector.entities).map(([entity, { wire }]) => [entity, Compile(wire)]))

  test('every record matches the connector’s schema of the source', async () => {
    const { session } = await open('small')
    const records = itemsOf(await readAll(session)).filter((item) => 'wire' in item)
    expect(records.filter(({ entity, wire }) => !validators.get(entity)?.Check(wire))).toEqual([])
    expect(records.length).toBeGreaterThan(0)
  })

  test('a second read of the same books returns the same answers, items and versions', async () => {
    const { session } = await open('small')
    const [first, second] = [await readAll(session), await readAll(session)]
    expect(itemsOf(second)).toEqual(itemsOf(first))
    if (!subject.volatile) expect(second.map(({ page }) => page.answers)).toEqual(first.map(({ page }) => page.answers))
  })

  /** What readers have after a pull alone, with the fault armed before it, and the numbers of calls and items. */
  async function readBy(pull: Pull, size: Size, fault: string | null, times = 1): Promise<{ delivered: string[]; effort: string }> {
    const { session, fault: arm } = await open(size)
    if (fault !== null) arm(fault, times)
    const pages = await runPull(session, pull)
    const { delivered } = normalize(source, pages)
    const calls = pages.flatMap(({ exchanges }) => exchanges).length
    return {
      delivered: [...delivered.values()].map(({ content }) => content).sort(),
      effort: `${calls} calls, ${itemsOf(pages).length} items`,
    }
  }

  test.each(subject.recovers ?? [])('%s while a list is read loses nothing and adds nothing', async (fault) => {
    let isMet = false
    for (const pull of connector.pulls) {
      for (const size of ['small', 'long'] as const) {
        const [clean, disturbed] = [await readBy(pull, size, null), await readBy(pull, size, fault)]
        expect(disturbed.delivered, `${pull.name} ${size}`).toEqual(clean.delivered)
        isMet ||= disturbed.effort !== clean.effort
      }
    }
    expect(isMet).toBe(true)
  })

  test.each(subject.endless ?? [])('%s without end is bad data', async (fault) => {
    const kinds = new Set<string>()
    for (const pull of connector.pulls) {
      for (const size of ['small', 'long'] as const) {
        kinds.add(kindOf(await failureOf(() => readBy(pull, size, fault, ALWAYS))))
      }
    }
    expect([...kinds]).toContain('badData')
    expect([...kinds].filter((kind) => kind !== 'badData' && kind !== 'no failure')).toEqual([])
  })

  if (subject.drifted) {
    const { fault, pull: name, fits } = subject.drifted
    test('a page whose rows have changed their shape keeps every record that can be kept', async () => {
      const opened = await open('small')
      const pull = connector.pulls.find((each) => each.name === name)
      if (!pull) throw new Error(`unknown pull ${name}`)
      opened.fault(fault, 1)
      const items = itemsOf([await fetchPage(opened.session, pull, null)]).slice(0, fits.length)
      const found = items.map((item) => ('wire' in item ? validators.get(item.entity)?.Check(item.wire) : 'unreadable'))
      expect(found).toEqual(fits)
    })
  }
})
