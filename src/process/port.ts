import { once } from 'node:events'
import { createServer } from 'node:net'
import { hasCode } from '../model/error-code.ts'
import type { Listen } from './settings/setting-values.ts'

/** Thrown when the listen address is in use or not ours. */
class PortUnavailable extends Error {}

/**
 * Throws `PortUnavailable` when this process cannot listen. Called first, so that a wrong setting leaves nothing
 * behind.
 */
export async function checkPort({ host, port }: Listen, setting = 'PORT'): Promise<void> {
  const server = createServer()
  try {
    server.listen({ host, port, exclusive: true })
    await once(server, 'listening')
  } catch (error) {
    throw explainPort(error, host, port, setting)
  }
  await new Promise((done) => server.close(done))
}

/** Error of a listening socket as a text that names the setting; other errors unchanged. */
export function explainPort(error: unknown, host: string, port: number, setting = 'PORT'): unknown {
  if (hasCode(error, 'EADDRINUSE'))
    return new PortUnavailable(`another program listens on ${host}:${port}; stop it, or choose another ${setting}`)
  if (hasCode(error, 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'))
    return new PortUnavailable(`this machine has no address ${host}; choose another ${setting === 'PORT' ? 'HOST' : setting}`)
  if (hasCode(error, 'EACCES')) return new PortUnavailable(`this user may not listen on port ${port}; choose a ${setting} from 1024 on`)
  return error
}

/** Like `explainPort`, for the simulators' ports after the service's port. */
export function explainSimulatorPort(error: unknown, servicePort: number): unknown {
  if (!hasCode(error, 'EADDRINUSE', 'ERR_SOCKET_BAD_PORT')) return error
  return new PortUnavailable(
    `the simulators need the ports behind ${servicePort}, and one is taken; choose another PORT, for the workers too`,
  )
}
