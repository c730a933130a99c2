import type { Egress, EgressRequest, EgressResponse } from '../../src/egress/egress.ts'
import { EgressError } from '../../src/egress/egress-error.ts'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import { readRecords } from '../harness/read-records.ts'
import { ProcessDied } from './process-life.ts'
import type { Process, Simulation } from './simulation.ts'

interface Waiting {
  process: Process
  request: EgressRequest
  resolve(response: EgressResponse): void
  reject(error: unknown): void
}

/** A delivery that reached one address. */
export interface Receipt {
  path: string
  identifier: string
  body: string
  isTaken: boolean
}

const ANSWERS = { taken: 70, failed: 12, silent: 8, unheard: 10 }
const COLUMNS = recordColumns('Accounting', 'Accounts')

/** The receivers of webhooks: each reads the data on delivery, and has outages. */
export class Receivers {
  readonly receipts: Receipt[] = []
  /** Whether every response is successful from now on. */
  isHealed = false
  readonly #simulation: Simulation
  #waiting: Waiting[] = []

  constructor(simulation: Simulation) {
    this.#simulation = simulation
  }

  egressOf(process: () => Process): Egress {
    return {
      request: (request) => {
        this.#simulation.checker.call(process(), 'a receiver')
        return new Promise<EgressResponse>((resolve, reject) => {
          this.#waiting.push({ process: process(), request, resolve, reject })
          // Deliveries of one round are sent together, then all are answered in order.
          if (this.#waiting.length === 1) queueMicrotask(() => void this.#answerAll())
        })
      },
      close: async () => undefined,
    }
  }

  async #answerAll(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    const first = waiting[0]
    try {
      for (const { request } of waiting) await this.#take(request)
      if (first) await this.#simulation.meanwhile(first.process.name)
      const answers = waiting.map(() => (this.isHealed ? 'taken' : this.#simulation.random.weighted(ANSWERS)))
      for (const [index, one] of waiting.entries()) this.#answer(one, answers[index] ?? 'taken')
    } catch (error) {
      for (const one of waiting) one.reject(error)
    }
  }

  #answer({ process, request, resolve, reject }: Waiting, answer: keyof typeof ANSWERS): void {
    const path = new URL(request.url).pathname
    const { Identifier } = JSON.parse(String(request.body))
    this.#simulation.note(`${process.name} sends ${Identifier.split('.')[0]} to ${path}: ${answer}`)
    this.receipts.push({ path, identifier: Identifier, body: withoutSignature(String(request.body)), isTaken: answer === 'taken' })
    if (process.life.isOver) reject(new ProcessDied())
    else if (answer === 'silent') reject(new EgressError('timeout'))
    // It accepted the event, and its response is lost.
    else if (answer === 'unheard') reject(new EgressError('cut'))
    else resolve({ status: answer === 'taken' ? 200 : 500, headers: {}, body: Buffer.alloc(0), truncated: false })
  }

  /** On delivery, a receiver reads the new data. */
  async #take(request: EgressRequest): Promise<void> {
    const { Identifier } = JSON.parse(String(request.body))
    await this.#simulation.checker.hear(String(Identifier))
    if (String(Identifier).startsWith('NormalizedData.')) await this.read()
  }

  /** Reads the accounts as the API does, and compares the result with what has been published. */
  async read(): Promise<void> {
    const { instanceId, companyId, serviceId, database } = this.#simulation
    const page = await readRecords<{ origId: string; name: string }>(
      database,
      { instanceId, companyId, serviceId },
      { entity: 'Accounts', columns: COLUMNS },
    )
    this.#simulation.checker.see(page?.records ?? null)
  }
}

function withoutSignature(body: string): string {
  const { Signature: _signature, ...rest } = JSON.parse(body)
  return JSON.stringify(rest)
}
