import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Simulator } from '../../simulator.ts'
import type { Faults } from '../faults.ts'
import type { HeldRequests } from './held-requests.ts'

/** What a simulator is made of, for the controls that are the same for all. */
interface Parts {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>
  faults: Pick<Faults<string>, 'arm' | 'clear'>
  /** Requests that a fault holds back. */
  held?: HeldRequests
  state: { data: { clockMs: number }; save(): void }
}

export function controlsOf({ answer, faults, held, state }: Parts): Omit<Simulator, 'key'> {
  return {
    handle: (request, response) => {
      answer(request, response).catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : new Error(String(cause))))
    },
    fault: (name, times = 1) => faults.arm(name, times),
    clearFaults: () => {
      faults.clear()
      held?.release()
    },
    moveClock: (ms) => {
      state.data.clockMs += ms
      state.save()
    },
    close: async () => held?.drop(),
  }
}
