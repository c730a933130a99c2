import { type BankSimulator, createBankSimulator } from '../kit/bank-simulator.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { answerCall, isData, type Sessions, throttled } from './api/routes.ts'
import { createBooks } from './data/books.ts'
import { FAULTS } from './faults.ts'

export type TrytonSimulator = BankSimulator<Sessions>

/** A Tryton 6.0 server with one database that holds one company. */
export function createTrytonSimulator(options: SimulatorOptions): TrytonSimulator {
  const books = createBooks()
  return createBankSimulator(options, {
    key: 'tryton',
    faults: FAULTS,
    isState: isSessions,
    initial: () => ({ sessions: [] }),
    isData,
    answer: (context, call) => answerCall(context, books, call),
    throttled,
  })
}

/** Only this simulator writes the file, so a shallow check is enough. */
function isSessions(value: unknown): value is Sessions {
  return typeof value === 'object' && value !== null && 'sessions' in value && Array.isArray(value.sessions)
}
