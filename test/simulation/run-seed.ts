import { AsyncLocalStorage } from 'node:async_hooks'
import { checkEnd } from './final-check.ts'
import { Random } from './random.ts'
import { SimulationScenario } from './scenario.ts'
import { type Lane, Simulation } from './simulation.ts'

const STEPS = 14

/** Result of a seed. */
export interface SeedResult {
  seed: number
  violations: string[]
  /** History, line by line. */
  trace: string[]
  counts: Readonly<Record<string, number>>
}

const chance = new AsyncLocalStorage<Random>()
const { random } = Math
/** The engine's own jitter is derived from the seed too; code outside a simulation is not affected. */
Math.random = () => chance.getStore()?.next() ?? random()

/** Runs the script of a seed and checks it. */
export async function runSeed(lane: Lane, seed: number): Promise<SeedResult> {
  return await chance.run(new Random(seed ^ 0x5bd1e995), async () => {
    const simulation = new Simulation(lane, new Random(seed))
    const script = new SimulationScenario(simulation)
    try {
      await simulation.open()
      await script.run(STEPS)
      simulation.note('- everybody behaves')
      if (simulation.checker.violations.length === 0) await script.settle()
      if (simulation.checker.violations.length === 0) await checkEnd(lane, simulation)
    } catch (error) {
      simulation.checker.complain(`the script failed: ${error instanceof Error ? error.stack : String(error)}`)
    }
    await leave(simulation)
    return { seed, violations: simulation.checker.violations, trace: simulation.trace, counts: simulation.checker.counts }
  })
}

/** Removes everything that could affect later seeds. */
async function leave({ database, instanceId }: Simulation): Promise<void> {
  await database.query(
    `with a as (delete from jobs where instance_id = $1), b as (delete from subscriptions where instance_id = $1),
       c as (update events set position = 0 - (random() * 1e15)::bigint where instance_id = $1 and position is null)
     update connections set update_scheduled_at = 'infinity', reference = null where instance_id = $1`,
    [instanceId],
  )
}
