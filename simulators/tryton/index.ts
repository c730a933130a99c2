import { type BankSimulator, createBankSimulator } from '../kit/bank-simulator.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { answerCall, isData, type Sessions, throttled } from './api/routes.ts'
import { createBooks } from './data/books.ts'
import { FAULTS } from './faults.ts'

export type TrytonSimulator = BankSimulator<Sessions>

/** A Tryton 6.0 server with one database of one company. */
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

/** The file is written by nobody else: whether it is ours is all there is to ask. */
function isSessions(value: unknown): value is Sessions {
  return typeof value === 'object' && value !== null && 'sessions' in value && Array.isArray(value.sessions)
}
