import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linesWithoutOneSide, unbalanced } from './entries.ts'
import { contentsOf, type FetchedPage, normalize, type Outcome, readAllPulls, resumeOf, runPull, schemaProblem } from './run.ts'
import { listSourceRows, missingRows } from './source-rows.ts'
import type { Opened, Size } from './subject.ts'
import { httpSubjects, isInapplicable } from './subjects.ts'

describe.each(httpSubjects.map((each) => [each.description.key, each] as const))('%s', (_key, source) => {
  const { connector, subject, description } = source
  const opened: Opened[] = []
  afterAll(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()))
  })

  async function readAll(size: Size): Promise<{ opened: Opened; pages: FetchedPage[]; outcome: Outcome }> {
    const at = await subject.open(size)
    opened.push(at)
    const pages = await readAllPulls(at.session, connector.pulls)
    return { opened: at, pages, outcome: normalize(source, pages) }
  }

  let small: Awaited<ReturnType<typeof readAll>>
  beforeAll(async () => {
    small = await readAll('small')
  })

  test('every record matches the schema that the API publishes', () => {
    expect([...small.outcome.delivered.values()].flatMap((record) => schemaProblem(source, record) ?? [])).toEqual([])
    expect(small.outcome.delivered.size).toBeGreaterThan(0)
  })

  test('no two records have the same id', () => {
    expect(small.outcome.clashes).toEqual([])
    expect(new Set([...small.outcome.delivered.values()].map(({ id }) => id)).size).toBe(small.outcome.delivered.size)
  })

  test('every row of the source is delivered or set aside', () => {
    const shown = listSourceRows(subject, small.pages)
    expect(missingRows(shown, small.outcome)).toEqual([])
    for (const pull of connector.pulls) expect(shown.some(({ list }) => list.pull === pull.name)).toBe(true)
  })

  test('records set aside have a reason, and most are not set aside', () => {
    expect(small.outcome.setAside.filter(({ reason }) => reason.length < 8)).toEqual([])
    expect(small.outcome.setAside.length).toBeLessThan(small.outcome.delivered.size / 20)
  })

  test('a list of several pages is read to its end', async () => {
    const long = await readAll('long')
    const shown = listSourceRows(subject, long.pages)
    expect(missingRows(shown, long.outcome)).toEqual([])
    expect(shown.length).toBeGreaterThan(400)
  })

  test('a second run changes nothing', async () => {
    const again: FetchedPage[] = []
    for (const pull of connector.pulls) {
      const from = resumeOf(small.pages.filter((page) => page.pull === pull))
      again.push(...(await runPull(small.opened.session, pull, from)))
    }
    const known = new Set(contentsOf(small.outcome))
    const outcome = normalize(source, again)
    expect(contentsOf(outcome).filter((content) => !known.has(content))).toEqual([])
    expect(outcome.removed).toBe(0)
    // A complete listing without the earlier rows would be taken for their deletion.
    for (const pull of connector.pulls) {
      const pages = again.filter((page) => page.pull === pull)
      if (pages.every(({ page }) => page.listing === 'changes')) continue
      const before = normalize(
        source,
        small.pages.filter((page) => page.pull === pull),
      )
      expect(contentsOf(normalize(source, pages))).toEqual(contentsOf(before))
    }
  })

  test('stored answers yield the same records each time', () => {
    expect(contentsOf(normalize(source, small.pages))).toEqual(contentsOf(small.outcome))
  })

  if (!isInapplicable(subject.inactive))
    test('inactive accounts are delivered', () => {
      const accounts = [...small.outcome.delivered.values()].filter(({ entity }) => entity === 'Accounts')
      expect(
        accounts.filter(({ doc }) => doc.statusSystem === 'ARCHIVED' || doc.accountStatusSystem === 'INACTIVE').length,
      ).toBeGreaterThan(0)
    })

  test('every entry balances, and each line has either a debit or a credit', () => {
    expect(unbalanced(small.outcome)).toEqual([])
    expect(linesWithoutOneSide(small.outcome)).toEqual([])
  })

  test('every line names an existing account', () => {
    const records = [...small.outcome.delivered.values()]
    const accounts = new Set(records.filter(({ entity }) => entity === 'Accounts').map(({ origId }) => origId))
    const lines = records.filter(({ entity }) => entity === 'Transactions')
    expect(lines.filter(({ doc }) => !accounts.has(String(doc.accountOrigId))).map(({ doc }) => doc.accountOrigId)).toEqual([])
  })

  test('a currency is given, or its absence is counted', () => {
    const untold = [...small.outcome.delivered.values()].filter(({ doc }) => doc.currency === '')
    const counted = small.outcome.unmapped.filter(({ field }) => field === 'currency')
    expect([untold.length, untold.slice(0, 3).map(({ origId }) => origId)]).toEqual([counted.length, expect.anything()])
  })

  test('unknown enum values are kept and counted, and the account is delivered', () => {
    for (const { entity, field, word } of small.outcome.unmapped.filter((each) => each.field.endsWith('System'))) {
      const records = [...small.outcome.delivered.values()].filter((record) => record.entity === entity)
      expect(records.length).toBeGreaterThan(0)
      // Normalized bank accounts have no fields for the source's own values.
      if (description.category === 'Banking') continue
      expect(
        records.some(({ content }) => content.includes(JSON.stringify(word).slice(1, -1))),
        `${field}: ${word}`,
      ).toBe(true)
    }
  })
})
