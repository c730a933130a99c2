import type { Mutant, MutantResult } from '@stryker-mutator/api/core'

/** Result of one mutant. */
export interface MutationResult {
  status: MutantResult['status']
  file: string
  line: number
  mutator: string
  replacement: string
  /** Why it was ignored. */
  reason: string | null
}

export interface Score {
  /** Mutants that count: neither ignored nor impossible to run. */
  judged: number
  /** Detected by a test or its time-out. */
  killed: number
  /** Of these, by a time-out, which on a busy machine may say nothing. */
  timedOut: number
  survived: number
  /** Not run by any test; counted among the survivors. */
  uncovered: number
  /** Recorded as equivalent to the original, with the reason. */
  equivalent: number
  percent: number
  /** 95 % confidence interval of `percent` for the code from which a sample was taken (Wilson). */
  interval: readonly [number, number]
}

export function toMutationResult(result: Readonly<MutantResult>): MutationResult {
  const { status, fileName, location, mutatorName, replacement, statusReason, testsCompleted } = result
  return {
    // Which tests reach a mutant is known only when it is judged.
    status: status === 'Survived' && testsCompleted === 0 ? 'NoCoverage' : status,
    file: toSourceFile(fileName),
    line: location.start.line,
    mutator: mutatorName,
    replacement,
    reason: statusReason ?? null,
  }
}

/** What identifies a mutant that has no result yet. NOTE its lines are counted from 0, those of results from 1. */
export function toDrawnMutant({
  fileName,
  location,
  mutatorName,
  replacement,
}: Readonly<Mutant>): Omit<MutationResult, 'status' | 'reason'> {
  return { file: toSourceFile(fileName), line: location.start.line + 1, mutator: mutatorName, replacement }
}

function toSourceFile(path: string): string {
  return path.replace(/^.*?\/(?=src\/)/, '')
}

/** Reads the reporter's output, one verdict per line; a truncated last line is ignored. */
export function readMutationResults(text: string): MutationResult[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as MutationResult)
}

export function scoreOf(verdicts: readonly MutationResult[]): Score {
  const count = (...statuses: MutationResult['status'][]): number => verdicts.filter(({ status }) => statuses.includes(status)).length
  const timedOut = count('Timeout')
  const killed = count('Killed') + timedOut
  const uncovered = count('NoCoverage')
  const survived = count('Survived') + uncovered
  const judged = killed + survived
  const equivalent = verdicts.filter(({ status, reason }) => status === 'Ignored' && reason !== null && /^Same: /.test(reason)).length
  const percent = judged === 0 ? 100 : (100 * killed) / judged
  return { judged, killed, timedOut, survived, uncovered, equivalent, percent, interval: intervalOf(killed, judged) }
}

/** Source: https://www.itl.nist.gov/div898/handbook/prc/section2/prc241.htm */
function intervalOf(killed: number, judged: number): [number, number] {
  if (judged === 0) return [0, 100]
  const [z, share] = [1.96, killed / judged]
  const middle = share + z ** 2 / (2 * judged)
  const half = z * Math.sqrt((share * (1 - share)) / judged + z ** 2 / (4 * judged ** 2))
  const toPercent = (value: number): number => (100 * value) / (1 + z ** 2 / judged)
  return [toPercent(middle - half), toPercent(middle + half)]
}

/** One line per file, lowest score first, and one for the total with its interval. */
export function tableOf(verdicts: readonly MutationResult[]): string {
  const files = [...new Set(verdicts.map(({ file }) => file))]
  const rows = files.map((file) => ({ name: file, score: scoreOf(verdicts.filter((verdict) => verdict.file === file)) }))
  const sorted = rows.filter(({ score }) => score.judged > 0).sort((a, b) => a.score.percent - b.score.percent)
  return [...sorted, { name: 'all', score: scoreOf(verdicts) }]
    .map(({ name, score: { judged, killed, timedOut, survived, uncovered, equivalent, percent, interval } }) => {
      const notes = [
        timedOut > 0 ? `${timedOut} by a time-out` : '',
        uncovered > 0 ? `${uncovered} never run` : '',
        equivalent > 0 ? `${equivalent} no different` : '',
        name === 'all' ? `95 % interval ${interval.map((bound) => bound.toFixed(1)).join(' to ')}` : '',
      ].filter((note) => note !== '')
      const rest = notes.length > 0 ? ` (${notes.join(', ')})` : ''
      return `${percent.toFixed(1).padStart(5)} %  ${String(killed).padStart(5)} of ${String(judged).padStart(5)} noticed, ${survived} not${rest}  ${name}`
    })
    .join('\n')
}
