import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/browser'
import type { PasskeyCreation, PasskeyRequest } from './generated/types.ts'
import { Problem } from './problem.ts'

export type PasskeyAnswer = AuthenticationResponseJSON

/**
 * Makes a passkey in this browser, by the options of the service. Throws a `Problem` when its user gives none, or when
 * the code for it cannot be loaded.
 */
export async function makePasskey(optionsJSON: PasskeyCreation): Promise<RegistrationResponseJSON> {
  const { startRegistration } = await import('@simplewebauthn/browser').catch(notLoaded)
  return await startRegistration({ optionsJSON }).catch(refuse)
}

/**
 * Proof by a passkey of this browser, by the options of the service. Throws a `Problem` when its user gives none, or
 * when the code for it cannot be loaded.
 */
export async function askPasskey(optionsJSON: PasskeyRequest): Promise<PasskeyAnswer> {
  const { startAuthentication } = await import('@simplewebauthn/browser').catch(notLoaded)
  return await startAuthentication({ optionsJSON }).catch(refuse)
}

function notLoaded(error: unknown): never {
  throw new Problem(0, String(error))
}

/** What the browser says is in its own language and of little use: mostly that the user has cancelled. */
function refuse(error: unknown): never {
  throw new Problem(400, 'The browser gave no passkey.', { reason: error instanceof Error ? error.name : null })
}
