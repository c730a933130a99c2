import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createInstance } from '../src/store/access/instances.ts'
import { subscribe } from '../src/webhooks/subscriptions.ts'
import { openBank } from './bank/bank.ts'
import { type Deployment, openDeployment } from './deployment.ts'
import { atLeast, atMost, type Figure, untargeted } from './figures.ts'
import type { Effort } from './options.ts'
import { endProcess, residentMiB } from './processes.ts'
import { printProgress } from './progress.ts'
import { openReceiver, raiseEvent } from './servers/receiver.ts'
import { quantile } from './statistics.ts'

const ENDPOINTS = 100
const EVENTS_PER_SECOND = 100
/** Time allowed for deliveries still in flight after the last event. */
const TIMEOUT_MS = 10_000

/**
 * Latency from each commit to the first byte: 99 endpoints that answer and one that never does, one instance each, at
 * 100 events per second.
 */
export async function benchWebhooks({ deliverySeconds }: Effort): Promise<Figure[]> {
  printProgress(`webhooks: ${EVENTS_PER_SECOND} events a second for ${deliverySeconds} s`)
  const deployment = await openDeployment(openBank(1))
  const arrivals = new Map<string, number>()
  const receiver = await openReceiver(arrivals)
  const dead = createTcpServer(() => undefined).listen(0, '127.0.0.1')
  await once(dead, 'listening')
  const dispatcher = fork(join(import.meta.dirname, 'servers', 'dispatcher.ts'), [deployment.databaseUrl, deployment.dataDir], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  try {
    const instances = await subscribeAll(deployment, receiver, dead.address() as AddressInfo)
    const commits = await raiseEvents(deployment, instances, deliverySeconds)
    const healthy = [...commits].filter(([, { isDead }]) => !isDead)
    for (let waitedMs = 0; waitedMs < TIMEOUT_MS && healthy.some(([id]) => !arrivals.has(id)); waitedMs += 50) await wait(50)
    const delays = healthy.flatMap(([id, { atMs }]) => {
      const arrivedMs = arrivals.get(id)
      return arrivedMs === undefined ? [] : [Math.max(0, arrivedMs - atMs)]
    })
    return [
      untargeted('events a second', (commits.size / deliverySeconds).toFixed(0)),
      atLeast('deliveries to the 99 that answer, share', delays.length / healthy.length, 1, 4),
      atMost('commit to first byte beside a dead endpoint, p50, ms', quantile(delays, 0.5), 250, 1),
      atMost('  p99, ms', quantile(delays, 0.99), 2_000, 1),
      untargeted('  most, ms', Math.max(...delays).toFixed(1)),
      untargeted('  resident memory of the dispatcher, MiB', (await residentMiB(dispatcher.pid ?? 0)).toFixed(0)),
    ]
  } finally {
    await endProcess(dispatcher)
    receiver.closeAllConnections()
    receiver.close()
    dead.close()
    await deployment.close()
  }
}

async function subscribeAll(deployment: Deployment, receiver: Server, dead: AddressInfo): Promise<string[]> {
  const deps = { database: deployment.database, sealer: deployment.sync.sealer, callbackRules: { allowPrivate: true } }
  const instances: string[] = []
  for (let number = 0; number < ENDPOINTS; number += 1) {
    const instanceId = randomUUID()
    await createInstance(deployment.database, { id: instanceId, name: `Lender ${number}` })
    const { port } = number === 0 ? dead : (receiver.address() as AddressInfo)
    await subscribe(deps, instanceId, { event: 'NormalizedData', callbackUrl: `http://127.0.0.1:${port}/${number}` })
    instances.push(instanceId)
  }
  return instances
}

interface Commit {
  atMs: number
  isDead: boolean
}

/** Raises events of the instances in rotation at a constant rate; returns the commit times. */
async function raiseEvents(deployment: Deployment, instances: string[], seconds: number): Promise<Map<string, Commit>> {
  const commits = new Map<string, Commit>()
  const raising: Promise<void>[] = []
  const beganMs = performance.now()
  for (let number = 0; number < seconds * EVENTS_PER_SECOND; number += 1) {
    const dueMs = beganMs + (number * 1_000) / EVENTS_PER_SECOND
    if (dueMs > performance.now()) await wait(dueMs - performance.now())
    const place = number % instances.length
    raising.push(
      raiseEvent(deployment.database, instances[place] ?? '').then((id) => {
        commits.set(id, { atMs: performance.now(), isDead: place === 0 })
      }),
    )
  }
  await Promise.all(raising)
  return commits
}
