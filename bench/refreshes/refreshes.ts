import type { Figure } from '../figures.ts'
import type { Effort } from '../options.ts'
import { measureUnchanged } from './unchanged.ts'
import { measureWorkers } from './workers.ts'

/** Refreshes: what one costs by a direct call, and how many two worker processes do in a day. */
export async function benchRefreshes(effort: Effort): Promise<Figure[]> {
  return [...(await measureUnchanged(effort)), ...(await measureWorkers(effort))]
}
