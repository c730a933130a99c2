import type { Simulator } from '../../simulators/simulator.ts'

/** Responses that no simulator gives itself. */
export type InjectedFault = 'garbage' | 'hang up'

const GARBAGE = Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 197 + (at >> 3)) % 256))

/** The simulator with a switch: while `spoil` is set, calls to paths matching `api` are answered that way. */
export function withFaults<S extends Simulator>(simulator: S, api: RegExp): S & { spoil: InjectedFault | null } {
  const spoilt: S & { spoil: InjectedFault | null } = {
    ...simulator,
    spoil: null,
    handle: (request, response) => {
      if (spoilt.spoil === null || !api.test(request.url ?? '')) return simulator.handle(request, response)
      if (spoilt.spoil === 'hang up') return void request.socket.destroy()
      response.writeHead(200, { 'content-type': 'application/json' }).end(GARBAGE)
    },
  }
  return spoilt
}
