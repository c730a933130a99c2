import { hasCode } from '../store/embedded/processes.ts'

/** Rethrows the error of a module of the sandbox that could not be loaded; a missing one as a text that says what to do. */
export function explainMissingSandbox(error: unknown): never {
  if (!hasCode(error, 'ERR_MODULE_NOT_FOUND')) throw error
  throw new Error('the sandbox needs the simulators and the development packages: npm ci installs them; or set ENVIRONMENT=production', {
    cause: error,
  })
}
