import type { MutantResult } from '@stryker-mutator/api/core'

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
  survived: number
  /** Not run by any test; counted among the survivors. */
  uncovered: number
  /** Recorded as equivalent to the original, with the reason. */
  equivalent: number
  percent: number
}

export function toMutationResult(result: Readonly<MutantResult>): MutationResult {
  const { status, fileName, location, mutatorName, replacement, statusReason } = result
  const file = fileName.replace(/^.*?\/(?=src\/)/, '')
  return { status, file, line: location.start.line, mutator: mutatorName, replacement, reason: statusReason ?? null }
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
  const killed = count('Killed', 'Timeout')
  const uncovered = count('NoCoverage')
  const survived = count('Survived') + uncovered
  const judged = killed + survived
  const equivalent = verdicts.filter(({ status, reason }) => status === 'Ignored' && reason !== null && /^Same: /.test(reason)).length
  return { judged, killed, survived, uncovered, equivalent, percent: judged === 0 ? 100 : (100 * killed) / judged }
}

/** One line per file, lowest score first, and one for the total. */
export function tableOf(verdicts: readonly MutationResult[]): string {
  const files = [...new Set(verdicts.map(({ file }) => file))]
  const rows = files.map((file) => ({ name: file, score: scoreOf(verdicts.filter((verdict) => verdict.file === file)) }))
  const sorted = rows.filter(({ score }) => score.judged > 0).sort((a, b) => a.score.percent - b.score.percent)
  return [...sorted, { name: 'all', score: scoreOf(verdicts) }]
    .map(({ name, score: { judged, killed, survived, uncovered, equivalent, percent } }) => {
      const notes = [uncovered > 0 ? `${uncovered} never run` : '', equivalent > 0 ? `${equivalent} no different` : ''].filter(
        (note) => note !== '',
      )
      const rest = notes.length > 0 ? ` (${notes.join(', ')})` : ''
      return `${percent.toFixed(1).padStart(5)} %  ${String(killed).padStart(5)} of ${String(judged).padStart(5)} noticed, ${survived} not${rest}  ${name}`
    })
    .join('\n')
}
