import type { FunnelCount } from '../../api/generated/types.ts'

export const STEPS = ['opened', 'agreed', 'chose', 'declined', 'failed', 'left', 'connected'] as const
type Step = (typeof STEPS)[number]

/** Number of links that reached each step. */
export type StepSums = Record<Step, number>

export function sumSteps(counts: readonly FunnelCount[]): StepSums {
  const sums: StepSums = { opened: 0, agreed: 0, chose: 0, declined: 0, failed: 0, left: 0, connected: 0 }
  for (const count of counts) for (const step of STEPS) sums[step] += count[step]
  return sums
}

/** Sums by group, in the order in which the groups first appear. */
export function sumGroups(counts: readonly FunnelCount[], groupOf: (count: FunnelCount) => string): { group: string; sums: StepSums }[] {
  return [...Map.groupBy(counts, groupOf)].map(([group, all]) => ({ group, sums: sumSteps(all) }))
}

/** Share of the opened links that reached a step, 0 to 1. */
export function shareOf(sums: StepSums, step: Step): number {
  return sums.opened === 0 ? 0 : sums[step] / sums.opened
}
