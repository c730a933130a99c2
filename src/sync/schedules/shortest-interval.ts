import type { Connector, ConnectorDescription } from '../../connectors/contract/contract.ts'

/** Limits of the product, in minutes: a quarter of an hour to thirty days. */
export const SHORTEST_MINUTES = 15
export const LONGEST_MINUTES = 30 * 24 * 60

/**
 * Shortest interval between two refreshes of one connection, in minutes: each refresh makes at least one call per pull,
 * and the source's limits for each company's books must last for all of them.
 */
export function shortestMinutesOf({ limits = [] }: ConnectorDescription, { pulls }: Pick<Connector, 'pulls'>): number {
  const needed = limits.map((limit) =>
    'calls' in limit && limit.scope === 'entity' ? Math.ceil((pulls.length * limit.perMs) / limit.calls / 60_000) : 0,
  )
  return Math.min(LONGEST_MINUTES, Math.max(SHORTEST_MINUTES, ...needed))
}
