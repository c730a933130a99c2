import type { Client } from '../journey/client.ts'

/** Reads and refreshes against several processes of the service; every unsuccessful response is a failure. */
export interface Load {
  /** Sends requests to these addresses only, in rotation, from now on. */
  use(baseUrls: readonly string[]): void
  /** Resolves after this many more syncs; throws at the first failure. */
  syncs(count: number): Promise<void>
  /** Resolves when requests to addresses no longer in use are answered. */
  settled(): Promise<void>
  readonly faults: readonly string[]
  reads(): number
  stop(): Promise<void>
}

const READERS = 4

interface Subjects {
  companies: readonly string[]
  serviceId: string
  kind?: 'banking' | 'accountancy'
}

export function startLoad(client: Client, { companies, serviceId, kind = 'banking' }: Subjects): Load {
  const faults: string[] = []
  let targets: Client[] = []
  let turn = 0
  let reads = 0
  let synced = 0
  let isStopping = false
  const underWay = new Map<Client, Set<Promise<unknown>>>()

  const next = (): Client => {
    turn += 1
    const target = targets[turn % targets.length]
    if (!target) throw new Error('the load has no address')
    return target
  }

  /** Sends one request; it is counted for its address until it is answered. */
  async function ask(what: string, request: (target: Client) => Promise<{ status: number; body: string }>): Promise<string | null> {
    const target = next()
    const asked = request(target)
    const pending = underWay.get(target) ?? new Set()
    underWay.set(target, pending.add(asked))
    try {
      const { status, body } = await asked
      if (status < 300) return body
      faults.push(`${what}: ${status} ${body.slice(0, 200)}`)
    } catch (error) {
      faults.push(`${what}: ${error instanceof Error ? `${error.message} ${error.cause ?? ''}` : error}`)
    } finally {
      pending.delete(asked)
    }
    return null
  }

  async function read(companyId: string): Promise<void> {
    const body = await ask('read', (target) => target.ask(`/normalized-data/${companyId}/${kind}/accounts/${serviceId}`))
    if (body !== null && !body.includes('"origId"')) faults.push(`read: no account in ${body.slice(0, 200)}`)
    reads += 1
  }

  /** Requests a refresh and waits until its run has ended. */
  async function sync(companyId: string): Promise<void> {
    const before = await newestRun(companyId)
    await ask('refresh', (target) => target.refresh(companyId, serviceId))
    for (;;) {
      const run = await newestRun(companyId)
      if (run !== null && run.id !== before?.id && run.state !== 'running') {
        if (run.state === 'failed' || run.state === 'abandoned') faults.push(`sync: ${run.state}`)
        synced += 1
        return
      }
      if (isStopping || faults.length > 0) return
    }
  }

  async function newestRun(companyId: string): Promise<{ id: string; state: string } | null> {
    const body = await ask('status', (target) => target.ask(`/normalized-data/company/${companyId}/data-connection/${serviceId}/status`))
    if (body === null) return null
    const { runs } = JSON.parse(body) as { runs: { id: string; state: string }[] }
    return runs[0] ?? null
  }

  const loops = [
    ...Array.from({ length: READERS }, async (_, index) => {
      const companyId = companies[index % companies.length] ?? ''
      while (!isStopping) await (targets.length > 0 ? read(companyId) : pause())
    }),
    ...companies.map(async (companyId) => {
      while (!isStopping) await (targets.length > 0 ? sync(companyId) : pause())
    }),
  ]

  return {
    use: (baseUrls) => {
      targets = baseUrls.map((baseUrl) => client.at(baseUrl))
    },
    syncs: async (count) => {
      const wanted = synced + count
      while (synced < wanted && faults.length === 0) await pause()
      if (faults.length > 0) throw new Error(faults.slice(0, 5).join('\n'))
    },
    settled: async () => {
      for (const [target, pending] of underWay) if (!targets.includes(target)) await Promise.allSettled(pending)
    },
    faults,
    reads: () => reads,
    stop: async () => {
      isStopping = true
      await Promise.all(loops)
    },
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 20)
  })
}
