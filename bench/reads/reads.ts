import { canPinCores } from '../cores.ts'
import { atLeast, atMost, type Figure, untargeted } from '../figures.ts'
import { chooseLoadTool } from '../load/load.ts'
import type { Effort } from '../options.ts'
import { printProgress } from '../progress.ts'
import { median, spread } from '../statistics.ts'
import { type Comparison, measure, runRound } from './rounds.ts'
import { openReadsSetup } from './setup.ts'
import type { Subject } from './subjects.ts'

const CONNECTIONS = 32

type Measured = (subject: Subject) => Comparison[]

/**
 * Reads of a page of 100 accounts, as shares of a bare `node:http` server that answers the same requests with the same
 * bytes.
 */
export async function benchReads(effort: Effort): Promise<Figure[]> {
  const tool = chooseLoadTool()
  const setup = await openReadsSetup(effort.tenants)
  try {
    const { bare, bareOne, bareAnonymous, warm, keyed, gzip, unchanged, uncached, express } = setup.subjects
    const subjects = [warm, keyed, gzip, unchanged, uncached, express, bareOne, bareAnonymous]
    const many = { tool, connections: CONNECTIONS, seconds: effort.seconds }
    const one = { tool, connections: 1, seconds: effort.seconds }
    printProgress('reads: warming up')
    for (const subject of [bare, ...subjects]) await measure(subject, many)
    const atMany = new Map<Subject, Comparison[]>()
    const atOne = new Map<Subject, Comparison[]>()
    for (let round = 1; round <= effort.rounds; round++) {
      printProgress(`reads: round ${round} of ${effort.rounds}`)
      gather(atMany, await runRound(bare, subjects, many))
      gather(atOne, await runRound(bare, [warm], one))
    }
    return [
      untargeted(`reads of ${effort.tenants} tenants in turn by ${tool.name}`, `${Math.round(setup.subjects.bodyBytes / 1_000)} KB a page`),
      untargeted('server and load generator on cores of their own', canPinCores ? 'yes' : 'no'),
      ...listFigures(setup.subjects, (subject) => atMany.get(subject) ?? []),
      ...listLonely(warm, (subject) => atOne.get(subject) ?? []),
    ]
  } finally {
    await setup.close()
  }
}

function gather(all: Map<Subject, Comparison[]>, round: Map<Subject, Comparison>): void {
  for (const [subject, comparison] of round) all.set(subject, [...(all.get(subject) ?? []), comparison])
}

function listFigures(
  subjects: Record<'bareOne' | 'bareAnonymous' | 'warm' | 'keyed' | 'gzip' | 'unchanged' | 'uncached' | 'express', Subject>,
  of: Measured,
): Figure[] {
  const { bareOne, bareAnonymous, warm, keyed, gzip, unchanged, uncached, express } = subjects
  const byKey = of(keyed).map((comparison, round) => comparison.speed / (of(warm)[round]?.speed ?? Number.NaN))
  const slower = of(warm).map((comparison, round) => comparison.speed / (of(express)[round]?.speed ?? Number.NaN))
  return [
    ...speedFigures(`warm page, ${CONNECTIONS} connections, share of bare`, of(warm), 0.75),
    atLeast('  the same with an API key, share of an access token', median(byKey), 0.98, 3),
    untargeted('    rounds', spread(byKey, 3)),
    ...speedFigures('  the same, compressed', of(gzip), 0.9),
    ...speedFigures('  the same, 304', of(unchanged), 0.9),
    ...speedFigures('  page without cache', of(uncached), 0.1, 3),
    atMost('p99 of the warm page, times that of bare', median(of(warm).map((c) => c.tail)), 3, 1),
    atLeast('plain Express + pg + jsonwebtoken is slower by, times', median(slower), 20, 1),
    untargeted('  it has a share of bare of', median(of(express).map((c) => c.speed)).toFixed(3)),
    untargeted('bare that sends one page to everybody, share of bare', median(of(bareOne).map((c) => c.speed)).toFixed(2)),
    untargeted('bare that receives no headers, share of bare', median(of(bareAnonymous).map((c) => c.speed)).toFixed(2)),
  ]
}

function listLonely(warm: Subject, of: Measured): Figure[] {
  return speedFigures('warm page, 1 connection, share of bare', of(warm), 0.3)
}

function speedFigures(name: string, comparisons: Comparison[], least: number, digits = 2): Figure[] {
  const speeds = comparisons.map((c) => c.speed)
  const perSecond = Math.round(median(comparisons.map((c) => c.perSecond))).toLocaleString('en-US')
  const thrift = median(comparisons.map((c) => c.thrift)).toFixed(digits)
  return [
    atLeast(name, median(speeds), least, digits),
    untargeted('    rounds; by processor time; requests/s', `${spread(speeds, digits)}; ${thrift}; ${perSecond}`),
  ]
}
