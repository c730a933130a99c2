import { openBank } from '../bank/bank.ts'
import { addTenant, openDeployment, syncTenant, type Tenant } from '../deployment.ts'
import { atMost, type Figure, untargeted } from '../figures.ts'
import type { Effort } from '../options.ts'
import { printProgress } from '../progress.ts'
import { AT_ONCE, inParallel } from './in-parallel.ts'

const ACCOUNTS = 5

/**
 * Refreshes of connections without changes by direct calls in this process: the cost of one, and whether the last tenth
 * costs more than the first.
 */
export async function measureUnchanged({ unchangedConnections }: Effort): Promise<Figure[]> {
  const deployment = await openDeployment(openBank(ACCOUNTS))
  try {
    const tenants: Tenant[] = []
    await inParallel(unchangedConnections, async (number) => {
      if (number % 1_000 === 0) printProgress(`refreshes: connecting ${number} of ${unchangedConnections}`)
      const tenant = await addTenant(deployment, `customer-${number}`)
      await syncTenant(deployment, tenant)
      tenants.push(tenant)
    })
    printProgress(`refreshes: refreshing ${unchangedConnections}`)
    const refresh = async (some: Tenant[]): Promise<number> => {
      const startedMs = performance.now()
      await inParallel(some.length, async (index) => {
        const tenant = some[index]
        if (tenant) await syncTenant(deployment, tenant)
      })
      return (performance.now() - startedMs) / some.length
    }
    const tenth = Math.ceil(tenants.length / 10)
    const costs: number[] = []
    for (let start = 0; start < tenants.length; start += tenth) costs.push(await refresh(tenants.slice(start, start + tenth)))
    const [first = 0, last = 0] = [costs[0], costs.at(-1)]
    const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length
    const count = unchangedConnections.toLocaleString('en-US')
    return [
      untargeted(`refresh of ${count} unchanged connections, ms per connection, ${AT_ONCE} at once`, mean.toFixed(2)),
      atMost('  the last tenth as a multiple of the first', last / first, 1.3),
    ]
  } finally {
    await deployment.close()
  }
}
